/** One attempt of a node: hands the step to the runner of its run and reports how that ended. Decides nothing. */
import { fromCallback } from 'xstate'
import type { AttemptCommand, AttemptInput } from '../../../machines/node.ts'
import type { Services } from '../root/services.ts'
import type { Attempt } from '../runner/runner.ts'
import type { AttemptEnd, Tell } from './attempt-state.ts'
import { commandBuffer } from './command-buffer.ts'

// D1426: what follows a late end begins when the engine hears of it
/** An end that is heard of so long after it: the machine or the engine was asleep, or the worker out of reach. */
const LATE_MS = 1_000

export const attempt = (services: Services) =>
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
