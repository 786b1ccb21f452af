/** The role of a caller on the server, and with a definition: rules match, the strongest of them counts. Knows no engine. Source: docs/authentication.md "Roles". */
import { type Access, type AccessRule, isEnough, type Role } from '../../config.ts'
import { matcher } from '../../platform/globs.ts'
import type { Principal } from '../auth/principal.ts'

/** A definition, as far as rules can tell one from another. */
export interface Subject {
  /** DAG name. */
  name: string
  /** Absent: not known, since its text cannot be read. */
  group?: string
  /** Absent: not known. */
  tags?: readonly string[]
}

/** A role, and the setting that gives it. */
export interface Judgement {
  role: Role
  where: string
}

export interface Rights {
  /** On the server, and with definitions that no rule of theirs is about. */
  server: Judgement
  /** Nothing is refused, nothing hidden. */
  isWhole: boolean
  /** There are rules for them. */
  hasRules: boolean
  /** Rules look at groups or tags, which only the text of a definition says. */
  asksTexts: boolean
  /** There may be a definition that they must not hear of. */
  hidesSome: boolean
  of(subject: Subject): Judgement
  /** Whether they have this role on the server, or perhaps with a definition. */
  somewhere(needed: Role): boolean
}

/** A rule with its patterns made ready. */
interface Ready {
  given: Judgement
  asksTexts: boolean
  /** Undefined: it cannot be known. */
  fits(subject: Subject): boolean | undefined
}

// D1390, D1391
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

/** Who may do everything only because nobody has said otherwise is no admin: rules are for them as well. */
const isMadeAdmin = ({ role, where }: Judgement) => role === 'admin' && where !== ''

function rightsBy(server: Judgement, rules: readonly Ready[]): Rights {
  const isAnySuch = (is: (role: Role) => boolean) => is(server.role) || rules.some(({ given }) => is(given.role))
  return {
    server,
    isWhole: server.role === 'admin' && rules.length === 0,
    hasRules: rules.length > 0,
    asksTexts: rules.some((rule) => rule.asksTexts),
    hidesSome: isAnySuch((role) => role === 'none'),
    somewhere: (needed) => isAnySuch((role) => isEnough(role, needed)),
    of(subject) {
      let certain: Judgement | undefined
      const perhaps: Judgement[] = []
      for (const { given, fits } of rules) {
        const isFit = fits(subject)
        if (isFit === undefined) perhaps.push(given)
        else if (isFit && !(certain && isEnough(certain.role, given.role))) certain = given
      }
      // What is not known must not let in.
      return weakest([certain ?? server, ...perhaps])
    }
  }
}

/** @param given at least one */
export const weakest = (given: readonly Judgement[]): Judgement =>
  given.reduce((least, one) => (isEnough(one.role, least.role) ? least : one))

const strongest = (roles: readonly Role[]): Role | undefined =>
  roles.reduce<Role | undefined>((most, one) => (most !== undefined && isEnough(most, one) ? most : one), undefined)

function readyRule({ may, dags, groups, tags, where }: AccessRule): Ready {
  const [isName, isGroup, isTag] = [dags, groups, tags].map((patterns) => patterns && matcher(patterns))
  return {
    given: { role: may, where },
    asksTexts: isGroup !== undefined || isTag !== undefined,
    fits({ name, group, tags: own }) {
      if (isName && !isName(name)) return false
      if (isGroup && group !== undefined && !isGroup(group)) return false
      if (isTag && own !== undefined && !own.some((tag) => isTag(tag.trim().toLowerCase()))) return false
      return (isGroup && group === undefined) || (isTag && own === undefined) ? undefined : true
    }
  }
}
