/** Implements the actors of the node machine. */
import { fromCallback } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import type { eachMachine } from '../../../machines/each.ts'
import { type AttemptCommand, type AttemptInput, nodeMachine } from '../../../machines/node.ts'
import type { Thrown } from '../../../machines/vocabulary.ts'
import { LackingCode, missingAt } from '../functions/lacking.ts'
import { quick } from '../journal/quick-transitions.ts'
import { type Recorder, recorded } from '../journal/recorded.ts'
import { alarm } from '../pace/alarm.ts'
import type { Services } from '../root/services.ts'
import type { Attempt } from '../runner/runner.ts'
import type { AttemptEnd, Tell } from './attempt-state.ts'
import { commandBuffer } from './command-buffer.ts'

export const nodeLogic = (services: Services, recorder: Recorder, { call, each }: InPlaceOfAttempts) =>
  recorded(
    quick(nodeMachine, {
      attempt: attempt(services),
      call,
      each,
      preparation: preparation(services),
      repetition: repetition(services),
      registration: registration(services),
      alarm: alarm(services)
    }),
    recorder
  )

/** Charts that stand in for an attempt. */
export interface InPlaceOfAttempts {
  call: typeof callMachine
  each: typeof eachMachine
}

/** Asks for the preconditions of a step and the texts of its retry policy, before the first attempt. */
const preparation = (services: Services) =>
  fromCallback<{ type: 'preparation.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    const answer = (event: { type: string; [member: string]: unknown }) =>
      transactions.take(() => sendBack({ at: clock.now(), ...event }))
    const ask = () => {
      if (abandoned.signal.aborted) return
      void services
        .runnerOf(input.run)
        .prepare(input, abandoned)
        .then(
          (prepared) => answer({ type: 'node.prepared', ...prepared }),
          (error: Error) => {
            if (error instanceof LackingCode) return answer({ type: 'node.lacking', code: error.code })
            const { message, thrown }: Error & { thrown?: Thrown } = error
            return answer({ type: 'node.unprepared', error: message, ...(thrown ? { thrown } : {}) })
          }
        )
    }
    const askAgain = () => {
      sendBack({ type: 'preparation.died', at: clock.now() })
      transactions.afterCommit(ask)
    }
    transactions.afterCommit(input.died ? () => transactions.take(askAgain) : ask)
    return () => abandoned.abort()
  })

/** Asks for the condition of a repeat policy after a pass. */
const repetition = (services: Services) =>
  fromCallback<{ type: 'repetition.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    transactions.afterCommit(
      () =>
        void services
          .runnerOf(input.run)
          .repeats(input, abandoned)
          .then((met) => transactions.take(() => sendBack({ type: 'condition.checked', at: clock.now(), met })))
    )
    return () => abandoned.abort()
  })

/** Tells a node that waits for code of the host application when this engine has it: at once, or never. */
const registration = (services: Services) =>
  fromCallback<{ type: 'registration.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    let isLeft = false
    transactions.afterCommit(() => {
      if (isLeft || missingAt(services, input)) return
      transactions.take(() => {
        if (!isLeft) sendBack({ type: 'function.registered', at: clock.now() })
      })
    })
    return () => {
      isLeft = true
    }
  })

// D1426: what follows a late end begins when the engine hears of it
/** An end that is heard of so long after it: the machine or the engine was asleep, or the worker out of reach. */
const LATE_MS = 1_000

const attempt = (services: Services) =>
  fromCallback<AttemptCommand, AttemptInput>(({ input, sendBack, receive }) => {
    const { clock, transactions } = services
    let work: Attempt | undefined
    let isLeft = false
    /** While nothing can be stored the attempt has not begun. */
    const commands = commandBuffer()
    // The stop is on record when the step hears of it: after a crash, its end is that of a stopped step.
    receive((command) => transactions.afterCommitOrStall(() => commands.hear(command)))
    const tell: Tell = (type, at, missing) =>
      transactions.take(() => sendBack({ type, at: at ?? clock.now(), ...missing }))
    const ended = (end: AttemptEnd) => {
      const now = clock.now()
      const heard = input.resumed || now - end.at >= LATE_MS ? { heardAt: now } : {}
      transactions.take(() => {
        sendBack({ type: 'attempt.ended', ...end, ...heard })
        if (work?.stored) transactions.afterCommit(work.stored)
      })
    }
    // The attempt is on record when this effect happens: after a crash it is looked for, not started twice.
    transactions.afterCommit(() => {
      if (isLeft) return
      work = services.runnerOf(input.run).attempt(input, tell)
      commands.begun(work)
      void work.ended.then(ended)
    })
    return () => {
      isLeft = true
      work?.leave(!services.isClosing())
    }
  })
