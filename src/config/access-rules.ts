/** `access.roles` and `access.rules`: who may do what on the server, and with what. Source: docs/authentication.md "Roles". */
import { isRole, ROLES, type Role } from './roles/roles.ts'

/** A role on the whole server. */
export interface RoleSetting {
  /** The one who has the role, such as `token:ci`. */
  who: string
  role: Role
}

/** A role for some definitions, instead of that on the server. */
export interface AccessRule {
  who: readonly string[]
  may: Exclude<Role, 'admin'>
  /** Patterns of DAG names, groups and tags; a definition must match one of each list. At least one list is there. */
  dags?: readonly string[]
  groups?: readonly string[]
  /** In lower case. */
  tags?: readonly string[]
  /** The rule's name in messages, such as `access.rules[0]`. */
  where: string
}

export interface Access {
  roles: readonly RoleSetting[]
  rules: readonly AccessRule[]
}

/** What of the ways to sign in says who there may be. */
export interface Known {
  basic?: { username: string }
  tokens: readonly { name: string }[]
  oidc?: { roleClaim: string }
  keys?: true
}

export const LISTS = ['dags', 'groups', 'tags'] as const
const LIMITS: readonly string[] = ['may', ...LISTS]
const LIMITED = ROLES.filter((role) => role !== 'admin')
const KINDS = 'everyone, anyone, token:NAME, user:NAME, person:ADDRESS, subject:SUB, claim:VALUE or caller:NAME'
export const OF_RULES = KINDS.replace('token:NAME', 'token:NAME, key:NAME')

// D1390, D1391: where rules are for a definition, they count instead of the role; of several the strongest
/** @param problems receives a sentence for each entry that says nothing, or is for nobody */
export function accessOf(
  values: {
    'access.roles'?: Record<string, unknown> | undefined
    'access.rules'?: Record<string, unknown>[] | undefined
  },
  auth: Known,
  problems: string[]
): Access {
  const nobody = (who: string) => whyNobody(who, auth, OF_RULES)
  const noRole = (who: string) =>
    who.startsWith('key:')
      ? `${shown(who)} has the role that it was made with, and may have rules`
      : whyNobody(who, auth, KINDS)
  const roles = Object.entries(values['access.roles'] ?? {}).flatMap(([who, role]): RoleSetting[] => {
    const where = `access.roles: ${who}`
    const why = noRole(who)
    if (why !== undefined) problems.push(`access.roles: ${why}`)
    if (!isRole(role)) problems.push(`${where}: wanted ${ROLES.join(', ')}, found ${shown(role)}`)
    return isRole(role) ? [{ who: known(who), role }] : []
  })
  const rules = (values['access.rules'] ?? []).flatMap((rule, at) =>
    ruleOf(rule, `access.rules[${at}]`, nobody, problems)
  )
  return { roles, rules }
}

function ruleOf(
  rule: Record<string, unknown>,
  where: string,
  nobody: (who: string) => string | undefined,
  problems: string[]
): AccessRule[] {
  const before = problems.length
  const { who: named, ...others } = rule
  const who = textsOf(named)
  if (!who) problems.push(`${where}.who: wanted ${OF_RULES}, or a list of them`)
  for (const why of (who ?? []).map(nobody)) if (why !== undefined) problems.push(`${where}.who: ${why}`)
  const limits = ruleContentOf(others, where, problems, ['who', ...LIMITS])
  return problems.length > before || !who || !limits ? [] : [{ who: who.map(known), ...limits, where }]
}

/** The content of a rule, without the one whom it is for and its place. */
export type RuleContent = Omit<AccessRule, 'who' | 'where'>

/**
 * @param where as messages name it @param problems receives a sentence for each entry that says nothing
 * @param members as messages list them; default: those of a rule that says nobody
 */
export function ruleContentOf(
  rule: Record<string, unknown>,
  where: string,
  problems: string[],
  members: readonly string[] = LIMITS
): RuleContent | undefined {
  const before = problems.length
  const { may } = rule
  for (const member of Object.keys(rule))
    if (!LIMITS.includes(member)) problems.push(`${where}: unknown member ${member}, wanted ${members.join(', ')}`)
  if (may === 'admin')
    problems.push(`${where}.may: wanted ${LIMITED.join(', ')}: an admin is one of the whole server, by access.roles`)
  else if (!isRole(may)) problems.push(`${where}.may: wanted ${LIMITED.join(', ')}, found ${shown(may)}`)
  const lists = listsOf(rule, (list, wanted) => problems.push(`${where}.${list}: ${wanted}`))
  if (!LISTS.some((list) => rule[list] !== undefined))
    problems.push(`${where}: wanted ${LISTS.join(', ')}: a rule for all definitions is a role, in access.roles`)
  return problems.length > before || !isRole(may) || may === 'admin' ? undefined : { may, ...lists }
}

/** Why a name stands for nobody here; undefined: it may be somebody. */
export function whyNobody(who: string, { basic, tokens, oidc, keys }: Known, kinds: string): string | undefined {
  const [kind = '', ...rest] = who.split(':')
  const name = rest.join(':')
  const found = `found ${shown(who)}`
  const isBare = kind === 'everyone' || kind === 'anyone'
  if (isBare !== (rest.length === 0) || (!isBare && name === '')) return `wanted ${kinds}, ${found}`
  switch (kind) {
    case 'anyone':
      if (!basic && tokens.length === 0 && !oidc && !keys) return undefined
      return 'anyone is who comes without credentials, and this server asks for them'
    case 'everyone':
    case 'caller':
    case 'key': // made at any time
      return undefined
    case 'token':
      return tokens.some((token) => token.name === name) ? undefined : `no token has the name of ${shown(who)}`
    case 'user':
      return basic?.username === name ? undefined : `auth.basic.username is not the user of ${shown(who)}`
    case 'person':
    case 'subject':
      return oidc ? undefined : `${shown(who)} needs auth.oidc`
    case 'claim':
      return oidc?.roleClaim ? undefined : `${shown(who)} needs auth.oidc.roleClaim`
    default:
      return `wanted ${kinds}, ${found}`
  }
}

/** Addresses are compared in lower case. */
export const known = (who: string) => (who.startsWith('person:') ? who.toLowerCase() : who)

/** Patterns, as a rule or a target has them. @param wrong is told what was wanted of one */
export function listsOf(given: Record<string, unknown>, wrong: (list: string, wanted: string) => void) {
  const lists: Partial<Record<(typeof LISTS)[number], readonly string[]>> = {}
  for (const list of LISTS) {
    if (given[list] === undefined) continue
    const texts = textsOf(given[list])
    if (!texts) wrong(list, 'wanted a text, or a list of texts')
    else lists[list] = list === 'tags' ? texts.map((text) => text.toLowerCase()) : texts
  }
  return lists
}

/** One text or several, none of them empty. */
export function textsOf(input: unknown): string[] | undefined {
  const texts = Array.isArray(input) ? input : [input]
  const isGood = texts.length > 0 && texts.every((text) => typeof text === 'string' && text.trim() !== '')
  return isGood ? texts.map((text) => String(text).trim()) : undefined
}

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'
