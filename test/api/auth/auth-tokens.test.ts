/** Who gets in with a token, what it may do, several ways at once, and who guesses. Source: api-semantics 9.1, 9.2, 14.25; http-api "Authentication". */
import { randomBytes, scryptSync } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../../src/api/app.ts'
import { passwordCheck } from '../../../src/api/auth/compare.ts'
import { limitedServer } from '../../../src/api/server.ts'
import type { Settings } from '../../../src/config.ts'
import { ShareTaken } from '../../../src/errors.ts'
import { handClock } from '../../support/cli/fake-cli-engine.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { ACTIONS, apiWith, basicHeader, configOf } from '../api-with.ts'

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
  const opened: Server[] = []
  afterEach(async () => {
    for (const server of opened.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
  /** Asks as somebody with that header, from an address of this machine or, with a proxy, from any. */
  async function scene(settings: Settings['settings'], clock = handClock()) {
    const server = limitedServer(createApp(fakeEngine(configOf(settings)), { clock }))
    opened.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    const ask = async (authorization?: string, more: Record<string, string> = {}) => {
      const headers = { ...more, ...(authorization === undefined ? {} : { Authorization: authorization }) }
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/dags`, { headers })
      const body = (await answer.json()) as { code: string; message: string }
      return { status: answer.status, headers: answer.headers, body }
    }
    const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
    return { clock, ask, status }
  }

  it('after 10 wrong tries the next is 429 with Retry-After, and one a second is 401', async () => {
    const { clock, ask, status } = await scene({ 'auth.token.value': 'sesame' })
    for (let i = 0; i < 10; i++) expect(await status(`Bearer wrong${i}`)).to.equal(401)
    const { status: refused, headers, body } = await ask('Bearer wrong')
    expect([refused, headers.get('retry-after'), body.code]).to.deep.equal([429, '1', 'unauthorized'])
    expect(body.message).to.match(/too many wrong ones from this address: try again in 1 s$/)
    expect(headers.has('www-authenticate'), 'no browser asks its user again').to.equal(false)
    expect(await status(), 'no credentials, no guess').to.equal(401)
    clock.pass(1_000)
    expect([await status('Bearer wrong'), await status('Bearer wrong')]).to.deep.equal([401, 429])
  })

  it('good credentials are not locked out, however many are wrong at the same address: no clock has to move', async () => {
    const salt = randomBytes(16)
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const hash = `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(scryptSync('secret', salt, 32, { N: 2 ** 10, r: 8, p: 1 }))}`
    for (const [settings, good] of [
      [{ 'auth.token.value': 'sesame' }, 'Bearer sesame'],
      [{ 'auth.basic.username': 'admin', 'auth.basic.password': 'secret' }, basicHeader('admin', 'secret')],
      [{ 'auth.basic.username': 'admin', 'auth.basic.passwordHash': hash }, basicHeader('admin', 'secret')]
    ] as const) {
      const { status } = await scene(settings)
      const bad = good.startsWith('Bearer') ? 'Bearer wrong' : basicHeader('admin', 'wrong')
      for (let i = 0; i < 30; i++) await status(bad)
      expect(await status(bad), good).to.equal(429)
      expect(await status(good), good).to.equal(200)
      const all = await Promise.all(
        [...Array(20).fill(bad), good, ...Array(20).fill(bad)].map((header) => status(header))
      )
      expect(all[20], good).to.equal(200)
    }
  })

  it('S5 a password that fitted once waits for nobody; of one address at most 32 others wait to be checked', async () => {
    const salt = randomBytes(16)
    const hash = scryptSync('secret', salt, 32, { N: 2 ** 10, r: 8, p: 1 })
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const check = passwordCheck({
      username: 'admin',
      passwordHash: configOf({
        'auth.basic.username': 'admin',
        'auth.basic.passwordHash': `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`
      }).auth.basic?.passwordHash as never
    })
    expect(await check('admin', 'secret', '10.0.0.1')).to.equal(true)
    const order: string[] = []
    const told = (what: string) => () => void order.push(what)
    const guesses = Array.from({ length: 33 }, (_, at) => check('admin', `guess ${at}`, '10.0.0.1').then(told('guess')))
    const beyond = check('admin', 'one more', '10.0.0.1').catch((error: unknown) => error)
    const other = check('admin', 'wrong', '10.0.0.2').then(told('other'))
    expect(await check('admin', 'secret', '10.0.0.1')).to.equal(true)
    expect(order, 'while all of them wait').to.deep.equal([])
    expect(await beyond).to.be.instanceOf(ShareTaken)
    await Promise.all([...guesses, other])
    expect(order.indexOf('other'), 'addresses take turns').to.be.lessThan(3)
  })

  it('behind a trusted proxy the address that X-Forwarded-For names is slowed, and no other', async () => {
    const { status } = await scene({ 'auth.token.value': 'sesame', 'server.trustedProxies': ['127.0.0.1'] })
    const from = (address: string) => ({ 'X-Forwarded-For': `1.1.1.1, ${address}` })
    for (let i = 0; i < 10; i++) await status('Bearer wrong', from('203.0.113.7'))
    expect(await status('Bearer wrong', from('203.0.113.7'))).to.equal(429)
    expect(await status('Bearer wrong', from('203.0.113.8'))).to.equal(401)
    expect(await status('Bearer wrong')).to.equal(401)
    expect(await status('Bearer sesame', from('203.0.113.7'))).to.equal(200)
  })

  it('who is no trusted proxy names no other address in its place', async () => {
    const { status } = await scene({ 'auth.token.value': 'sesame', 'server.trustedProxies': ['10.0.0.0/8'] })
    for (let i = 0; i < 10; i++) await status('Bearer wrong', { 'X-Forwarded-For': `203.0.113.${i}` })
    expect(await status('Bearer wrong', { 'X-Forwarded-For': '203.0.113.99' })).to.equal(429)
  })
})
