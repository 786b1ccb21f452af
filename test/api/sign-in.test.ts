/** Sign-in with OpenID Connect, against a real provider. Source: api-semantics 9.1 S1-S3, S6. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import { readConfig, type Settings } from '../../src/config.ts'
import { fakeEngine, planOf } from '../support/fake-engine.ts'
import { browser, identityProvider, openServer } from '../support/identity-provider.ts'
import { eventually } from '../support/waiting.ts'

const CLIENT = { clientId: 'troupe', clientSecret: 'a secret: with/odd+letters' }

/** A server with sign-in at a provider, for the tests of a `describe`. */
function signInScene(settings: Settings['settings'] = {}, options: { posts?: boolean; secure?: boolean } = {}) {
  let shift = 0
  const alarms = new Map<() => void, number>()
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + shift,
    at(dueAt, ring) {
      alarms.set(ring, dueAt)
      return () => void alarms.delete(ring)
    }
  }
  const faults: string[] = []
  const parts = { address: '', issuer: '', close: async () => {} }
  before(async () => {
    const troupe = await openServer()
    const base = String(settings.basePath ?? '')
    const provider = await identityProvider({ ...CLIENT, ...options, clientUrl: troupe.address + base })
    const config = readConfig(
      {
        home: '/nowhere',
        tz: 'UTC',
        settings: {
          'auth.oidc.clientId': CLIENT.clientId,
          'auth.oidc.clientSecret': CLIENT.clientSecret,
          'auth.oidc.clientUrl': troupe.address + base,
          'auth.oidc.issuer': provider.issuer,
          ...settings
        }
      },
      {}
    )
    const engine = fakeEngine(config, { hello: planOf('hello') })
    const log = (message: string, cause: unknown) => void faults.push(`${message}: ${String(cause)}`)
    troupe.answerWith(createApp(engine, { clock, log }).callback())
    Object.assign(parts, {
      address: troupe.address,
      issuer: provider.issuer,
      async close() {
        troupe.server.closeAllConnections()
        await new Promise((resolve) => troupe.server.close(resolve))
        await provider.close()
      }
    })
  })
  after(() => parts.close())
  afterEach(() => {
    shift = 0
  })
  const at = (path: string) => parts.address + path
  return {
    at,
    faults,
    issuer: () => parts.issuer,
    later(ms: number) {
      shift = ms
      for (const [ring, dueAt] of alarms) if (dueAt <= clock.now()) ring()
    },
    alarms,
    login: (query = '') => at(`${settings.basePath ?? ''}/oidc-login${query}`),
    dags: () => at(`${settings.basePath ?? ''}/api/v2/dags`)
  }
}

const sessionOf = (visitor: ReturnType<typeof browser>) => visitor.jar.find(({ name }) => name === 'oidcToken')

describe('API › sign-in with OpenID Connect', () => {
  const { at, faults, later, alarms, login, dags, issuer } = signInScene()

  it('without a session: 401 with Bearer realm for the API, the provider for a page', async () => {
    const api = await browser().send(dags())
    expect([api.status, api.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer realm="restricted"'])
    const page = await browser().send(at('/some/page?x=1'))
    expect([page.status, page.headers.get('location')]).to.deep.equal([
      302,
      '/oidc-login?returnTo=%2Fsome%2Fpage%3Fx%3D1'
    ])
    const program = await browser().send(at('/some/page'), { headers: { Accept: 'application/json' } })
    expect(program.status).to.equal(401)
  })

  it('the way to the provider has code flow, PKCE (S256), state and nonce; cookies live 120 s', async () => {
    const page = await browser().send(login())
    const target = new URL(page.headers.get('location') ?? '')
    expect(target.origin).to.equal(issuer())
    const query = Object.fromEntries(target.searchParams)
    expect(query).to.include({
      response_type: 'code',
      client_id: 'troupe',
      redirect_uri: at('/oidc-callback'),
      scope: 'openid profile email',
      code_challenge_method: 'S256'
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query[name], name).to.have.length.greaterThan(40)
    const cookies = page.headers.getSetCookie()
    expect(cookies.map((line) => line.split('=')[0])).to.deep.equal(['state', 'nonce', 'codeVerifier', 'originalURL'])
    for (const line of cookies) expect(line).to.match(/; Path=\/oidc-callback; Max-Age=120; HttpOnly; SameSite=Lax$/)
    expect(page.headers.get('cache-control')).to.equal('no-store')
  })

  it('after signing in the session cookie lets API calls in, and the visitor is where they wanted to go', async () => {
    const visitor = browser()
    const page = await visitor.signIn(at('/some/page?x=1'), 'ann')
    expect(page.url).to.equal(at('/some/page?x=1'))
    expect(page.status, 'there is no page, but no refusal either').to.equal(404)
    const answer = await visitor.send(dags())
    expect(answer.status).to.equal(200)
    const started = await visitor.send(at('/api/v2/dags/hello/start'), { method: 'POST' })
    expect(started.status).to.equal(200)
    expect(visitor.jar.filter(({ origin }) => origin === at('')).map(({ name }) => name)).to.deep.equal(['oidcToken'])
  })

  it('the session cookie is HttpOnly and SameSite=Lax, and ends with the token', async () => {
    const visitor = browser()
    const stopped = await visitor.signIn(login(), 'ann', (next) => next.includes('/oidc-callback?'))
    const page = await visitor.send(stopped.url)
    const line = page.headers.getSetCookie().find((line) => line.startsWith('oidcToken='))
    expect(line).to.match(/; Path=\/; Max-Age=3(600|59\d); HttpOnly; SameSite=Lax$/)
  })

  it('the ID token counts as bearer; a changed, foreign or unsigned one does not', async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    const token = sessionOf(visitor)?.value ?? ''
    const status = async (bearer: string) =>
      (await browser().send(dags(), { headers: { Authorization: `Bearer ${bearer}` } })).status
    expect(await status(token)).to.equal(200)
    const [head = '', body = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const signed = (claims: object, key: KeyObject) => {
      const content = `${head}.${text(claims)}`
      return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
    }
    const symmetric = `${text({ alg: 'HS256' })}.${body}`
    const wrong = {
      changed: `${head}.${text({ ...claims, sub: 'root' })}.${signature}`,
      unsigned: `${text({ alg: 'none' })}.${body}.`,
      'signed with another key': signed(claims, privateKey),
      'signed with the client secret': `${symmetric}.${createHmac('sha256', CLIENT.clientSecret).update(symmetric).digest('base64url')}`,
      'no token': 'x.y.z'
    }
    for (const [what, token] of Object.entries(wrong)) expect(await status(token), what).to.equal(401)
  })

  it('a session ends when its token has expired', async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    expect((await visitor.send(dags())).status).to.equal(200)
    later(3_601_000)
    expect((await visitor.send(dags())).status).to.equal(401)
  })

  it('logout ends the session: the cookie is cleared, and its token no longer counts', async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    const token = sessionOf(visitor)?.value ?? ''
    const out = await visitor.send(at('/oidc-logout'), { method: 'POST' })
    expect(out.status).to.equal(204)
    expect(sessionOf(visitor)).to.equal(undefined)
    const again = await browser().send(dags(), { headers: { Cookie: `oidcToken=${token}` } })
    expect(again.status).to.equal(401)
    expect((await browser().send(at('/oidc-logout'))).status, 'a link does not log out').to.not.equal(204)
  })

  it('a stream of events that is open ends with the session: with its logout, and when its token expires', async () => {
    const ends = [
      async (visitor: ReturnType<typeof browser>) => void (await visitor.send(at('/oidc-logout'), { method: 'POST' })),
      async () => later(3_601_000)
    ]
    for (const end of ends) {
      const [visitor, other] = [browser(), browser()]
      for (const [who, name] of [[visitor, 'ann'] as const, [other, 'bob'] as const]) await who.signIn(login(), name)
      const opened = (who: ReturnType<typeof browser>, headers: Record<string, string> = {}) =>
        fetch(at('/api/v2/events'), { headers: { Cookie: `oidcToken=${sessionOf(who)?.value}`, ...headers } })
      const streams = await Promise.all([opened(visitor), opened(other)])
      expect(streams.map(({ status }) => status)).to.deep.equal([200, 200])
      await end(visitor)
      expect(await streams[0]?.text()).to.equal(': the journal\n\n')
      const isOpen = alarms.size === 1
      expect(isOpen, 'the other session lasts until its token expires').to.equal(end === ends[0])
      await streams[1]?.body?.cancel()
      await eventually('nobody waits for the end of a stream that is gone', async () => alarms.size === 0 || undefined)
    }
  })

  it('a replayed state is refused', async () => {
    const visitor = browser()
    const { url } = await visitor.signIn(login(), 'ann', (next) => next.includes('/oidc-callback?'))
    const cookies = visitor.jar.map((cookie) => ({ ...cookie }))
    expect((await visitor.send(url)).status).to.equal(302)
    const withoutCookies = await visitor.send(url)
    expect([withoutCookies.status, sessionOf(visitor) !== undefined]).to.deep.equal([400, true])
    const thief = browser()
    thief.jar.push(...cookies)
    const replay = await thief.send(url)
    expect(replay.status).to.equal(400)
    expect(sessionOf(thief)).to.equal(undefined)
    expect(replay.text).to.contain('used already')
  })

  it('a state of another browser is refused, and so is none', async () => {
    const victim = browser()
    await victim.send(login())
    const attacker = browser()
    const { url } = await attacker.signIn(login(), 'eve', (next) => next.includes('/oidc-callback?'))
    expect((await victim.send(url)).status).to.equal(400)
    expect((await browser().send(at('/oidc-callback?code=x'))).status).to.equal(400)
    expect((await browser().send(at('/oidc-callback?code=x&state='))).status).to.equal(400)
  })

  it('a code without its PKCE verifier, or with another nonce, gives no session', async () => {
    for (const name of ['codeVerifier', 'nonce']) {
      const visitor = browser()
      const { url } = await visitor.signIn(login(), 'ann', (next) => next.includes('/oidc-callback?'))
      for (const cookie of visitor.jar) if (cookie.name === name) cookie.value = 'x'.repeat(43)
      const page = await visitor.send(url)
      expect([page.status, sessionOf(visitor)], name).to.deep.equal([401, undefined])
    }
    expect(faults.length).to.equal(2)
    expect(faults.join()).to.not.contain(CLIENT.clientSecret)
  })

  it('returnTo leads nowhere but to this server', async () => {
    for (const elsewhere of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      '%'
    ]) {
      const visitor = browser()
      const page = await visitor.signIn(login(`?returnTo=${encodeURIComponent(elsewhere)}`), 'ann')
      expect(new URL(page.url).origin, elsewhere).to.equal(at(''))
    }
  })

  it('a request of a foreign page is still refused, a visit from one is not', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' }
    expect((await browser().send(dags(), { headers })).status).to.equal(403)
    expect((await browser().send(at('/page'), { headers })).status).to.equal(302)
    const script = { ...headers, 'Sec-Fetch-Dest': 'empty' }
    expect((await browser().send(at('/page'), { headers: script })).status).to.equal(403)
  })
})

describe('API › sign-in: whitelist', () => {
  const { at, login, dags } = signInScene(
    { basePath: '/eng', 'auth.oidc.whitelist': ['Ann@Example.org'] },
    { posts: true }
  )

  it('who is listed comes in, below the base path, also with a provider that wants the secret in the body', async () => {
    const visitor = browser()
    const page = await visitor.signIn(login(), 'ann')
    expect(page.url).to.equal(at('/eng/'))
    expect(sessionOf(visitor)?.path).to.equal('/eng/')
    expect((await visitor.send(dags())).status).to.equal(200)
  })

  it('who is not listed gets a 403 page and no session', async () => {
    const visitor = browser()
    const page = await visitor.signIn(login(), 'eve')
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([403, 'text/html; charset=utf-8'])
    expect(page.text).to.contain('eve@elsewhere.example may not sign in here.')
    expect(sessionOf(visitor)).to.equal(undefined)
    expect((await visitor.send(dags())).status).to.equal(401)
  })
})

describe('API › sign-in beside other methods', () => {
  const { login, dags } = signInScene({ 'auth.token.value': 'sesame' })
  it('S2 a wrong bearer does not shut out a good session; a token works beside it', async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    expect((await visitor.send(dags(), { headers: { Authorization: 'Bearer wrong' } })).status).to.equal(200)
    expect((await browser().send(dags(), { headers: { Authorization: 'Bearer sesame' } })).status).to.equal(200)
    expect((await browser().send(dags(), { headers: { Authorization: 'Bearer wrong' } })).status).to.equal(401)
  })
})

describe('API › sign-in with a provider that is not the one that auth.oidc.issuer names', () => {
  const answers: Record<string, string> = {}
  let other: Awaited<ReturnType<typeof openServer>>
  const settings: Record<string, string> = {}
  before(async () => {
    other = await openServer()
    settings['auth.oidc.issuer'] = `${other.address}/realm`
    other.answerWith((request, response) => {
      const text = answers[request.url ?? '']
      response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(text)
    })
  })
  after(() => new Promise((resolve) => other.server.close(resolve)))
  const { login } = signInScene(settings)
  const told = async () => {
    const { status, text } = await browser().send(login())
    return [status, JSON.parse(text)]
  }
  const refused = (message: string) => [503, { code: 'service_unavailable', message }]

  it('503 service_unavailable with what was wanted and found: it has answered', async () => {
    const issuer = `${other.address}/realm`
    expect(await told()).to.deep.equal(
      refused(`auth.oidc.issuer: wanted the address of a sign-in provider, found nothing of one at ${issuer}`)
    )
    answers['/realm/.well-known/openid-configuration'] = JSON.stringify({ issuer: other.address })
    expect(await told()).to.deep.equal(
      refused(`auth.oidc.issuer: wanted ${other.address}, as the sign-in provider calls itself, found ${issuer}`)
    )
  })
})

describe('API › sign-in with a provider that is away', () => {
  const { login, dags, at } = signInScene({ 'auth.oidc.issuer': 'http://127.0.0.1:1', 'auth.token.value': 'sesame' })
  it('503 service_unavailable, and tokens go on working', async () => {
    const page = await browser().send(login())
    expect(page.status).to.equal(503)
    expect(JSON.parse(page.text)).to.deep.equal({
      code: 'service_unavailable',
      message: 'the sign-in provider does not answer'
    })
    expect((await browser().send(dags(), { headers: { Authorization: 'Bearer sesame' } })).status).to.equal(200)
    expect((await browser().send(at('/api/v2/health'))).status).to.equal(200)
  })
})
