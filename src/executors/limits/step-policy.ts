/** What a configuration holds the steps of a run to, as the code that begins them asks it. Source: docs/operating/limits.md. */
import type { MissingCode, Plan, Step } from '../../../machines/vocabulary.ts'
import type { Account } from '../../platform/account.ts'
import type { Entered } from './step-groups.ts'
import type { StepLimits } from './step-limits.ts'

/** Steps of a shell, commands of conditions and in backticks, and programs that print secrets. */
export interface CommandRules {
  /** Why there may be none, as a clause; absent: there may be. */
  refused?: string
  /** The user whom commands run as; absent: that of the engine. */
  account?: Account
  /** Limits of each step; absent: all that there is. */
  limits?: StepLimits
  /** Makes a group for a program without a launcher. There with `limits`, where this machine keeps them. @throws Error: it cannot */
  enter?(): Entered
  /** The part of an environment that such a user sees: nothing that is the engine's own. There with `account`. */
  seen?(environment: Readonly<Record<string, string>>): Record<string, string>
}

export interface StepPolicy {
  /** All users that steps of some group run as. */
  accounts: readonly Account[]
  /** Why a step may not begin; undefined: it may. */
  refused(plan: Plan, step: Step): MissingCode | undefined
  /** Undefined: they are held to nothing. */
  commands(plan: Pick<Plan, 'group'>): CommandRules | undefined
  /** Why there may be no run of a plan, whatever its steps are. */
  refusedIn(plan: Plan): string | undefined
}
