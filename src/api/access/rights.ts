/** Which rights a caller has, on the server and by rules. Knows no engine. Source: docs/authentication.md "Roles". */
import { type Access, isEnough, type Judgement, type Rights, type Role, readyRule, rightsBy } from '../../config.ts'
import type { Principal } from '../auth/principal.ts'

// D1390, D1391: where rules are for a definition, they count instead of the role; of several the strongest
/** @param access the settings @param asksRoles whether a claim of a sign-in says the role of people */
export function rightsIn({ roles, rules }: Access, asksRoles: boolean): (principal: Principal) => Rights {
  const all = rules.map((rule) => ({ who: new Set(rule.who), ready: readyRule(rule) }))
  const listed = new Map(roles.map(({ who, role }) => [who, role]))

  function serverRole({ role, roleFrom = 'authorize', who = [] }: Principal): Judgement {
    if (role !== undefined) return { role, where: roleFrom }
    const isClaim = (name: string) => name.startsWith('claim:')
    const found =
      strongest(who.filter((name) => !isClaim(name)).flatMap((name) => listed.get(name) ?? [])) ??
      strongest(who.filter(isClaim).flatMap((name) => listed.get(name) ?? [])) ??
      listed.get('everyone')
    if (found !== undefined) return { role: found, where: 'access.roles' }
    const isPerson = who.some((name) => name.startsWith('subject:'))
    return asksRoles && isPerson ? { role: 'viewer', where: 'auth.oidc.roleClaim' } : { role: 'admin', where: '' }
  }

  return (principal) => {
    const server = serverRole(principal)
    const who = ['everyone', ...(principal.who ?? [])]
    const own = isMadeAdmin(server) ? [] : all.filter((rule) => who.some((name) => rule.who.has(name)))
    const brought = isMadeAdmin(server) ? [] : (principal.rules ?? [])
    return rightsBy(server, [...own.map(({ ready }) => ready), ...brought.map(readyRule)])
  }
}

/** A caller who may do everything only because nobody has said otherwise is no admin: rules are for them as well. */
const isMadeAdmin = ({ role, where }: Judgement) => role === 'admin' && where !== ''

const strongest = (roles: readonly Role[]): Role | undefined =>
  roles.reduce<Role | undefined>((most, one) => (most !== undefined && isEnough(most, one) ? most : one), undefined)
