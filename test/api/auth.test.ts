/** Who gets in, and who may do what. Source: api-semantics 9.1, 9.2, 14.25; http-api "Authentication". */
import { randomBytes, scryptSync } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Router from '@koa/router'
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { guardOf } from '../../src/api/auth/permissions.ts'
import { PUBLIC_PATHS } from '../../src/api/contract/operations.ts'
import { limitedServer, serve } from '../../src/api/server.ts'
import { type Config, readConfig, type Settings } from '../../src/config.ts'
import { handClock } from '../support/fake-cli-engine.ts'
import { fakeEngine, planOf } from '../support/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'
import { served } from './client.ts'

const configOf = (settings: Settings['settings'] = {}): Config =>
  readConfig({ home: '/nowhere', tz: 'UTC', settings }, {})

const basicHeader = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The API with these settings, for the tests of a `describe`. */
function apiWith(settings: Settings['settings']) {
  const { auth, permissions, metrics, basePath, apiBasePath } = configOf(settings)
  const engine = fakeEngine({ auth, permissions, metrics, basePath, apiBasePath }, { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>> | undefined
  before(async () => {
    api = await served(engine)
  })
  after(() => api?.close())
  const send = async (method: string, path: string, authorization?: string, whole = false, body = {}) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization }
    const sent = { headers, ...(method === 'POST' ? { body } : {}) }
    return whole ? api?.callAt(method, path, sent) : api?.call(method, path, sent)
  }
  return {
    engine,
    send: async (...args: Parameters<typeof send>) => (await send(...args)) ?? expect.fail('it is not served'),
    status: async (...args: Parameters<typeof send>) => (await send(...args))?.status
  }
}

describe('API › authentication: basic', () => {
  const { send, status } = apiWith({ 'auth.basic.username': 'admin', 'auth.basic.password': 'pass:word é' })

  it('missing or invalid credentials give 401 unauthorized, with a JSON body and WWW-Authenticate', async () => {
    for (const header of [
      undefined,
      '',
      'Basic',
      'Basic !!!',
      basicHeader('admin', 'pass:word'),
      basicHeader('Admin', 'pass:word é'),
      basicHeader('', ''),
      'Bearer pass:word'
    ]) {
      const { status, headers, json } = await send('GET', '/dags', header)
      expect(status, header).to.equal(401)
      expect(headers['www-authenticate']).to.equal('Basic realm="restricted"')
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(json).to.deep.equal({
        code: 'unauthorized',
        message: header ? 'the credentials are wrong' : 'wanted credentials, found none'
      })
    }
  })

  it('the right ones let the request in', async () => {
    expect(await status('GET', '/dags', basicHeader('admin', 'pass:word é'))).to.equal(200)
    expect(await status('POST', '/dags/hello/start', basicHeader('admin', 'pass:word é'))).to.equal(200)
  })

  it('S7 GET /health, the document, its page and OPTIONS are public; /metrics is not', async () => {
    expect(PUBLIC_PATHS).to.deep.equal(['/health', '/openapi.json', '/docs', '/docs.css'])
    for (const path of PUBLIC_PATHS) expect(await status('GET', path), path).to.equal(200)
    expect(await status('GET', '/health')).to.equal(200)
    expect(await status('HEAD', '/health')).to.equal(200)
    expect(await status('GET', '/health/')).to.equal(301)
    expect(await status('OPTIONS', '/dags')).to.not.equal(401)
    for (const path of ['/metrics', '/health/x', '/HEALTH', '/health%2f', '/../v2/dags', '/health/../dags', '//health'])
      expect(await status('GET', path), path).to.equal(401)
    expect(await status('POST', '/health')).to.equal(401)
  })

  it('S8 what is no route needs credentials too', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/nowhere'],
      ['GET', '/api/v1/nowhere'],
      ['PUT', '/api/v2/dags']
    ] as const)
      expect(await status(method, path, undefined, true), path).to.equal(401)
  })
})

describe('API › authentication: a hash instead of the password', () => {
  const salt = randomBytes(16)
  const hash = scryptSync('secret', salt, 32, { N: 2 ** 10, r: 8, p: 1 })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const { status } = apiWith({
    'auth.basic.username': 'admin',
    'auth.basic.passwordHash': `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`
  })
  it('S5 auth.basic.passwordHash (scrypt)', async () => {
    expect(await status('GET', '/dags', basicHeader('admin', 'wrong'))).to.equal(401)
    expect(await status('GET', '/dags', basicHeader('admin', 'secret'))).to.equal(200)
    expect(await status('GET', '/dags', basicHeader('other', 'secret'))).to.equal(401)
    expect(await status('GET', '/dags', basicHeader('admin', 'secret'))).to.equal(200)
    const all = ['secret', 'wrong', 'secret'].map((password) => status('GET', '/dags', basicHeader('admin', password)))
    expect(await Promise.all(all)).to.deep.equal([200, 401, 200])
  })
})

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

const ROWS = {
  writeDAGs: ['POST /dags', 'DELETE /dags/hello', 'PUT /dags/hello/spec', 'POST /dags/hello/rename'],
  runDAGs: [
    'POST /dags/hello/start',
    'POST /dags/hello/enqueue',
    'POST /dags/hello/stop-all',
    'POST /dags/hello/suspend',
    'POST /dag-runs',
    'POST /dag-runs/enqueue',
    'POST /dag-runs/hello/r/stop',
    'POST /dag-runs/hello/r/retry',
    'POST /dag-runs/hello/r/reschedule',
    'GET /dag-runs/hello/r/dequeue',
    'POST /dag-runs/hello/r/dequeue',
    'DELETE /dag-runs/hello/r/dequeue',
    'PATCH /dag-runs/hello/r/steps/s/status',
    'PATCH /dag-runs/hello/r/sub-dag-runs/s/steps/s/status',
    'PATCH /dag-runs/hello/r/children/s/steps/s/status'
  ]
}

/** What `POST /api/v1/dags/{name}` can be told to do, by the same two switches. */
const ACTIONS = {
  writeDAGs: ['save', 'rename'],
  runDAGs: ['start', 'suspend', 'stop', 'retry', 'mark-success', 'mark-failed']
}

describe('API › 9.2 permissions', () => {
  for (const off of ['writeDAGs', 'runDAGs'] as const) {
    const other = off === 'writeDAGs' ? 'runDAGs' : 'writeDAGs'
    describe(`permissions.${off} off`, () => {
      const { send, status, engine } = apiWith({ [`permissions.${off}`]: false })
      it('each operation of its row is 403 forbidden, before any look-up', async () => {
        for (const row of ROWS[off]) {
          const [method = '', path = ''] = row.split(' ')
          for (const place of [path, path.replace('hello', 'missing'), path.replace('hello', 'bad name')]) {
            const { status, json } = await send(method, place.replace(' ', '%20'))
            expect([status, json], row).to.deep.equal([
              403,
              { code: 'forbidden', message: `permissions.${off} is off on this server` }
            ])
          }
        }
        expect(engine.started).to.deep.equal([])
      })
      it('the operations of the other row are not', async () => {
        for (const row of ROWS[other]) {
          const [method = '', path = ''] = row.split(' ')
          expect(await status(method, path), row).to.not.equal(403)
        }
      })
      it('the actions of version 1 follow the same rows', async () => {
        for (const [flag, actions] of Object.entries(ACTIONS))
          for (const action of actions) {
            const body = { action, value: 'true', requestId: 'r', step: 's' }
            const { status, json } = await send('POST', '/api/v1/dags/hello', undefined, true, body)
            if (flag !== off) expect(status, action).to.not.equal(403)
            else expect([status, json.message], action).to.deep.equal([403, `permissions.${off} is off on this server`])
          }
      })
    })
  }

  describe('14.25 both flags off', () => {
    const { status } = apiWith({
      'permissions.writeDAGs': false,
      'permissions.runDAGs': false,
      'auth.token.value': 'sesame'
    })
    it('each row of 9.2 is 403 and GETs still work, after authentication', async () => {
      for (const row of [...ROWS.writeDAGs, ...ROWS.runDAGs]) {
        const [method = '', path = ''] = row.split(' ')
        expect(await status(method, path, 'Bearer sesame'), row).to.equal(403)
        expect(await status(method, path), row).to.equal(401)
      }
      for (const path of ['/dags', '/dags/hello', '/dags/hello/spec', '/dag-runs', '/health'])
        expect(await status('GET', path, 'Bearer sesame'), path).to.equal(200)
      expect(await status('POST', '/dags/validate', 'Bearer sesame')).to.equal(200)
    })
  })

  it('a route that says no permission keeps the API from starting', () => {
    const router = new Router({ prefix: '/api/v2' })
    router.get('/anything', () => {})
    const guard = guardOf(router, '/api/v2', 'v2', configOf())
    guard.close()
    router.post('/anything', () => {})
    expect(() => guard.close()).to.throw('POST /api/v2/anything says no permission')
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

describe('API › authentication and where it listens', () => {
  it('with authentication it listens beyond loopback', async () => {
    const { auth } = configOf({ 'auth.token.value': 'sesame' })
    const server = await serve(fakeEngine({ auth }), { host: '0.0.0.0', port: 0 })
    expect(server.address).to.match(/^http:\/\/0\.0\.0\.0:/)
    await server.close()
  })

  it("the owner's socket needs no credentials and knows no flags", async () => {
    const socketPath = join(temporaryFolder(), 'api.sock')
    const { auth, permissions } = configOf({ 'auth.token.value': 'sesame', 'permissions.runDAGs': false })
    const server = await serve(fakeEngine({ auth, permissions }, { hello: planOf('hello') }), { socketPath })
    const sent = (method: string, path: string) =>
      new Promise((resolve, reject) => {
        request({ socketPath, method, path }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await sent('GET', '/api/v2/dags')).to.equal(200)
    expect(await sent('POST', '/api/v2/dags/hello/start')).to.equal(200)
    await server.close()
  })
})

describe('API › 14.32 basePath /eng', () => {
  const { status, send } = apiWith({ basePath: '/eng' })
  const at = (path: string) => status('GET', path, undefined, true)
  it('API answers at /eng/api/v2/health, not at /api/v2/health; outside the base path is 404', async () => {
    expect(await at('/eng/api/v2/health')).to.equal(200)
    expect(await at('/eng/api/v2/dags/hello')).to.equal(200)
    expect(await at('/eng/api/v2/dags/')).to.equal(301)
    expect(await at('/eng/api/v1/dags')).to.equal(200)
    for (const path of ['/api/v2/health', '/api/v2/dags', '/', '/engine/api/v2/health']) {
      const { status, json } = await send('GET', path, undefined, true)
      expect([status, json.code], path).to.deep.equal([404, 'not_found'])
    }
  })
})

describe('API › apiBasePath', () => {
  const { status } = apiWith({ apiBasePath: '/rest', 'auth.token.value': 'sesame', 'permissions.runDAGs': false })
  it('moves the API, its public path and its permissions', async () => {
    expect(await status('GET', '/rest/health', undefined, true)).to.equal(200)
    expect(await status('GET', '/api/v2/health', undefined, true)).to.equal(401)
    expect(await status('POST', '/rest/dags/hello/start', 'Bearer sesame', true)).to.equal(403)
  })
})
