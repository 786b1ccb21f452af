/**
 * Guards and actions of the node chart: passes of a step with a `repeatPolicy`. `node-setup-missing.ts` adds to them.
 * Source: execution-semantics 6.2, 7.3.5.
 */
import { assign } from 'xstate'
import { countsAsSuccess } from '../policy/continue-on.ts'
import { goesOn, hasFailed, heldByCode, passesLeft, repeatWaitMs } from '../policy/repeat.ts'
import type { Repeat } from '../vocabulary.ts'
import { lastPass } from './node-context.ts'
import type { NodeStop } from './node-events.ts'
import { stoppingSetup } from './node-setup-stopping.ts'

/** Stands in for a missing policy; the chart only asks for steps that have one. */
const once: Repeat = { mode: 'while', exitCodes: [], intervalMs: 0, limit: 1, backoff: 1, maxIntervalMs: 0 }

export const repeatingSetup = stoppingSetup.extend({
  guards: {
    repeats: ({ context: c }) => c.step.repeat !== undefined,
    passesUsedUp: ({ context: c }) => !passesLeft(c.step.repeat ?? once, c.doneCount),
    hasRepeatCondition: ({ context: c }) => c.step.repeat?.condition !== undefined,
    repeatsByCode: ({ context: c }) => {
      const repeat = c.step.repeat ?? once
      return goesOn(repeat, heldByCode(repeat, lastPass(c)))
    },
    repeatsByCondition: ({ context: c }, { met }: { met: boolean }) => goesOn(c.step.repeat ?? once, met),
    finishesPass: ({ context: c }, { atOnce }: NodeStop) => c.step.repeat !== undefined && !atOnce,
    stopsAtOnce: (_, { atOnce }: NodeStop) => atOnce === true,
    endedInPart: ({ context: c }) => !hasFailed(lastPass(c)) && c.partial === true,
    endedWell: ({ context: c }) => !hasFailed(lastPass(c)),
    endedAsSuccess: ({ context: c }) =>
      countsAsSuccess(c.step.continueOn, lastPass(c).exitCode, c.outputMatched ?? false)
  },
  actions: {
    /** A pass has ended; the step may go on. */
    notePass: assign(({ context: c }, { at }: { at: number }) => ({ decidedAt: at, doneCount: c.doneCount + 1 })),
    noteDecision: assign((_, { at }: { at: number }) => ({ decidedAt: at })),
    noteLastPass: assign({ finishedAt: ({ context: c }) => c.decidedAt ?? c.at }),
    planRepeat: assign({
      dueAt: ({ context: c }) => (c.decidedAt ?? c.at) + repeatWaitMs(c.step.repeat ?? once, c.doneCount)
    })
  }
})
