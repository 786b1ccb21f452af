/** Roles and rules in the configuration: what each of them says, and what is refused by name. Source: docs/authentication.md "Roles". */
import { expect } from 'chai'
import { problemsOf, read } from './reading.ts'

const OIDC =
  'oidc: {clientId: a, clientSecret: b, clientUrl: https://t.example, issuer: https://i.example, roleClaim: groups}'
const AUTH = `auth: {tokens: [{name: ci, value: x}], basic: {username: ops, password: p}, ${OIDC}}\n`
const problems = (access: string, auth = AUTH) => problemsOf(() => read(`${auth}access:\n  ${access}`))

describe('configuration › access', () => {
  it('nothing is said: nobody has a role, and there are no rules', () => {
    expect(read('').access).to.deep.equal({ roles: [], rules: [] })
  })
  it('roles are by who, rules have lists or single texts', () => {
    const { access } = read(`${AUTH}
access:
  roles:
    token:ci: runner
    user:ops: admin
    person:Ann@Example.org: editor
    subject:S-1: none
    claim:Team A: viewer
    caller:Bob: viewer
    everyone: none
  rules:
    - {who: token:ci, may: editor, dags: etl-*}
    - {who: [everyone, "claim:Team A"], may: none, groups: [Pay], tags: [SECRET, x]}
`)
    expect(access.roles.map(({ who, role }) => `${who} ${role}`)).to.deep.equal([
      'token:ci runner',
      'user:ops admin',
      'person:ann@example.org editor',
      'subject:S-1 none',
      'claim:Team A viewer',
      'caller:Bob viewer',
      'everyone none'
    ])
    expect(access.rules).to.deep.equal([
      { who: ['token:ci'], may: 'editor', dags: ['etl-*'], where: 'access.rules[0]' },
      {
        who: ['everyone', 'claim:Team A'],
        may: 'none',
        groups: ['Pay'],
        tags: ['secret', 'x'],
        where: 'access.rules[1]'
      }
    ])
  })
  it('all problems are named at once, each with its place', () => {
    const found = problems(`{roles: {token:cd: runner, user:eve: boss, nobody: viewer},
    rules: [{who: token:ci, may: root, dags: a}, {may: viewer, dags: []}, {who: everyone, may: admin, when: now}]}`)
    expect(found).to.deep.equal([
      'access.roles: no token has the name of "token:cd"',
      'access.roles: auth.basic.username is not the user of "user:eve"',
      'access.roles: user:eve: wanted none, viewer, runner, editor, admin, found "boss"',
      'access.roles: wanted everyone, anyone, token:NAME, user:NAME, person:ADDRESS, subject:SUB, claim:VALUE or caller:NAME, found "nobody"',
      'access.rules[0].may: wanted none, viewer, runner, editor, found "root"',
      'access.rules[1].who: wanted everyone, anyone, token:NAME, key:NAME, user:NAME, person:ADDRESS, subject:SUB, claim:VALUE or caller:NAME, or a list of them',
      'access.rules[1].dags: wanted a text, or a list of texts',
      'access.rules[2]: unknown member when, wanted who, may, dags, groups, tags',
      'access.rules[2].may: wanted none, viewer, runner, editor: an admin is one of the whole server, by access.roles',
      'access.rules[2]: wanted dags, groups, tags: a rule for all definitions is a role, in access.roles'
    ])
  })
  it('who cannot be here is refused', () => {
    expect(problems('{roles: {anyone: viewer}}')).to.deep.equal([
      'access.roles: anyone is who comes without credentials, and this server asks for them'
    ])
    expect(problems('{roles: {person:a@b.c: viewer, claim:x: viewer}}', '')).to.deep.equal([
      'access.roles: "person:a@b.c" needs auth.oidc',
      'access.roles: "claim:x" needs auth.oidc.roleClaim'
    ])
    expect(read('access: {roles: {anyone: viewer}}').access.roles).to.have.length(1)
    expect(problemsOf(() => read('auth: {oidc: {roleClaim: groups}}'))).to.deep.equal([
      'auth.oidc.roleClaim: wanted clientId, clientSecret, clientUrl, issuer too, found none'
    ])
  })
  it('a key may be in a rule, whether there is one or not, and has its role already', () => {
    expect(read('access: {rules: [{who: key:ci, may: runner, dags: a}]}').access.rules).to.have.length(1)
    expect(problems('{roles: {key:ci: runner}}')).to.deep.equal([
      'access.roles: "key:ci" has the role that it was made with, and may have rules'
    ])
  })
  it('an unknown setting below access is refused: it could leave a door open', () => {
    const [problem] = problems('{rule: []}')
    expect(problem).to.match(
      /config\.yaml:3:4: unknown setting access\.rule; did you mean access\.rules\?$|unknown setting access\.rule/
    )
  })
})
