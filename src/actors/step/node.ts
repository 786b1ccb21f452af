/** Implements the actors of the node machine. */
import { fromCallback } from 'xstate'
import type { callMachine } from '../../../machines/call.ts'
import type { eachMachine } from '../../../machines/each.ts'
import { type AttemptCommand, type AttemptInput, nodeMachine } from '../../../machines/node.ts'
import type { Thrown } from '../../../machines/vocabulary.ts'
import { passAnswer } from '../functions/answers.ts'
import { LackingCode, missingAt } from '../functions/lacking.ts'
import { quick } from '../journal/quick-transitions.ts'
import { type Recorder, recorded } from '../journal/recorded.ts'
import { alarm } from '../pace/alarm.ts'
import type { Services } from '../root/services.ts'
import { stepAt } from '../run/run-scope.ts'
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

interface Questions<A> {
  ask(input: AttemptInput, abandoned: AbortController): Promise<A>
  /** What the answer is for the node. */
  event(answer: A): Told
  /** The events without an answer: there is none; the process has ended while it was asked for. */
  failed: 'node.unprepared' | 'condition.failed'
  died: 'preparation.died' | 'condition.died'
}
interface Told {
  type: string
  [member: string]: unknown
}

const asking = <A>({ clock, transactions }: Services, { ask, event, failed, died }: Questions<A>) =>
  fromCallback<{ type: 'questions.stop' }, AttemptInput>(({ input, sendBack }) => {
    const abandoned = new AbortController()
    const answer = (told: Told) => transactions.take(() => sendBack({ at: clock.now(), ...told }))
    const begin = () => {
      if (abandoned.signal.aborted) return
      void ask(input, abandoned).then(
        (found) => answer(event(found)),
        (error: Error & { thrown?: Thrown }) =>
          answer(
            error instanceof LackingCode
              ? { type: 'node.lacking', code: error.code }
              : { type: failed, error: error.message, ...(error.thrown ? { thrown: error.thrown } : {}) }
          )
      )
    }
    const beginAgain = () => {
      sendBack({ type: died, at: clock.now() })
      transactions.afterCommit(begin)
    }
    transactions.afterCommit(input.died ? () => transactions.take(beginAgain) : begin)
    return () => abandoned.abort()
  })

/** Asks for the preconditions of a step and the texts of its retry policy, before the first attempt. */
const preparation = (services: Services) =>
  asking(services, {
    ask: (input, abandoned) => services.runnerOf(input.run).prepare(input, abandoned),
    event: (prepared) => ({ type: 'node.prepared', ...prepared }),
    failed: 'node.unprepared',
    died: 'preparation.died'
  })

/** Asks for the condition of a repeat policy after a pass, or its function, which is in the process of the engine. */
const repetition = (services: Services) =>
  asking(services, {
    ask(input, abandoned) {
      const { repeat } = stepAt(services.scope(input.run).plan, input.place)
      return repeat?.function === undefined
        ? services.runnerOf(input.run).repeats(input, abandoned)
        : passAnswer(services, input, repeat.function)
    },
    event: (met) => ({ type: 'condition.checked', met }),
    failed: 'condition.failed',
    died: 'condition.died'
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
