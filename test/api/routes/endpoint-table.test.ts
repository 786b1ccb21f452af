/** The endpoint tables of the document against the router's own list of routes. Source: http-api "Endpoints"; api-semantics 9.1, 9.2. */
import { expect } from 'chai'
import { PUBLIC_PATHS } from '../../../src/api/contract/operations.ts'
import { type Config, readConfig, type Settings } from '../../../src/config.ts'
import { BESIDE, DOCUMENTED, VERSION_1 } from '../../support/api/endpoint-rows.ts'
import { everyRoute, type Route } from '../../support/api/every-route.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

const shown = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const routes = everyRoute()
const ofVersion = (version: Route['version']) => routes.filter((route) => route.version === version)

/** Where no credentials are asked for; a preflight is no route. */
const PUBLIC = PUBLIC_PATHS.flatMap((path) => [`v2 GET ${path}`, `v2 HEAD ${path}`])
/** What needs no permission, beside what is public. */
const FREE = ['v2 POST /dags/validate', 'v1 GET /health', 'v1 HEAD /health']

describe('API › the endpoint tables', () => {
  const own = ofVersion('v2').map(shown)
  for (const row of DOCUMENTED)
    it(`${shown(row)} has a route`, () => {
      expect(own).to.include(shown(row))
    })

  it('what stands beside them (api-semantics 3.1, R11, 12, A1) has routes', () => {
    expect(own).to.include.members(BESIDE.map(shown))
  })

  it('version 1 is still available', () => {
    expect(ofVersion('v1').map(shown)).to.include.members(VERSION_1.map(shown))
  })

  it('there is no other route, and none twice', () => {
    const known = new Set([...DOCUMENTED, ...BESIDE].map(shown))
    const others = own.filter((route) => !route.startsWith('HEAD ') && !known.has(route))
    expect(others).to.deep.equal([])
    expect(own.length).to.equal(new Set(own).size)
  })
})

/** Wrong tries of one address before it has to wait. */
const FREE_TRIES = 9

const configOf = (settings: Settings['settings']): Partial<Config> => {
  const { auth, permissions } = readConfig({ home: '/nowhere', tz: 'UTC', settings: settings ?? {} }, {})
  return { auth, permissions }
}

/** Every answer of these routes to this header. */
async function answers(settings: Settings['settings'], asked: readonly Route[], authorization?: string) {
  const engine = fakeEngine(configOf(settings), { hello: planOf('hello') })
  const api = await served(engine)
  try {
    const found: Record<string, string> = {}
    for (const { method, version, path, example } of asked) {
      const headers = authorization === undefined ? {} : { Authorization: authorization }
      // Nothing is to be looked at before the caller is known: a body that is no JSON does not matter.
      const { status, json } = await api.callAt(method, example, {
        headers,
        ...(/^(GET|HEAD)$/.test(method) ? {} : { body: '{' })
      })
      found[`${version} ${method} ${path}`] = json?.code ? `${status} ${json.code}` : String(status)
    }
    expect(engine.started).to.deep.equal([])
    return found
  } finally {
    await api.close()
  }
}
const expected = (asked: readonly Route[], answer: (method: string) => string) =>
  Object.fromEntries(asked.map(({ version, method, path }) => [`${version} ${method} ${path}`, answer(method)]))
const without = (names: readonly string[]) =>
  routes.filter(({ version, method, path }) => !names.includes(`${version} ${method} ${path}`))
/** A HEAD has no body to hold a code. */
const refused = (status: number, code: string) => (method: string) =>
  method === 'HEAD' ? String(status) : `${status} ${code}`

describe('API › every route of the router', () => {
  const guarded = without(PUBLIC)

  for (const [what, settings, wrong] of [
    ['basic', { 'auth.basic.username': 'admin', 'auth.basic.password': 'secret' }, 'Basic YWRtaW46eA=='],
    ['token', { 'auth.token.value': 'sesame' }, 'Bearer sesam']
  ] as const) {
    it(`missing credentials give 401 unauthorized, but for GET /health and the API's description of itself (${what})`, async () => {
      expect(guarded.length).to.be.greaterThan(60)
      expect(await answers(settings, guarded)).to.deep.equal(expected(guarded, refused(401, 'unauthorized')))
      const open = routes.filter((route) => !guarded.includes(route))
      expect(await answers(settings, open)).to.deep.equal(expected(open, () => '200'))
      expect(open.map(({ path }) => path)).to.include('/health')
    })

    it(`invalid credentials give 401 unauthorized (${what})`, async () => {
      for (let from = 0; from < guarded.length; from += FREE_TRIES) {
        const some = guarded.slice(from, from + FREE_TRIES)
        expect(await answers(settings, some, wrong)).to.deep.equal(expected(some, refused(401, 'unauthorized')))
      }
    })
  }

  it('insufficient permission gives 403 forbidden: no route but validate and health serves a token that may do nothing there', async () => {
    const asked = without([...PUBLIC, ...FREE])
    const reads = asked.filter(({ method, path }) => /^(GET|HEAD)$/.test(method) && !path.endsWith('/dequeue'))
    const changes = asked.filter((route) => !reads.includes(route))
    const token = (permissions: string[]) => ({ 'auth.tokens': [{ name: 'part', value: 'part', permissions }] })
    const forbidden = refused(403, 'forbidden')
    expect(await answers(token(['run', 'write']), reads, 'Bearer part')).to.deep.equal(expected(reads, forbidden))
    expect(await answers(token(['read']), changes, 'Bearer part')).to.deep.equal(expected(changes, forbidden))
    // Who lets others in gives them no more than he has.
    const others = changes.filter(({ path }) => !path.startsWith('/access/'))
    const fair = await answers(token(['run', 'write']), others, 'Bearer part')
    expect(Object.values(fair).filter((answer) => /^40[13]/.test(answer))).to.deep.equal([])
  })

  it('9.2 with both flags off every route that changes something is 403 forbidden, and no other', async () => {
    const settings = { 'permissions.writeDAGs': false, 'permissions.runDAGs': false }
    const asked = without([...PUBLIC, ...FREE])
    const found = await answers(settings, asked)
    const off = asked.filter(({ method, path }) => !/^(GET|HEAD)$/.test(method) || path.endsWith('/dequeue'))
    for (const { version, method, path } of asked) {
      const isOff = off.some((route) => route.version === version && route.method === method && route.path === path)
      expect((found[`${version} ${method} ${path}`] ?? '').startsWith('403'), `${method} ${path}`).to.equal(isOff)
    }
  })
})
