/** What counts as a session, and how it ends: every kind of token that a provider signs, against a real provider. Source: api-semantics 9.1 S6; OpenID Connect Core 3.1.3.7. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { signedOutIn } from '../../../src/api/auth/signed-out.ts'
import { browser } from '../../support/auth/identity-provider.ts'
import { CLIENT, sessionOf, signInScene } from '../../support/auth/sign-in-scene.ts'
import { handClock } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

/** The wrong ones come from an address each, so that none is slowed. */
const PROXY = { 'server.trustedProxies': ['127.0.0.1'] }
let clients = 0

/** What is answered to a token, as bearer and as the cookie of a session. */
async function statuses(dags: string, token: string): Promise<number[]> {
  const client = { 'X-Forwarded-For': `203.0.113.${clients++ % 250}` }
  return [
    (await browser().send(dags, { headers: { ...client, Authorization: `Bearer ${token}` } })).status,
    (await browser().send(dags, { headers: { ...client, Cookie: `oidcToken=${token}` } })).status
  ]
}
const IN = [200, 200]
const OUT = [401, 401]

describe('API › sign-in: which tokens are a session', () => {
  const { dags, signed } = signInScene(PROXY)
  const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} }

  for (const [what, claims, header] of [
    ['an ID token', {}, {}],
    ['one that says so in its header', {}, { typ: 'JWT' }],
    ['one that says so in a claim, as of Keycloak', { typ: 'ID', azp: CLIENT.clientId }, { typ: 'JWT' }],
    ['one for several, of which we are the party', { aud: ['other', CLIENT.clientId], azp: CLIENT.clientId }, {}],
    ['one of Amazon Cognito', { token_use: 'id' }, {}]
  ] as const)
    it(`${what} is`, async () => expect(await statuses(dags(), signed(claims, header))).to.deep.equal(IN))

  for (const [what, claims, header] of [
    ['a logout token', { events: LOGOUT, sid: '1' }, { typ: 'logout+jwt' }],
    ['a logout token without a type', { events: LOGOUT }, {}],
    ['a security event', { events: {} }, { typ: 'secevent+jwt' }],
    ['an access token', { client_id: CLIENT.clientId, scope: 'openid' }, { typ: 'at+jwt' }],
    ['an access token by its full type', {}, { typ: 'application/at+JWT' }],
    ['an access token of Keycloak', { typ: 'Bearer', azp: CLIENT.clientId }, { typ: 'JWT' }],
    ['a refresh token of Keycloak', { typ: 'Refresh' }, { typ: 'JWT' }],
    ['an access token of Amazon Cognito', { token_use: 'access' }, {}],
    ['one for another party', { azp: 'other' }, {}],
    ['one for several without a party', { aud: [CLIENT.clientId, 'other'] }, {}],
    ['one for several of another party', { aud: [CLIENT.clientId, 'other'], azp: 'other' }, {}],
    ['one whose party is no text', { azp: [CLIENT.clientId] }, {}],
    ['one for another client', { aud: 'other' }, {}],
    ['one for nobody', { aud: [] }, {}],
    ['one of another issuer', { iss: 'https://other.example' }, {}],
    ['one that has expired', { exp: 1_000 }, {}],
    ['one that does not count yet', { nbf: 9_999_999_999 }, {}],
    ['one without an end', { exp: undefined }, {}],
    ['one of nobody', { sub: undefined }, {}],
    ['one with another key', {}, { kid: 'two' }],
    ['one that wants more to be understood', {}, { crit: ['x'], x: 1 }]
  ] as const)
    it(`${what} is none`, async () => expect(await statuses(dags(), signed(claims, header))).to.deep.equal(OUT))
})

describe('API › sign-in: good credentials are not locked out', () => {
  const { dags, signed } = signInScene()
  it('an ID token and a session let in, however many wrong ones have come from the same address', async () => {
    const asked = async (headers: Record<string, string>) => (await browser().send(dags(), { headers })).status
    const wrong = () => asked({ Authorization: `Bearer ${signed({ aud: 'other' })}` })
    for (let tries = 0; tries < 12; tries++) await wrong()
    expect(await wrong()).to.equal(429)
    const good = signed()
    expect(await asked({ Authorization: `Bearer ${good}` })).to.equal(200)
    expect(await asked({ Cookie: `oidcToken=${good}` })).to.equal(200)
    expect(
      await asked({ Cookie: `oidcToken=${good}`, Authorization: 'Bearer wrong' }),
      'beside a wrong header'
    ).to.equal(200)
    expect(await wrong()).to.equal(429)
  })
})

describe('API › sign-in: whitelist and email_verified', () => {
  const scene = signInScene({ 'auth.oidc.whitelist': ['ann@example.org'] })
  const { dags, signed } = scene
  const ann = (verified: unknown) => signed({ email: 'Ann@Example.org', email_verified: verified })

  it('true lets in, and nothing else does: no text, no number, no absence', async () => {
    expect(await statuses(dags(), ann(true))).to.deep.equal(IN)
    for (const verified of [false, undefined, null, 'true', 'false', 'no', '', 0, 1, {}, [true]])
      expect(await statuses(dags(), ann(verified)), JSON.stringify(verified)).to.deep.equal([403, 403])
  })

  it('somebody else, no e-mail and one that is no text: 403', async () => {
    for (const email of ['eve@example.org', undefined, ['ann@example.org'], 'ann@example.org.evil.example', ''])
      expect(await statuses(dags(), signed({ email, email_verified: true })), String(email)).to.deep.equal([403, 403])
  })

  it("an address that is not verified is nobody's name", async () => {
    const told = async (verified: unknown) =>
      JSON.parse((await browser().send(dags(), { headers: { Authorization: `Bearer ${ann(verified)}` } })).text).message
    expect(await told(false)).to.equal('ann may not sign in here') // as the provider calls him
    expect(await told('true')).to.equal('ann may not sign in here')
  })
})

describe('API › sign-in: auth.oidc.assumeEmailVerified', () => {
  const { dags, signed } = signInScene({
    'auth.oidc.whitelist': ['ann@example.org'],
    'auth.oidc.assumeEmailVerified': true
  })
  it('an address of which the provider says nothing counts as verified; one that it calls unverified does not', async () => {
    const ann = (verified: unknown) => signed({ email: 'ann@example.org', email_verified: verified })
    expect(await statuses(dags(), ann(undefined))).to.deep.equal(IN)
    expect(await statuses(dags(), ann(true))).to.deep.equal(IN)
    for (const verified of [false, null, 'false', 'true', 0])
      expect(await statuses(dags(), ann(verified)), JSON.stringify(verified)).to.deep.equal([403, 403])
  })
})

describe('API › sign-in: sessions end with logout, also after a restart', () => {
  const { at, home, login, dags, restart, faults, signed } = signInScene(PROXY)
  const file = join(home, 'data', 'signed-out.json')
  const loggedOut = async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    const token = sessionOf(visitor)?.value ?? ''
    expect((await visitor.send(at('/oidc-logout'), { method: 'POST' })).status).to.equal(204)
    return token
  }
  beforeEach(() => {
    faults.length = 0
  })
  function isWhole(): boolean {
    try {
      return JSON.parse(readFileSync(file, 'utf8')).issuedAfter > 0
    } catch {
      return false
    }
  }

  it('what was logged out is on disk before that is answered, for its owner only, without the token', async () => {
    const token = await loggedOut()
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(readFileSync(file, 'utf8')).to.not.contain(token.split('.')[2])
    expect(await statuses(dags(), token)).to.deep.equal(OUT)
    restart()
    expect(await statuses(dags(), token)).to.deep.equal(OUT)
    const other = browser()
    await other.signIn(login(), 'bob')
    restart()
    expect((await other.send(dags())).status, 'another session goes on').to.equal(200)
  })

  it('another spelling of the same signature is the same session', async () => {
    const token = await loggedOut()
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = letters.indexOf(token.at(-1) ?? '')
    // The last letter of 256 bytes holds four bits that nobody reads.
    const spellings = Array.from({ length: 16 }, (_, bits) => token.slice(0, -1) + letters[(last & 0b110000) | bits])
    expect(spellings).to.include(token)
    for (const spelling of spellings) expect(await statuses(dags(), spelling)).to.deep.equal(OUT)
  })

  it("who logs out with a foreign page's request, or a GET, stays signed in", async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    expect((await visitor.send(at('/oidc-logout'), { method: 'POST', headers: foreign })).status).to.equal(403)
    await visitor.send(at('/oidc-logout'))
    expect((await visitor.send(dags())).status).to.equal(200)
  })

  it('a file that cannot be understood: everybody signs in again, once, and the log says why', async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    for (const damaged of ['', '{', '[]', 'null', '{"issuedAfter":0}', '{"issuedAfter":0,"ended":{"x":"y"}}']) {
      faults.length = 0
      writeFileSync(file, damaged)
      restart()
      expect((await visitor.send(dags())).status, damaged).to.equal(401)
      expect(faults, damaged).to.have.length(1)
      expect(faults[0]).to.contain('signed-out.json: which sessions were ended cannot be read')
      await eventually('it is known from now on', async () => isWhole() || undefined)
    }
    restart()
    expect((await visitor.send(dags())).status).to.equal(401)
    expect(faults).to.have.length(1)
    const iat = Math.floor(Date.now() / 1_000) + 2
    expect(await statuses(dags(), signed({ iat })), 'who signs in later').to.deep.equal(IN)
  })

  it('a folder that is gone: the session has ended here, and the log says that a restart would not know', async () => {
    rmSync(join(home, 'data'), { recursive: true, maxRetries: 10 }) // the list of sessions may be on its way there
    restart()
    try {
      const token = await loggedOut()
      expect(await statuses(dags(), token)).to.deep.equal(OUT)
      expect(faults.join('\n')).to.contain('signed-out.json: cannot be written')
    } finally {
      mkdirSync(join(home, 'data'))
    }
  })
})

describe('API › sign-in: what is kept of sessions that were ended', () => {
  const report = (sentence: string) => expect.fail(sentence)

  it('is dropped when its token has expired, and is bounded: that of which the least time is left goes first', async () => {
    const folder = temporaryFolder()
    const clock = handClock()
    const kept = () => Object.keys(JSON.parse(readFileSync(join(folder, 'signed-out.json'), 'utf8')).ended)
    const first = signedOutIn(folder, clock, report)
    await first.add({ session: 'a' }, clock.now() + 1_000)
    await first.add({ session: 'b' }, clock.now() + 5_000)
    clock.pass(1_000)
    await first.add({ session: 'c' }, clock.now() + 9_000)
    expect(kept()).to.deep.equal(['b', 'c'])
    const all = Array.from({ length: 10_000 }, (_, at) => first.add({ session: `n${at}` }, clock.now() + 60_000))
    await Promise.all(all.slice(-1))
    expect(kept()).to.have.length(10_000)
    const second = signedOutIn(folder, clock, report)
    const has = (id: string) => second.has({ id, subject: 'ann', since: 1 })
    expect([has('b'), has('c'), has('n9999')]).to.deep.equal([false, false, true])
  })
})
