/** Sign-in with OpenID Connect, from the first visit to the end of the session, against a real provider. Source: api-semantics 9.1 S1-S3, S6. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect } from 'chai'
import { browser } from '../../support/auth/identity-provider.ts'
import { CLIENT, sessionOf, signInScene } from '../../support/auth/sign-in-scene.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › sign-in with OpenID Connect', () => {
  const { at, later, alarms, login, dags, issuer } = signInScene()

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
