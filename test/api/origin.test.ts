/** Web pages of strangers. Source: reliability 5.1 ("Web page in the operator's browser"), F39. */
import { expect } from 'chai'
import { fakeEngine, planOf } from '../support/fake-engine.ts'
import { served } from './client.ts'

describe('API › Host and Origin', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())

  const get = async (headers: Record<string, string>) => {
    const { status, json } = await api.call('GET', '/health', { headers })
    return status === 403 ? json.code : status
  }
  const post = async (headers: Record<string, string>) => {
    const { status, json } = await api.call('POST', '/dags/hello/start', { body: {}, headers })
    return status === 403 ? json.code : status
  }

  it('a foreign Host = 403 forbidden', async () => {
    for (const Host of [
      'evil.example',
      'evil.example:8080',
      '10.0.0.1',
      'localhost.evil.example',
      'a b',
      'u@127.0.0.1'
    ]) {
      expect(await get({ Host }), Host).to.equal('forbidden')
    }
  })

  it('loopback names are served', async () => {
    for (const Host of ['localhost', `LOCALHOST:${api.port}`, '127.0.0.1:1', '127.9.9.9', '[::1]:80']) {
      expect(await get({ Host }), Host).to.equal(200)
    }
  })

  it('a name given as host is served, beyond loopback too', async () => {
    const open = fakeEngine({ allowUnauthenticated: true })
    const other = await served(open, { host: '0.0.0.0' })
    try {
      const statusOf = async (Host: string) => (await other.call('GET', '/health', { headers: { Host } })).status
      expect(await statusOf('127.0.0.1')).to.equal(200)
      expect(await statusOf('evil.example')).to.equal(403)
    } finally {
      await other.close()
    }
  })

  it('a foreign Origin = 403 forbidden, whatever the method', async () => {
    const own = `127.0.0.1:${api.port}`
    for (const Origin of [
      'http://evil.example',
      'null',
      `http://localhost:${api.port}`,
      'http://127.0.0.1:1',
      `x${own}`
    ]) {
      expect(await get({ Origin }), Origin).to.equal('forbidden')
      expect(await post({ Origin }), Origin).to.equal('forbidden')
    }
    expect(await post({ Origin: `http://${own}`, 'Content-Type': 'application/json' })).to.equal(200)
    expect(await post({ Host: 'localhost', Origin: 'http://localhost:80' })).to.equal(200)
  })

  it('Sec-Fetch-Site: cross-site = 403 forbidden', async () => {
    expect(await get({ 'Sec-Fetch-Site': 'cross-site' })).to.equal('forbidden')
    expect(await post({ 'Sec-Fetch-Site': 'cross-site' })).to.equal('forbidden')
    expect(await post({ 'Sec-Fetch-Site': 'same-origin' })).to.equal(200)
    expect(await get({ 'Sec-Fetch-Site': 'none' })).to.equal(200)
  })

  it('the GET that changes state by specification (dequeue) gets the same checks: a page at another port sends no Origin with it', async () => {
    const asked = async (site: string, path: string) =>
      (await api.call('GET', path, { headers: { 'Sec-Fetch-Site': site } })).json.code
    const dequeue = '/dag-runs/hello/nobody/dequeue'
    for (const site of ['cross-site', 'same-site']) expect(await asked(site, dequeue), site).to.equal('forbidden')
    for (const site of ['same-origin', 'none']) expect(await asked(site, dequeue), site).to.equal('not_found')
    expect(await asked('same-site', '/dag-runs/hello/nobody')).to.equal('not_found')
  })

  it('a state-changing request with a browser-simple content type and an Origin = 403', async () => {
    const Origin = `http://127.0.0.1:${api.port}`
    for (const type of [
      'text/plain',
      'Text/Plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x'
    ]) {
      expect(await post({ Origin, 'Content-Type': type }), type).to.equal('forbidden')
      expect(await post({ 'Content-Type': type }), type).to.equal(200)
      expect(await get({ Origin, 'Content-Type': type }), type).to.equal(200)
    }
  })

  it('nothing was started by a refused request', async () => {
    const before = engine.started.length
    await post({ Origin: 'http://evil.example', 'Content-Type': 'text/plain' })
    expect(engine.started.length).to.equal(before)
  })
})
