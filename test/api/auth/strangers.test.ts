/** What credentials open, and what they do not: every route of both versions. Source: api-semantics 9.1 S5, S8, 9.2; http-api "Authentication". */
import { expect } from 'chai'
import { everyRoute, type Route } from '../../support/api/every-route.ts'
import { ACTIONS, apiWith, basicHeader } from '../api-with.ts'

const SPEC = 'steps:\n  - echo other\n'
/** A body that each route takes, whatever it is for. */
const BODY = { name: 'fresh', spec: SPEC, newFileName: 'fresh', suspend: true, status: 4 }
/** Of version 1, in which one path does many things. */
const BY_ACTION = 'POST /dags/{fileName}'
const isByAction = ({ version, method, path }: Route) => version === 'v1' && `${method} ${path}` === BY_ACTION
const routes = everyRoute()
const isRead = ({ method, path }: Route) => (method === 'GET' || method === 'HEAD') && !path.endsWith('/dequeue')
const isValidate = ({ path }: Route) => path === '/dags/validate'
const named = ({ version, method, path }: Route) => `${version} ${method} ${path}`

describe('API › what a token may not do', () => {
  const { status, send, engine } = apiWith({
    'auth.tokens': [
      { name: 'reader', value: 'read', permissions: ['read'] },
      { name: 'runner', value: 'run', permissions: ['read', 'run'] },
      { name: 'writer', value: 'write', permissions: ['read', 'write'] }
    ]
  })
  before(() => {
    engine.addRun({ name: 'hello', dagRunId: 'queued', status: 'queued' })
    engine.addRun({ name: 'hello', dagRunId: 'hello', status: 'running' })
  })
  const state = () => JSON.stringify([engine.started, [...engine.texts], [...engine.suspended], engine.runs()])
  const changing = routes.filter((route) => !isRead(route) && !isValidate(route) && !isByAction(route))
  const all = Object.values(ACTIONS).flat()
  const act = (token: string, action: string) => {
    const body = { action, value: 'true', requestId: 'hello', step: 's' }
    return send('POST', '/api/v1/dags/hello', `Bearer ${token}`, true, body)
  }

  it('read alone: every operation that changes something is 403, of both versions, the GET that dequeues too', async () => {
    const before = state()
    expect(changing.map(named)).to.include('v2 GET /dag-runs/{name}/{dagRunId}/dequeue')
    for (const route of changing)
      expect(await status(route.method, route.example, 'Bearer read', true, BODY), named(route)).to.equal(403)
    for (const action of all) expect((await act('read', action)).status, action).to.equal(403)
    expect(await status('GET', '/dag-runs/hello/queued/dequeue', 'Bearer read')).to.equal(403)
    expect(state()).to.equal(before)
  })

  it('run without write: no definition is written, renamed or deleted, and no text is started', async () => {
    const before = state()
    for (const [method, path] of [
      ['POST', '/dags'],
      ['PUT', '/dags/hello/spec'],
      ['DELETE', '/dags/hello'],
      ['POST', '/dags/hello/rename'],
      ['POST', '/dag-runs'],
      ['POST', '/dag-runs/enqueue'],
      ['POST', '/api/v1/dags'],
      ['DELETE', '/api/v1/dags/hello']
    ] as const)
      expect(await status(method, path, 'Bearer run', path.startsWith('/api'), BODY), `${method} ${path}`).to.equal(403)
    for (const action of ACTIONS.writeDAGs) expect((await act('run', action)).status, action).to.equal(403)
    expect(state()).to.equal(before)
  })

  it('write without run: nothing is started, stopped, queued or changed in a run', async () => {
    const before = state()
    const own = /^\/dags(?:\/\{fileName\}(?:\/spec|\/rename)?)?$/
    const others = changing.filter(({ path }) => !own.test(path))
    expect(others.length).to.be.greaterThan(12)
    for (const route of others)
      expect(await status(route.method, route.example, 'Bearer write', true, BODY), named(route)).to.equal(403)
    for (const action of ACTIONS.runDAGs) expect((await act('write', action)).status, action).to.equal(403)
    expect(state()).to.equal(before)
  })
})

describe('API › odd forms of basic credentials', () => {
  const { status } = apiWith({
    'auth.basic.username': 'admin',
    'auth.basic.password': 'pässe:wort:',
    'auth.token.value': 'sesame'
  })
  const encoded = (bytes: Buffer) => `Basic ${bytes.toString('base64')}`

  it('colons and umlauts of the password are taken, whatever blanks and case the scheme has', async () => {
    const good = basicHeader('admin', 'pässe:wort:')
    for (const header of [good, good.replace('Basic ', 'bASIC  '), `${good} `])
      expect(await status('GET', '/dags', header), header).to.equal(200)
  })

  it('empty, cut, of another encoding or case, split otherwise, a token in the place of the password: refused', async () => {
    const good = basicHeader('admin', 'pässe:wort:')
    const wrong = [
      'Basic',
      'Basic ',
      'Basic :',
      `Basic admin:pässe`.replace('ä', 'a'),
      basicHeader('', ''),
      basicHeader('admin', ''),
      basicHeader('', 'pässe:wort:'),
      basicHeader('Admin', 'pässe:wort:'),
      basicHeader('admin', 'Pässe:wort:'),
      basicHeader('admin', 'pässe:wort'),
      basicHeader('admin:pässe', 'wort'),
      basicHeader('admin', 'sesame'),
      basicHeader('sesame', ''),
      basicHeader('admin ', 'pässe:wort:'),
      basicHeader('admin\0', 'pässe:wort:'),
      basicHeader('admin', 'pa\u0308sse:wort:'),
      encoded(Buffer.from('admin:pässe:wort:', 'latin1')),
      encoded(Buffer.from('admin:pässe:wort:', 'utf16le')),
      encoded(Buffer.from('adminpässewort')),
      `Basic ${Buffer.from('admin:pässe:wort:').toString('hex')}`,
      good.slice(0, -4),
      `${good}=${good}`,
      `${good}, ${good}`,
      good.replace('Basic', 'Bearer'),
      good.replace('Basic ', 'Basic\t'),
      good.replace('Basic ', '')
    ]
    for (const header of wrong) expect([401, 429], header).to.include(await status('GET', '/dags', header))
  })
})
