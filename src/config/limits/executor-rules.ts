/** `executors.allow` and `executors.rules`: which executors definitions may use. Source: docs/operating/limits.md "Executors". */
import { textsOf } from '../access-rules.ts'
import { list } from '../types.ts'

export interface AllowedTypes {
  /** For groups that no rule is for; absent: all. */
  allow?: readonly string[]
  /** The first one for a group counts. */
  rules: readonly { groups: readonly string[]; allow: readonly string[]; where: string }[]
}

export interface WrittenRules {
  allow: unknown
  rules: Record<string, unknown>[] | undefined
}

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'

// D1472: an executor that is not allowed is a problem of the definition, and fails a step that comes later
/** Undefined: all of them. */
export function allowedTypesOf({ allow, rules = [] }: WrittenRules, problems: string[]): AllowedTypes | undefined {
  const types = list.of(allow ?? [])
  const found = rules.flatMap((rule, at) => {
    const where = `executors.rules[${at}]`
    const groups = groupsOf(rule, where, ['allow'], problems)
    const allow = rule.allow === undefined ? undefined : list.of(rule.allow)
    if (!allow) problems.push(`${where}.allow: wanted ${list.wanted}, found ${shown(rule.allow)}`)
    return groups && allow ? [{ groups, allow, where }] : []
  })
  if (types?.length === 0 && found.length === 0) return undefined
  return { ...(types && types.length > 0 ? { allow: types } : {}), rules: found }
}

/** Groups of a rule. @param members what else it may have */
export function groupsOf(
  rule: Record<string, unknown>,
  where: string,
  members: readonly string[],
  problems: string[]
): readonly string[] | undefined {
  for (const member of Object.keys(rule))
    if (member !== 'groups' && !members.includes(member))
      problems.push(`${where}: unknown member ${member}, wanted ${['groups', ...members].join(', ')}`)
  const groups = textsOf(rule.groups)
  if (!groups) problems.push(`${where}.groups: wanted a text, or a list of texts, found ${shown(rule.groups)}`)
  return groups
}
