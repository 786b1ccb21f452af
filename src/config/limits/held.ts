/** All that callers, executors and steps are held to. Source: docs/operating/limits.md. */
import type { Account } from '../../platform/account.ts'
import type { Known } from '../access-rules.ts'
import { type CallerLimits, callerLimitsOf } from './caller-limits.ts'
import { type Egress, egressOf } from './egress.ts'
import { type AllowedTypes, allowedTypesOf } from './executor-rules.ts'
import { type StepRules, stepRulesOf } from './step-rules.ts'

export interface Held {
  /** How much callers of the API may ask for; empty: there is no limit. */
  callerLimits: readonly CallerLimits[]
  /** Which executors definitions may use; absent: all. */
  allowedTypes?: AllowedTypes
  /** As whom steps run, and how much each may use; absent: as the engine, and all there is. */
  stepRules?: StepRules
  /** Commands in steps may make and revoke keys of the home. */
  stepsMayGiveKeys: boolean
  /** Where http steps may connect to; absent: everywhere. */
  egress?: Egress
  /** The rules for commands of definitions besides their steps; set by who opens an engine. Absent: none. */
  commands?: ((plan: { group: string }) => CommandsHeld | undefined) | undefined
}

/** As the engine that was opened with the configuration holds them. */
interface CommandsHeld {
  refused?: string
  account?: Account
  seen?(environment: Readonly<Record<string, string>>): Record<string, string>
}

interface Written {
  'limits.callers'?: Record<string, unknown> | undefined
  'executors.allow'?: string[] | undefined
  'executors.rules'?: Record<string, unknown>[] | undefined
  'executors.http.egress'?: Record<string, unknown> | undefined
  'steps.runAs'?: string | undefined
  'steps.limits'?: Record<string, unknown> | undefined
  'steps.rules'?: Record<string, unknown>[] | undefined
  'steps.cgroup'?: string | undefined
  'steps.mayGiveKeys'?: boolean | undefined
}

/** @param problems receives a sentence for each entry that says nothing */
export function heldOf(v: Written, auth: Known, problems: string[]): Held {
  const callerLimits = callerLimitsOf(v['limits.callers'], auth, problems)
  const allowedTypes = allowedTypesOf({ allow: v['executors.allow'], rules: v['executors.rules'] }, problems)
  const egress = egressOf(v['executors.http.egress'], problems)
  const written = { runAs: v['steps.runAs'], rules: v['steps.rules'], cgroup: v['steps.cgroup'] }
  const stepRules = stepRulesOf({ ...written, limits: v['steps.limits'] }, problems)
  return {
    callerLimits,
    stepsMayGiveKeys: v['steps.mayGiveKeys'] ?? false,
    ...(allowedTypes ? { allowedTypes } : {}),
    ...(stepRules ? { stepRules } : {}),
    ...(egress ? { egress } : {})
  }
}
