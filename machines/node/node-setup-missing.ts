/** Guards and actions of the node chart: a step whose function or executor this engine lacks. `node-setup-waits.ts` adds to them. */
import { assign } from 'xstate'
import type { AttemptMissing } from '../attempt.ts'
import { continuesAfterFailure } from '../policy/continue-on.ts'
import type { NodeLacking } from './node-events.ts'
import { repeatingSetup } from './node-setup-repeating.ts'

export const missingSetup = repeatingSetup.extend({
  guards: {
    // D1472
    /** Its own code, not that of another step for which its run waits. What is not allowed is not waited for. */
    failsWithout: ({ context: { step } }, { code }: NodeLacking | AttemptMissing) =>
      (step.onMissing === 'fail' || code.refused !== undefined) && code.step === step.name,
    /** Else it was about to be prepared. */
    holdsAttempt: ({ context: c }) => c.held !== undefined
  },
  actions: {
    noteLack: assign((_, { code }: NodeLacking) => ({ missing: code })),
    noteMissing: assign((_, { code, mayHaveBegun }: AttemptMissing) => ({
      missing: code,
      held: mayHaveBegun ? 'begun' : 'open'
    })),
    noteFound: assign({ missing: undefined }),
    noteFailedWithout: assign(({ context: { step } }, { at, code }: NodeLacking | AttemptMissing) => ({
      finishedAt: at,
      exitCode: 1,
      error: code.refused ?? `the ${code.kind} "${code.name}" is not registered with this engine (onMissing: fail)`,
      continues: continuesAfterFailure(step.continueOn, 1, false)
    }))
  }
})
