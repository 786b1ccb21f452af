/** Which role counts: by whom, by which rule, and where something is not known. Source: docs/authentication.md "Roles". */
import { expect } from 'chai'
import { rightsIn } from '../../../src/api/access/rights.ts'
import type { Principal } from '../../../src/api/auth/principal.ts'
import type { Subject } from '../../../src/config.ts'
import { readConfig } from '../../../src/config.ts'

type Rule = Record<string, unknown>
const accessOf = (roles: Record<string, string>, rules: Rule[]) =>
  readConfig(
    {
      home: '/nowhere',
      tz: 'UTC',
      settings: {
        'auth.tokens': [
          { name: 'a', value: 'x' },
          { name: 'b', value: 'y' }
        ],
        'auth.oidc.clientId': 'c',
        'auth.oidc.clientSecret': 's',
        'auth.oidc.clientUrl': 'https://t.example',
        'auth.oidc.issuer': 'https://i.example',
        'auth.oidc.roleClaim': 'groups',
        'access.roles': roles,
        'access.rules': rules
      }
    },
    {}
  ).access

const principal = (...who: string[]): Principal => ({ name: who[0] ?? '', permissions: [], who })
const person = (...who: string[]) => principal('subject:1', ...who)
const dag = (name: string, group = '', tags: string[] = []): Subject => ({ name, group, tags })

describe('access › the role on the server', () => {
  const roleOf = (roles: Record<string, string>, who: Principal, asksRoles = false) =>
    rightsIn(accessOf(roles, []), asksRoles)(who).server

  it('nothing is said: whoever was let in may do everything', () => {
    expect(roleOf({}, principal('token:a'))).to.deep.equal({ role: 'admin', where: '' })
    expect(roleOf({}, person())).to.deep.include({ role: 'admin' })
  })
  it('who is named has their own role, all others that of everyone', () => {
    const roles = { 'token:a': 'runner', everyone: 'none' }
    expect(roleOf(roles, principal('token:a'))).to.deep.equal({ role: 'runner', where: 'access.roles' })
    expect(roleOf(roles, principal('token:b')).role).to.equal('none')
    expect(roleOf({ everyone: 'admin', 'token:a': 'viewer' }, principal('token:a')).role).to.equal('viewer')
  })
  it('of several claims the strongest counts; a person who is named needs none', () => {
    const roles = {
      'claim:dev': 'runner',
      'claim:ops': 'editor',
      'claim:out': 'none',
      'person:eve@x.example': 'viewer'
    }
    expect(roleOf(roles, person('claim:dev', 'claim:ops', 'claim:out'), true).role).to.equal('editor')
    expect(roleOf(roles, person('claim:out'), true).role).to.equal('none')
    expect(roleOf(roles, person('person:eve@x.example', 'claim:ops'), true).role).to.equal('viewer')
  })
  it('with a claim for roles, a person of whom it says nothing is a viewer, or what everyone is; a token is not asked', () => {
    expect(roleOf({}, person('claim:other'), true)).to.deep.equal({ role: 'viewer', where: 'auth.oidc.roleClaim' })
    expect(roleOf({ everyone: 'none' }, person(), true).role).to.equal('none')
    expect(roleOf({}, principal('token:a'), true).role).to.equal('admin')
  })
  it('what the host application says comes first', () => {
    const rights = rightsIn(accessOf({ everyone: 'none' }, []), false)
    expect(rights({ ...principal('caller:x'), role: 'editor' }).server).to.deep.equal({
      role: 'editor',
      where: 'authorize'
    })
  })
})

describe('access › rules', () => {
  const rightsOf = (rules: Rule[], role = 'viewer', who: Principal = principal('token:a')) =>
    rightsIn(accessOf({ everyone: role }, rules), false)(who)
  const roles = (rules: Rule[], subjects: Subject[], role?: string) => {
    const rights = rightsOf(rules, role)
    return subjects.map((subject) => rights.of(subject).role)
  }

  it('count instead of the role, up and down; without one that fits it is the role', () => {
    const rules = [
      { who: 'everyone', may: 'runner', dags: 'a' },
      { who: 'everyone', may: 'none', dags: 'b' }
    ]
    expect(roles(rules, [dag('a'), dag('b'), dag('c')])).to.deep.equal(['runner', 'none', 'viewer'])
  })
  it('the strongest of those that fit counts, in any order', () => {
    const rules = [
      { who: 'everyone', may: 'none', dags: '*' },
      { who: 'token:a', may: 'editor', tags: 'mine' },
      { who: 'token:a', may: 'runner', groups: 'g' }
    ]
    const subjects = [dag('x'), dag('x', 'g'), dag('x', 'g', ['mine'])]
    for (const order of [rules, rules.toReversed()])
      expect(roles(order, subjects)).to.deep.equal(['none', 'runner', 'editor'])
    expect(rightsOf(rules).of(dag('x', 'g'))).to.deep.equal({ role: 'runner', where: 'access.rules[2]' })
  })
  it('those of others do not', () => {
    const rules = [{ who: 'token:b', may: 'none', dags: '*' }]
    expect(roles(rules, [dag('x')])).to.deep.equal(['viewer'])
    expect(rightsOf(rules)).to.include({ hasRules: false, hidesSome: false })
  })
  it('an admin has none; who may do everything because nobody has said otherwise has', () => {
    const rules = [{ who: 'everyone', may: 'none', dags: 'x*' }]
    expect(roles(rules, [dag('x')], 'admin')).to.deep.equal(['admin'])
    const rights = rightsIn(accessOf({}, rules), false)(principal('token:a'))
    expect([rights.of(dag('x')).role, rights.of(dag('y')).role, rights.isWhole]).to.deep.equal(['none', 'admin', false])
  })
  it('several lists must all fit, each with one of its patterns', () => {
    const rules = [{ who: 'everyone', may: 'runner', dags: ['a*', 'b'], tags: ['t', 'u'] }]
    const subjects = [dag('ab', '', ['U']), dag('ab'), dag('b', '', [' t ']), dag('c', '', ['t'])]
    expect(roles(rules, subjects)).to.deep.equal(['runner', 'viewer', 'runner', 'viewer'])
  })
  it('* is any characters, ? one, and everything else is itself; case counts, but not in tags', () => {
    const fits = (pattern: string, ...names: string[]) =>
      roles(
        [{ who: 'everyone', may: 'runner', dags: pattern }],
        names.map((name) => dag(name))
      ).map((role) => role === 'runner')
    expect(fits('etl-*', 'etl-', 'etl-a', 'xetl-a', 'etl', 'ETL-a')).to.deep.equal([true, true, false, false, false])
    expect(fits('a?c', 'abc', 'ac', 'abbc')).to.deep.equal([true, false, false])
    expect(fits('a.c', 'a.c', 'abc')).to.deep.equal([true, false])
    expect(fits('[a]+(b|c)*', 'ab', '[a]+(b|c)x')).to.deep.equal([false, true])
    expect(fits('*a**b*', 'xaxbx', 'ba')).to.deep.equal([true, false])
  })
  it('what is not known of a text never lets in', () => {
    const unread: Subject = { name: 'x' }
    const hide = { who: 'everyone', may: 'none', tags: 'secret' }
    expect(roles([hide], [unread])).to.deep.equal(['none'])
    expect(roles([{ ...hide, may: 'editor' }], [unread])).to.deep.equal(['viewer'])
    expect(roles([hide, { who: 'everyone', may: 'editor', dags: 'x' }], [unread])).to.deep.equal(['none'])
    expect(roles([{ ...hide, dags: 'y' }], [unread])).to.deep.equal(['viewer'])
  })
  it('texts are read only where a rule asks for what they say', () => {
    expect(rightsOf([{ who: 'everyone', may: 'none', dags: 'x' }]).asksTexts).to.equal(false)
    expect(rightsOf([{ who: 'everyone', may: 'none', groups: 'x' }]).asksTexts).to.equal(true)
  })
})
