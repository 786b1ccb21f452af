/** Roles of people who sign in, from the claims of their ID tokens, against a real provider. Source: docs/authentication.md "Roles". */
import { expect } from 'chai'
import { browser } from '../../support/auth/identity-provider.ts'
import { signInScene } from '../../support/auth/sign-in-scene.ts'

const ROLES = {
  'access.roles': {
    'claim:ops': 'runner',
    'claim:dev': 'editor',
    'person:boss@example.org': 'admin',
    'subject:robot': 'none'
  },
  'access.rules': [{ who: 'claim:pay', may: 'editor', dags: 'hello' }]
}

/** The session of a token, as bearer. */
const sessionsOf =
  ({ at, signed }: ReturnType<typeof signInScene>) =>
  async (claims: object, dag = '') => {
    const headers = { Authorization: `Bearer ${signed(claims)}` }
    const { text } = await browser().send(at(`/page/session${dag && `?dag=${dag}`}`), { headers })
    return JSON.parse(text).role
  }

describe('API › sign-in: roles', () => {
  const scene = signInScene({ 'auth.oidc.roleClaim': 'groups', ...ROLES })
  const roleOf = sessionsOf(scene)

  it('the strongest of what the values of the claim are mapped to, one or several', async () => {
    expect(await roleOf({ groups: ['ops'] })).to.equal('runner')
    expect(await roleOf({ groups: ['ops', 'dev', 'x'] })).to.equal('editor')
    expect(await roleOf({ groups: 'dev' })).to.equal('editor')
  })
  it('none mapped, none there, or no texts: a viewer', async () => {
    for (const groups of [['x'], [], undefined, '', 7, { ops: true }, [['ops']], 'Ops', 'ops,dev', null])
      expect(await roleOf({ groups }), JSON.stringify(groups)).to.equal('viewer')
    expect(await roleOf({ 'claim:ops': true, roles: ['ops'] })).to.equal('viewer')
  })
  it('a person is known by a verified address, or by what the provider calls them', async () => {
    expect(await roleOf({ email: 'Boss@Example.org', email_verified: true })).to.equal('admin')
    for (const email_verified of [false, undefined, 'true'])
      expect(await roleOf({ email: 'boss@example.org', email_verified })).to.equal('viewer')
    expect(await roleOf({ sub: 'boss@example.org' }), 'which is no address').to.equal('viewer')
    expect(await roleOf({ sub: 'robot', groups: ['dev'] })).to.equal('none')
  })
  it('rules know the values of the claim as well', async () => {
    expect(await roleOf({ groups: ['pay'] }, 'hello')).to.equal('editor')
    expect(await roleOf({ groups: ['pay'] })).to.equal('viewer')
  })
  it('a viewer who signed in with a browser is refused by name, and sees', async () => {
    const visitor = browser()
    await visitor.signIn(scene.login(), 'ann')
    expect((await visitor.send(scene.dags())).status).to.equal(200)
    const start = await visitor.send(`${scene.dags()}/hello/start`, { method: 'POST', body: '{}' })
    expect([start.status, JSON.parse(start.text).message]).to.deep.equal([
      403,
      'ann@example.org may not run hello: that takes the role runner, and auth.oidc.roleClaim says viewer'
    ])
  })
})

describe('API › sign-in: where the claim of roles is', () => {
  for (const [roleClaim, claims] of [
    ['realm_access.roles', { realm_access: { roles: ['ops'] } }],
    ['https://example.org/roles', { 'https://example.org/roles': ['ops'] }],
    ['a.b', { 'a.b': ['ops'], a: { b: ['dev'] } }]
  ] as const) {
    const roleOf = sessionsOf(signInScene({ 'auth.oidc.roleClaim': roleClaim, ...ROLES }))
    it(roleClaim, async () => {
      expect(await roleOf(claims)).to.equal('runner')
      expect(await roleOf({ realm_access: ['ops'], a: 'ops' })).to.equal('viewer')
    })
  }
})

describe('API › sign-in: no claim of roles is set', () => {
  const roleOf = sessionsOf(signInScene({}))
  it('people may do everything, as before', async () => {
    expect(await roleOf({ groups: ['viewer'] })).to.equal('admin')
  })
})
