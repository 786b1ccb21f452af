/** `steps.*`: as whom steps run, and how much of the machine each may use. Source: docs/operating/limits.md "Steps". */
import { type Members, membersOf } from '../members.ts'
import { integer, isMap, size, type Type } from '../types.ts'
import { groupsOf } from './executor-rules.ts'

export interface StepRules {
  /** `user` or `user:group`. */
  runAs?: string
  limits?: StepLimits
  /** For each member, the first one for a group counts. */
  rules: readonly { groups: readonly string[]; runAs?: string; limits?: StepLimits; where: string }[]
  /** Folder of a cgroup v2 below which steps have theirs; absent: that of the engine. */
  cgroup?: string
}

const cpu: Type<number> = {
  wanted: 'a number of processors such as 0.5 or 2',
  of(input) {
    const value = typeof input === 'string' && /^\d+(\.\d+)?$/.test(input) ? Number(input) : input
    return typeof value === 'number' && value >= 0.01 && value <= 10_000 ? value : undefined
  }
}
const pids: Type<number> = {
  wanted: 'an integer from 1 to 4194304',
  of: (input) => (typeof input === 'number' ? integer(1, 4_194_304).of(input) : undefined)
}
const memory: Type<number> = {
  wanted: 'a size such as 512MiB or 2GiB, at least 1MiB',
  of: (input) => {
    const bytes = size.of(input)
    return bytes !== undefined && bytes >= 1_048_576 ? bytes : undefined
  }
}
const TYPES = { memory, cpu, pids }
/** Limits of one step: bytes, processors such as 1.5, processes and threads. */
export type StepLimits = Members<typeof TYPES>

interface Written {
  runAs: string | undefined
  limits: Record<string, unknown> | undefined
  rules: Record<string, unknown>[] | undefined
  cgroup: string | undefined
}

// D1476, D1480: users and limits of steps are in the configuration alone
/** Undefined: nothing is said. @param problems receives a sentence for each entry that says nothing */
export function stepRulesOf({ runAs, limits, rules = [], cgroup }: Written, problems: string[]): StepRules | undefined {
  const all = limitsOf(limits, 'steps.limits', problems)
  const found = rules.flatMap((rule, at) => {
    const where = `steps.rules[${at}]`
    const groups = groupsOf(rule, where, ['runAs', 'limits'], problems)
    const isText = typeof rule.runAs === 'string' && rule.runAs !== ''
    if (rule.runAs !== undefined && !isText)
      problems.push(`${where}.runAs: wanted a user, or user:group, found ${JSON.stringify(rule.runAs)}`)
    const own = limitsOf(rule.limits, `${where}.limits`, problems)
    if (rule.runAs === undefined && rule.limits === undefined) problems.push(`${where}: wanted runAs or limits`)
    if (!groups) return []
    return [{ groups, ...(isText ? { runAs: String(rule.runAs) } : {}), ...(own ? { limits: own } : {}), where }]
  })
  if (!runAs && !all && found.length === 0) return undefined
  return { ...(runAs ? { runAs } : {}), ...(all ? { limits: all } : {}), rules: found, ...(cgroup ? { cgroup } : {}) }
}

function limitsOf(given: unknown, where: string, problems: string[]): StepLimits | undefined {
  if (given === undefined) return undefined
  if (!isMap(given)) {
    problems.push(`${where}: wanted a map such as {memory: 1GiB, cpu: 2, pids: 200}`)
    return undefined
  }
  const limits = membersOf(TYPES, given, where, problems)
  return Object.keys(limits).length > 0 ? limits : undefined
}
