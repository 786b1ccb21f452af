/** Sessions of people: listed, ended one by one, of one person, of all, and by the provider; against a real provider. Source: docs/authentication.md "Sessions"; OpenID Connect Back-Channel Logout 1.0. */
import { readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { browser } from '../../support/auth/identity-provider.ts'
import { CLIENT, sessionOf, signInScene } from '../../support/auth/sign-in-scene.ts'
import { eventually } from '../../support/waiting.ts'

type Visitor = ReturnType<typeof browser>
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }

describe('API › sessions', () => {
  const { at, dags, login, signed, restart, home } = signInScene({
    'auth.oidc.roleClaim': 'role',
    'access.roles': { 'claim:boss': 'admin' }
  })
  const bossToken = (claims = {}) =>
    signed({ sub: 'boss', role: 'boss', email: 'boss@example.org', email_verified: true, ...claims })
  let boss = ''
  before(() => {
    boss = bossToken()
  })

  async function signedIn(name: string): Promise<Visitor> {
    const visitor = browser()
    await visitor.signIn(login(), name)
    expect(sessionOf(visitor)).to.not.equal(undefined)
    return visitor
  }
  const status = async (visitor: Visitor) => (await visitor.send(dags(), { headers: { 'User-Agent': FIREFOX } })).status
  const asked = (path: string, init: RequestInit = {}) =>
    browser().send(at(`/api/v2/access/sessions${path}`), { ...init, headers: { Authorization: `Bearer ${boss}` } })
  const listed = async (): Promise<Record<string, unknown>[]> => JSON.parse((await asked('')).text).sessions
  const of = async (name: string) => (await listed()).filter((one) => one.name === `${name}@example.org`)
  const ended = async (body: object): Promise<[number, string]> => {
    const answer = await asked('/end', { method: 'POST', body: JSON.stringify(body) })
    return [answer.status, answer.text]
  }

  it('are listed with who, since when, last seen, from where; the own one is marked; without the right to it, 403', async () => {
    const ann = await signedIn('ann')
    expect(await status(ann)).to.equal(200)
    const [session, ...more] = await of('ann')
    expect(more).to.deep.equal([])
    expect(session).to.deep.include({ subject: 'ann', address: '127.0.0.1', agent: 'Firefox 128, Linux', isOwn: false })
    for (const time of ['since', 'lastSeenAt', 'expiresAt']) expect(session?.[time]).to.match(/^\d{4}-.+Z$/)
    expect((await of('boss')).map(({ isOwn }) => isOwn)).to.deep.equal([true])
    expect((await ann.send(at('/api/v2/access/sessions'))).status).to.equal(403)
  })

  it('one is ended: its cookie counts no more, its stream ends at once, the other sessions of that person go on', async () => {
    const [first, second] = [await signedIn('bob'), await signedIn('bob')]
    await status(second)
    await status(first)
    const cookie = `oidcToken=${sessionOf(first)?.value}`
    const stream = new Promise<string>((resolve, reject) => {
      const sent = get(at('/api/v2/events'), { headers: { Cookie: cookie } }, (response) => {
        response.on('error', () => {})
        response.resume()
        response.once('close', () => resolve('ended'))
      })
      sent.on('error', reject)
    })
    const all = await of('bob')
    expect(all).to.have.length(2)
    expect(await ended({ session: all[0]?.id })).to.deep.equal([200, '{"ended":1}'])
    expect(await stream).to.equal('ended')
    expect([await status(first), await status(second)]).to.deep.equal([401, 200])
    expect((await ended({ session: all[0]?.id }))[0]).to.equal(404)
    restart()
    expect([await status(first), await status(second)]).to.deep.equal([401, 200])
  })

  it('all of one person are ended, also one that is not in the list; they sign in again at once', async () => {
    const [cid, dan] = [await signedIn('cid'), await signedIn('dan')]
    const unseen = signed({ sub: 'cid' })
    expect(JSON.parse((await ended({ subject: 'cid' }))[1])).to.deep.equal({ ended: 1 })
    const bearer = { headers: { Authorization: `Bearer ${unseen}` } }
    expect([await status(cid), await status(dan), (await browser().send(dags(), bearer)).status]).to.deep.equal([
      401, 200, 401
    ])
    const again = await signedIn('cid') // perhaps in the same second
    expect(await status(again)).to.equal(200)
    restart()
    expect([await status(cid), await status(again)]).to.deep.equal([401, 200])
  })

  it('what is to be ended has to be said, and only once', async () => {
    for (const body of [{}, { all: false }, { all: true, subject: 'ann' }, { session: 1 }])
      expect((await ended(body))[0], JSON.stringify(body)).to.equal(400)
  })

  it('the list outlives a restart in a file for its owner only; cookies of releases without a list still count', async () => {
    await signedIn('gil')
    const lasting = async () => (await of('gil')).map(({ lastSeenAt: _, ...session }) => session)
    const before = await lasting()
    restart()
    expect(await lasting()).to.deep.equal(before)
    expect(statSync(join(home, 'data', 'sessions.json')).mode & 0o777).to.equal(0o600)
    const old = await browser().send(dags(), {
      headers: { Cookie: `oidcToken=${signed({ sub: 'old', iat: Math.floor(Date.now() / 1_000) + 2 })}` }
    })
    expect(old.status).to.equal(200)
    expect((await listed()).filter(({ subject }) => subject === 'old')).to.have.length(1)
    expect(readFileSync(join(home, 'data', 'sessions.json'), 'utf8')).to.not.contain('eyJ') // no token
  })

  describe('back-channel logout', () => {
    let count = 0
    const logout = async (claims: object, header: object = { typ: 'logout+jwt' }, token = '') => {
      const standard = { jti: `j${count++}`, events: EVENTS, exp: undefined }
      const body = new URLSearchParams({ logout_token: token || signed({ ...standard, ...claims }, header) })
      const answer = await browser().send(at('/oidc-backchannel-logout'), { method: 'POST', body })
      return [answer.status, JSON.parse(answer.text).error_description] as const
    }
    const cookieOf = (claims: object) => {
      const token = signed(claims)
      return async () => (await browser().send(dags(), { headers: { Cookie: `oidcToken=${token}` } })).status
    }

    it('with a sub: all sessions of that person end', async () => {
      const [hal, ivy] = [await signedIn('hal'), await signedIn('ivy')]
      expect(await logout({ sub: 'hal' })).to.deep.equal([200, undefined])
      expect([await status(hal), await status(ivy)]).to.deep.equal([401, 200])
      expect(await of('hal')).to.deep.equal([])
    })
    it('with a sid: that session ends, also one that was never seen, and also after a restart', async () => {
      const [one, two] = [cookieOf({ sub: 'jo', sid: 's1' }), cookieOf({ sub: 'jo', sid: 's2' })]
      expect(await two()).to.equal(200)
      expect(await logout({ sub: 'jo', sid: 's1' })).to.deep.equal([200, undefined])
      expect([await one(), await two()]).to.deep.equal([401, 200])
      restart()
      expect([await one(), await two()]).to.deep.equal([401, 200])
    })
    it('with a sid that the sessions of this person do not know: those without one end', async () => {
      const kim = cookieOf({ sub: 'kim' })
      expect(await kim()).to.equal(200)
      expect(await logout({ sub: 'kim', sid: 's9' })).to.deep.equal([200, undefined])
      expect(await kim()).to.equal(401)
    })
    it('of somebody who is not signed in: it is done already', async () => {
      expect(await logout({ sub: 'nobody' })).to.deep.equal([200, undefined])
    })

    for (const [what, claims, header] of [
      ['of another issuer', { iss: 'https://other.example' }, {}],
      ['for another client', { aud: 'other' }, {}],
      ['without iat', { iat: undefined }, {}],
      ['that is old', { iat: Math.floor(Date.now() / 1_000) - 3_600 }, {}],
      ['of the future', { iat: Math.floor(Date.now() / 1_000) + 3_600 }, {}],
      ['that has expired', { exp: 1_000 }, {}],
      ['without events', { events: undefined }, {}],
      ['with another event', { events: { 'http://other.example': {} } }, {}],
      ['whose event is no object', { events: { [Object.keys(EVENTS)[0] ?? '']: true } }, {}],
      ['without sub and sid', { sub: undefined }, {}],
      ['with a nonce', { nonce: 'n' }, {}],
      ['without jti', { jti: undefined }, {}],
      ['with another key', {}, { kid: 'two' }],
      ['that says it is an access token', {}, { typ: 'at+jwt' }]
    ] as const)
      it(`a logout token ${what} is refused, and nobody is signed out`, async () => {
        const lea = cookieOf({ sub: 'lea' })
        expect((await logout({ sub: 'lea', ...claims }, header))[0]).to.equal(400)
        expect(await lea()).to.equal(200)
      })
    it('an ID token, another text, a token that is altered, and none are refused', async () => {
      const token = signed({ sub: 'lea', events: EVENTS, jti: 'x' })
      const [head = '', , signature = ''] = token.split('.')
      const other = Buffer.from(JSON.stringify({ sub: 'ann', events: EVENTS, jti: 'y' })).toString('base64url')
      for (const text of [signed({ sub: 'lea' }), 'a.b.c', 'x', `${head}.${other}.${signature}`])
        expect((await logout({}, {}, text))[0], text.slice(0, 20)).to.equal(400)
      const none = await browser().send(at('/oidc-backchannel-logout'), { method: 'POST', body: '{}' })
      expect(none.status).to.equal(400)
    })
    it('one that was used is refused, also after a restart', async () => {
      const token = signed({ sub: 'mia', events: EVENTS, jti: 'once', exp: undefined })
      expect(await logout({}, {}, token)).to.deep.equal([200, undefined])
      expect(await logout({}, {}, token)).to.deep.equal([400, 'jti: it was used before'])
      restart()
      expect(await logout({}, {}, token)).to.deep.equal([400, 'jti: it was used before'])
      const mia = await signedIn('mia')
      expect(await status(mia)).to.equal(200)
    })
  })

  // Last: a token of the same second counts as one of before.
  describe('at once', () => {
    it('all of everybody are ended, that of the caller included', async () => {
      const eve = await signedIn('fay')
      expect((await ended({ all: true }))[0]).to.equal(200)
      expect([await status(eve), (await asked('')).status]).to.deep.equal([401, 401])
      // The boss has a token without a sign-in: of these the issue counts, in whole seconds.
      boss = bossToken({ iat: Math.floor(Date.now() / 1_000) + 2 })
      expect(await listed()).to.have.length(1)
      expect(await status(await signedIn('fay'))).to.equal(200)
    })
  })
})

describe('API › sessions: the provider signs somebody out', () => {
  const { dags, login, issuer } = signInScene({}, { backChannel: true })
  it('here, when they sign out there', async () => {
    const ann = browser()
    await ann.signIn(login(), 'ann')
    const status = async () => (await ann.send(dags())).status
    expect(await status()).to.equal(200)
    const page = await ann.visit(`${issuer()}/session/end?client_id=${CLIENT.clientId}`)
    const [, xsrf = ''] = /name="xsrf" value="(\w+)"/.exec(page.text) ?? []
    await ann.visit(`${issuer()}/session/end/confirm`, () => false, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' })
    })
    await eventually('the end of the session', async () => ((await status()) === 401 ? true : undefined))
  })
})
