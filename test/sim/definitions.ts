/** Random definitions, with their schedules in a form that the rules can check. */
import type { Plan, Step } from '../../machines/vocabulary.ts'
import { plan, repeat, step } from '../support/charts/plans.ts'
import type { Random } from '../support/random.ts'
import { type Rhythm, randomRhythm } from './rules/calendar.ts'

export interface Definition {
  plan: Plan
  rhythms: { start: Rhythm[]; stop: Rhythm[]; restart: Rhythm[] }
}

/** maxConcurrency of the configured queues. `shared` is named by definitions, and is not configured. */
export const CAPACITIES: Record<string, number> = { narrow: 1, wide: 3 }
const QUEUES = [undefined, undefined, 'narrow', 'narrow', 'wide', 'shared']

export function randomDefinition(random: Random, name: string): Definition {
  const { below, chance, pick } = random
  const few = (probability: number) =>
    chance(probability) ? Array.from({ length: 1 + below(2) }, () => randomRhythm(random)) : []
  const rhythms = { start: few(0.8), stop: few(0.2), restart: few(0.2) }
  const queue = pick(QUEUES)
  const texts = (list: Rhythm[]) => list.map(({ text }) => text)
  return {
    rhythms,
    plan: plan(randomSteps(random), {
      name,
      schedule: { start: texts(rhythms.start), stop: texts(rhythms.stop), restart: texts(rhythms.restart) },
      restartWaitMs: pick([0, 0, 5_000, 90_000]),
      skipIfSuccessful: chance(0.25),
      catchup: pick(['none', 'none', 'none', 'last', 'all']),
      maxActiveRuns: pick([1, 1, 2, 3, -1]),
      ...(queue ? { queue } : {}),
      histRetentionDays: pick([30, 1, 2, 0, 0, -1]),
      delayMs: chance(0.1) ? 7_000 : 0,
      timeoutMs: chance(0.15) ? pick([30_000, 600_000]) : 0,
      onInterrupt: pick(['resume', 'fail', 'rerun']),
      preconditions: chance(0.1) ? [{ condition: 'test -f go' }] : [],
      ...(chance(0.04) ? { workerSelector: { gpu: 'true' } } : {}),
      handlers: {
        ...(chance(0.15) ? { exit: step('onExit') } : {}),
        ...(chance(0.1) ? { failure: step('onFailure') } : {})
      },
      locals: [plan([step('inner', { retry: { limit: below(2), interval: 3_000 } })], { name: 'sub' })]
    })
  }
}

function randomSteps(random: Random): Step[] {
  const { below, chance, pick } = random
  return Array.from({ length: 1 + below(3) }, (_, index) =>
    step(`s${index}`, {
      depends: index > 0 && chance(0.7) ? [`s${index - 1}`] : [],
      retry: { limit: below(3), interval: pick([1_000, 20_000]) },
      continueOn: { failure: chance(0.2) },
      ...(chance(0.2)
        ? { call: 'sub' }
        : chance(0.12)
          ? { repeat: repeat({ intervalMs: 4_000, limit: 1 + below(4) }) }
          : {})
    })
  )
}
