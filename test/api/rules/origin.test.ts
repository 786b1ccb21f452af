/** Web pages of strangers. Source: reliability 5.1 ("Web page in the operator's browser"), F39. */
import { connect } from 'node:net'
import { expect } from 'chai'
import type { Settings } from '../../../src/config.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { configOf } from '../api-with.ts'
import { type Answer, served } from '../client.ts'

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

describe('API › Host and Origin behind a proxy', () => {
  const NAME = 'troupe.example.org'
  const serving = async (settings: Settings['settings'], use: (ask: Ask, port: number) => Promise<void>) => {
    const { allowedOrigins, trustedProxies } = configOf(settings)
    const api = await served(fakeEngine({ allowedOrigins, trustedProxies }, { hello: planOf('hello') }))
    try {
      const ask: Ask = (headers, method = 'GET', path = '/api/v2/dags') => api.callAt(method, path, { headers })
      await use(ask, api.port)
    } finally {
      await api.close()
    }
  }
  type Ask = (headers: Record<string, string>, method?: string, path?: string) => Promise<Answer>
  const REMEDY =
    'If you operate a proxy in front of this server: list https://troupe.example.org in cors.allowedOrigins, ' +
    'or the address of the proxy in server.trustedProxies when it sends X-Forwarded-Host'

  it('a refusal names the settings that help, whether the proxy passes Host on or writes one of its own', async () => {
    await serving({}, async (ask, port) => {
      const passed = await ask({ Host: NAME })
      expect([passed.status, passed.json]).to.deep.equal([
        403,
        {
          code: 'forbidden',
          message: `Host: wanted the address or the name of this server, found "${NAME}". ${REMEDY}`
        }
      ])
      const { status, json } = await ask({ Origin: `https://${NAME}` }, 'POST', '/api/v2/dags/hello/start')
      expect([status, json.message]).to.deep.equal([
        403,
        `Origin: wanted that of this server, which was asked as "127.0.0.1:${port}", found "https://${NAME}". ${REMEDY}`
      ])
      for (const Origin of ['null', 'file://', 'x']) {
        const { message } = (await ask({ Origin })).json
        expect(message, Origin).to.contain(JSON.stringify(Origin)).and.not.contain('cors.allowedOrigins')
      }
    })
  })

  it('a browser that wants to show it to a person gets a page with that sentence, and a program an Error object', async () => {
    await serving({}, async (ask) => {
      const Accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
      for (const path of ['/', '/some/page']) {
        const { status, headers, text } = await ask({ Host: NAME, Accept }, 'GET', path)
        expect([status, headers['content-type']], path).to.deep.equal([403, 'text/html; charset=utf-8'])
        expect(text, path).to.contain('<h1>Troupe does not answer this request</h1>')
        expect(text, path).to.contain('cors.allowedOrigins').and.contain('server.trustedProxies')
        expect(headers['content-security-policy']).to.equal("default-src 'self'")
        expect([headers.vary, headers['cache-control']]).to.deep.equal(['Accept, Accept-Encoding', 'no-store'])
      }
      const odd = await ask({ Host: '<b>x', Accept }, 'GET', '/')
      expect(odd.text).to.contain('&lt;b&gt;x').and.not.contain('<b>')
      for (const other of ['*/*', 'application/json, text/plain, */*'])
        expect((await ask({ Host: NAME, Accept: other }, 'GET', '/')).json.code, other).to.equal('forbidden')
      expect((await ask({ Host: NAME, Accept }, 'POST', '/')).json.code).to.equal('forbidden')
      expect((await ask({ Host: NAME, Accept })).json.code, 'the API speaks JSON').to.equal('forbidden')
    })
  })

  it('a trusted proxy says by which name and scheme it was asked: pages of that name are its own', async () => {
    await serving({ 'server.trustedProxies': ['127.0.0.0/8'] }, async (ask) => {
      const start = async (headers: Record<string, string>) =>
        (await ask({ ...headers, 'Content-Type': 'application/json' }, 'POST', '/api/v2/dags/hello/start')).status
      const Origin = `https://${NAME}`
      expect(await start({ Origin, 'X-Forwarded-Host': NAME })).to.equal(200)
      expect(await start({ Origin, Host: NAME, 'X-Forwarded-Host': NAME })).to.equal(200)
      expect(await start({ Origin, 'X-Forwarded-Host': `${NAME}:443`, 'X-Forwarded-Proto': 'https' })).to.equal(200)
      expect(await start({ Origin, 'X-Forwarded-Host': `evil.example, ${NAME}` }), 'the nearest counts').to.equal(200)
      expect(await start({ Origin: 'https://evil.example', 'X-Forwarded-Host': NAME })).to.equal(403)
      expect(await start({ Origin, 'X-Forwarded-Host': `${NAME}, evil.example` })).to.equal(403)
      expect(await start({ Origin }), 'it says nothing').to.equal(403)
      expect(await start({ Host: NAME }), 'it says nothing').to.equal(403)
      expect(await start({ 'X-Forwarded-Host': 'a b' })).to.equal(403)
    })
  })

  it('who is no trusted proxy says nothing', async () => {
    await serving({ 'server.trustedProxies': ['10.0.0.0/8'] }, async (ask) => {
      expect((await ask({ Host: NAME, 'X-Forwarded-Host': 'localhost' })).status).to.equal(403)
      expect((await ask({ Origin: `https://${NAME}`, 'X-Forwarded-Host': NAME })).status).to.equal(403)
    })
  })

  it('two Host headers are refused, and so are two credentials: the connection is closed', async () => {
    await serving({}, async (_ask, port) => {
      for (const [name, lines] of [
        ['Host', 'Host: localhost\r\nHost: evil.example\r\n'],
        ['Host', 'Host: localhost\r\nHOST: localhost\r\n'],
        ['Authorization', 'Host: localhost\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n']
      ]) {
        const answer = await rawAnswer(
          port,
          `GET /api/v2/dags HTTP/1.1\r\n${lines}\r\nGET /api/v2/health HTTP/1.1\r\n\r\n`
        )
        expect(answer, lines).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
        expect(answer).to.contain(`"message":"${name}: wanted one, found 2"`).and.contain('Connection: close')
        expect(answer.match(/HTTP\/1\.1 /g), 'what follows is not read').to.have.length(1)
      }
    })
  })
})

/** Everything that comes until the server closes. */
const rawAnswer = (port: number, text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (bytes) => {
      answer += bytes
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
