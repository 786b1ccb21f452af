/** Opens groups of steps as the settings want them. Source: docs/operating/limits.md "Memory, processors, processes". */
import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { makePlace, ownGroup } from '../../executors/limits/cgroup-place.ts'
import { openStepGroups, type StepGroups } from '../../executors/limits/step-groups.ts'
import type { StepPolicy } from '../../executors/limits/step-policy.ts'

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
