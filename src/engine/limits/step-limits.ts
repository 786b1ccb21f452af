/** What the settings hold steps to: their users, their groups, their executors. Source: docs/operating/limits.md. */
import { createHash } from 'node:crypto'
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { executorNames, executorType } from '../../definition/fields/executor-types.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { makePlace, ownGroup } from '../../executors/limits/cgroup-place.ts'
import { stepPolicyOf } from '../../executors/limits/open-policy.ts'
import { openStepGroups, type StepGroups } from '../../executors/limits/step-groups.ts'
import type { StepPolicy } from '../../executors/limits/step-policy.ts'
import { didYouMean } from '../../nearest.ts'
import { type Account, makeFolderAs } from '../../platform/account.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'

/** Others may pass through, and see no names. */
const PASSAGE = 0o001

// D1478: with `runAs`, what a definition names is touched with the rights of the user
/** A way for users that steps run as to where they work: through the home, and into nothing else of it. @throws TroupeError bad_request: a folder above the home keeps a user out */
export async function openPassage(
  { home, dataDir }: Pick<Config, 'home' | 'dataDir'>,
  accounts: readonly Account[]
): Promise<void> {
  if (accounts.length === 0) return
  const work = join(dataDir, 'work')
  makeFolderAtOnce(work, 0o755)
  makeFolderAtOnce(join(dataDir, 'scripts'), 0o711)
  for (const folder of [home, dataDir, work, join(dataDir, 'scripts')]) {
    const { mode } = statSync(folder)
    if ((mode & PASSAGE) === 0) chmodSync(folder, (mode & 0o7777) | PASSAGE)
  }
  for (const account of accounts)
    await makeFolderAs(account, work).catch((cause: Error) => {
      throw new TroupeError(
        'bad_request',
        `steps.runAs: ${messageOf(cause)}: a folder above it is closed to others; open it (chmod o+x), or give another home`,
        { cause }
      )
    })
}

// D1480: `steps.limits` are cgroups v2, or the engine does not start
/** Undefined: no step is limited. @throws TroupeError bad_request naming the setting and what is lacking */
export function stepGroupsFor({ stepRules, dataDir }: Pick<Config, 'stepRules' | 'dataDir'>): StepGroups | undefined {
  const all = [stepRules?.limits, ...(stepRules?.rules ?? []).map(({ limits }) => limits)]
  const controllers = (['memory', 'cpu', 'pids'] as const).filter((name) => all.some((limits) => limits?.[name]))
  if (controllers.length === 0) return undefined
  try {
    const { cgroup } = stepRules ?? {}
    const name = `troupe-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
    return openStepGroups(makePlace(cgroup ?? ownGroup(), cgroup === undefined, name, controllers))
  } catch (cause) {
    throw new TroupeError('bad_request', `steps.limits: ${messageOf(cause)}`, { cause })
  }
}

/** The rules of commands, with what puts each into a group. @param groups absent: nothing is limited */
export const heldIn =
  (groups: StepGroups | undefined, policy: StepPolicy): StepPolicy['commands'] =>
  (plan) => {
    const rules = policy.commands(plan)
    const { limits } = rules ?? {}
    return groups && limits ? { ...rules, enter: () => groups.enter(limits) } : rules
  }

/** Undefined: to nothing. @throws TroupeError bad_request naming the setting that this machine cannot keep */
export const policyOf = (config: Config): StepPolicy | undefined => stepPolicyOf(config)

/** Sentences about types that neither Troupe nor this program has: a mistake, or those of another application on this home. */
export function unknownTypes({ allowedTypes }: Pick<Config, 'allowedTypes'>, custom: readonly string[]): string[] {
  if (!allowedTypes) return []
  const { allow = [], rules } = allowedTypes
  const known = [...executorNames, ...custom]
  return [{ where: 'executors.allow', allow }, ...rules].flatMap(({ where, allow }) =>
    allow
      .filter((name) => executorType(name) === undefined && !custom.includes(name))
      .map((name) => `${where}: no executor here is called ${JSON.stringify(name)}${didYouMean(name, known)}`)
  )
}
