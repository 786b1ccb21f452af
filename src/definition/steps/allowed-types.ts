/** Which executors a configuration allows to definitions, by their group. Source: docs/operating/limits.md "Executors". */
import { fitsAny } from '../../platform/globs.ts'
import { executorType } from '../fields/executor-types.ts'

/** The settings `executors.allow` and `executors.rules`. */
export interface AllowedTypes {
  /** For groups that no rule is for; absent: all types. */
  allow?: readonly string[]
  /** The first one for a group counts. */
  rules: readonly {
    /** Patterns. */
    groups: readonly string[]
    allow: readonly string[]
    /** The rule's name in messages, such as `executors.rules[0]`. */
    where: string
  }[]
}

/** Types that run nothing themselves: what a called workflow runs is looked at there. */
const ALWAYS: ReadonlySet<string> = new Set(['dag', 'signal', 'approval', 'sleep'])

// D1472: an executor that is not allowed is a problem of the definition, and fails a step that comes later
/** The types that a group may use, and which setting says so; undefined: all of them. */
export function allowedIn(
  { allow, rules }: AllowedTypes,
  group: string
): { types: readonly string[]; where: string } | undefined {
  const rule = rules.find(({ groups }) => fitsAny(groups, group))
  const types = rule?.allow ?? allow
  if (!types) return undefined
  return { types: types.map((name) => executorType(name) ?? name), where: rule?.where ?? 'executors.allow' }
}

/** Why steps of a type may not be in a definition of this group, as a clause; undefined: they may. */
export function refusalOf(allowed: AllowedTypes, group: string, type: string): string | undefined {
  if (ALWAYS.has(type)) return undefined
  const { types, where } = allowedIn(allowed, group) ?? {}
  if (!types || types.includes(type)) return undefined
  const whose = group === '' ? '' : ` in the group ${group}`
  return `the executor ${type} is not allowed${whose}: ${where} has ${types.join(', ') || 'none'}`
}

/** Refuses commands of conditions and in backticks, and programs that print secrets: they run as steps of a shell do. */
export function commandRefusal(allowed: AllowedTypes, group: string): string | undefined {
  const refusal = refusalOf(allowed, group, 'shell')
  return refusal && `a command runs in a shell, and ${refusal}`
}
