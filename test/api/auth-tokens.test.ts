/** Who gets in with a token, what it may do, several ways at once, and who guesses. Source: api-semantics 9.1, 9.2, 14.25; http-api "Authentication". */
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { limitedServer } from '../../src/api/server.ts'
import { handClock } from '../support/fake-cli-engine.ts'
import { fakeEngine } from '../support/fake-engine.ts'
import { ACTIONS, apiWith, basicHeader, configOf } from './api-with.ts'

describe('API › authentication: tokens', () => {
  const { send, status } = apiWith({
    'auth.token.value': 'sesame',
    'auth.tokens': [
      { name: 'viewer', value: 'look', permissions: ['read'] },
      { name: 'runner', value: 'go', permissions: ['read', 'run'] },
      { name: 'blind', value: 'dark', permissions: ['run'] }
    ]
  })

  it('S3 Bearer realm when only tokens are on', async () => {
    const { status, headers } = await send('GET', '/dags', 'Bearer nope')
    expect([status, headers['www-authenticate']]).to.deep.equal([401, 'Bearer realm="restricted"'])
  })

  it('S4 Authorization: Bearer <token>; a bearer of any other value is refused', async () => {
    expect(await status('GET', '/dags', 'Bearer sesame')).to.equal(200)
    expect(await status('GET', '/dags', 'bearer  sesame')).to.equal(200)
    for (const wrong of ['Bearer', 'Bearer sesam', 'Bearer sesame2', 'sesame', 'Basic sesame', 'Bearer sesame x'])
      expect(await status('GET', '/dags', wrong), wrong).to.equal(401)
  })

  it('S4 permissions of a token: read, run, write', async () => {
    expect(await status('GET', '/dags', 'Bearer look')).to.equal(200)
    const { status: refused, json } = await send('POST', '/dags/hello/start', 'Bearer look')
    expect([refused, json]).to.deep.equal([403, { code: 'forbidden', message: 'the token viewer may not run' }])
    expect(await status('POST', '/dags/hello/start', 'Bearer go')).to.equal(200)
    expect(await status('POST', '/dags', 'Bearer go')).to.equal(403)
    expect(await status('GET', '/dags', 'Bearer dark')).to.equal(403)
    expect(await status('POST', '/dags/validate', 'Bearer dark')).to.equal(200)
  })

  it('an inline spec needs write beside run: it is a definition', async () => {
    expect(await status('POST', '/dag-runs', 'Bearer go')).to.equal(403)
    expect(await status('POST', '/dag-runs', 'Bearer sesame')).to.equal(400)
  })

  it('each action of version 1 needs what the operation that does the same needs', async () => {
    for (const action of ACTIONS.runDAGs) {
      const body = { action, value: 'true', requestId: 'r', step: 's' }
      expect(await status('POST', '/api/v1/dags/hello', 'Bearer go', true, body), action).to.not.equal(403)
      const { json } = await send('POST', '/api/v1/dags/hello', 'Bearer look', true, body)
      expect(json, action).to.deep.equal({ code: 'forbidden', message: 'the token viewer may not run' })
    }
    for (const action of ACTIONS.writeDAGs) {
      const { json } = await send('POST', '/api/v1/dags/hello', 'Bearer go', true, { action, value: 'x' })
      expect(json, action).to.deep.equal({ code: 'forbidden', message: 'the token runner may not write' })
    }
  })
})

describe('API › authentication: several at once', () => {
  const { status } = apiWith({
    'auth.basic.username': 'admin',
    'auth.basic.password': 'secret',
    'auth.token.value': 'sesame',
    metrics: 'public'
  })
  it('S2 the first that fits lets the request in', async () => {
    expect(await status('GET', '/dags', 'Bearer sesame')).to.equal(200)
    expect(await status('GET', '/dags', basicHeader('admin', 'secret'))).to.equal(200)
  })
  it('metrics: public opens GET /metrics and nothing else', async () => {
    expect(await status('GET', '/metrics')).to.equal(200)
    expect(await status('GET', '/metrics/x')).to.equal(401)
  })
})

describe('API › authentication: guessing', () => {
  it('after 10 wrong tries the next one of that address waits a second, whether it is right or wrong', async () => {
    const clock = handClock()
    const { auth } = configOf({ 'auth.token.value': 'sesame' })
    const server = limitedServer(createApp(fakeEngine({ auth }), { clock }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    const status = async (token?: string) => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
      return (await fetch(`http://127.0.0.1:${port}/api/v2/dags`, { headers })).status
    }
    for (let i = 0; i < 10; i++) expect(await status(`wrong${i}`)).to.equal(401)
    let isOver = false
    const right = status('sesame').then((status) => {
      isOver = true
      return status
    })
    expect(await status(), 'no credentials, no guess').to.equal(401)
    expect(await status()).to.equal(401)
    expect(isOver).to.equal(false)
    clock.pass(1_000)
    expect(await right).to.equal(200)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
