/** Who gets no session with OpenID Connect: what is stolen, changed, not listed, or cannot be asked, against a real provider. Source: api-semantics 9.1 S1-S3, S6. */
import { expect } from 'chai'
import { browser, openServer } from '../../support/auth/identity-provider.ts'
import { CLIENT, sessionOf, signInScene } from '../../support/auth/sign-in-scene.ts'

describe('API › sign-in with OpenID Connect', () => {
  const { at, faults, login, dags } = signInScene()

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
    expect(replay.text).to.contain('already used')
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
