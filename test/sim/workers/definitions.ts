/** Random definitions for workers, and how their steps go. */
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import { plan, repeat, step } from '../../support/charts/plans.ts'
import type { Random } from '../../support/random.ts'
import type { Fate } from './processes.ts'

/** Of machines: each definition wants some of it. */
const SELECTORS: (Record<string, string> | undefined)[] = [
  { zone: 'a' },
  { zone: 'b' },
  { gpu: 'true' },
  { gpu: 'true' },
  {},
  undefined
]

export const labelsOf = (index: number): Record<string, string> => ({
  zone: index === 0 ? 'a' : 'b',
  ...(index === 1 ? {} : { gpu: 'true' })
})

/** @param callsMuch sub runs call sub runs, on workers all over the place */
export function randomPlan(random: Random, name: string, callsMuch: boolean): Plan {
  const { below, chance, pick } = random
  const selector = pick(SELECTORS)
  const selected = (selector: Record<string, string> | undefined) => (selector ? { workerSelector: selector } : {})
  const subSelector = pick(SELECTORS)
  const inner = step('inner', { retry: { limit: below(2), interval: 3_000 } })
  const sub = plan(callsMuch ? [inner, step('deeper', { call: 'sub2' })] : [inner], {
    name: 'sub',
    ...selected(subSelector)
  })
  const deeper = callsMuch ? [plan([step('deepest')], { name: 'sub2', ...selected(pick(SELECTORS)) })] : []
  return plan(randomSteps(random, callsMuch ? 0.6 : 0.15), {
    name,
    maxActiveRuns: pick([1, 2, 4, -1]),
    onInterrupt: pick(['resume', 'fail', 'rerun']),
    onWorkerLost: pick(['fail', 'requeue', 'requeue', 'wait']),
    timeoutMs: chance(0.1) ? pick([30_000, 120_000]) : 0,
    preconditions: chance(0.1) ? [{ condition: 'test -f go' }] : [],
    ...selected(selector),
    handlers: {
      ...(chance(0.15) ? { exit: step('onExit') } : {}),
      ...(chance(0.1) ? { failure: step('onFailure') } : {})
    },
    locals: [{ ...sub, locals: deeper }, ...deeper]
  })
}

function randomSteps(random: Random, calls: number): Step[] {
  const { below, chance, pick } = random
  return Array.from({ length: 1 + below(3) }, (_, index) =>
    step(`s${index}`, {
      depends: index > 0 && chance(0.7) ? [`s${index - 1}`] : [],
      retry: { limit: pick([0, 1, 2, 2]), interval: pick([500, 8_000]) },
      continueOn: { failure: chance(0.2) },
      timeoutMs: chance(0.1) ? 20_000 : 0,
      ...(chance(calls)
        ? { call: 'sub' }
        : chance(0.1)
          ? { repeat: repeat({ intervalMs: 4_000, limit: 1 + below(3) }) }
          : {})
    })
  )
}

const DURATIONS = [1, 137, 1_231, 9_411, 20_173, 41_843, 92_917, 150_113]

/** The outcome of an execution follows from its place and the seed, whichever process starts it. */
export function fateOf(seed: number): Fate {
  return (state) => {
    let hash = seed ^ 0x9e3779b1
    const name = state.slice(state.indexOf('/runs/') + 1)
    for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
    const part = (shift: number, count: number) => ((hash >>> shift) & 0xff) % count
    const ms = DURATIONS[part(3, DURATIONS.length)] ?? 1_000
    return { ms: ms + part(11, 100), exitCode: part(17, 5) === 0 ? 1 : 0, stubborn: part(9, 6) === 0 }
  }
}
