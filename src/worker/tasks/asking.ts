/** Asks an engine until it answers: with growing pauses, and at once when the bus is connected again. Source: distribution 3. */
import { type Bus, Unanswered } from '../../bus/bus.ts'
import { Unreadable } from '../../bus/readers.ts'
import { ANSWER_MS, type Word, wordIn } from '../../bus/tasks.ts'
import { type Clock, pause } from '../../clock.ts'

export interface Asking {
  /**
   * @param question asked for anew each time; undefined: there is nothing left to ask
   * @param tries at most; absent: without an end
   * @returns undefined: it was left, or nobody has answered
   */
  insist(
    subject: string,
    question: () => Promise<string | undefined>,
    until: AbortSignal,
    tries?: number
  ): Promise<Word | undefined>
  close(): void
}

const LONGEST_WAIT_MS = 15_000

export function openAsking(bus: Bus, clock: Clock): Asking {
  let back = new AbortController()
  const unstate = bus.onState((state) => {
    if (state !== 'connected') return
    back.abort()
    back = new AbortController()
  })
  return {
    async insist(subject, question, until, tries = Number.POSITIVE_INFINITY) {
      let waitMs = ANSWER_MS
      for (let asked = 0; asked < tries && !until.aborted; asked++) {
        const from = clock.elapsed()
        const text = await question()
        if (text === undefined || until.aborted) return undefined
        try {
          return wordIn(await bus.ask(subject, text, ANSWER_MS))
        } catch (error) {
          if (!(error instanceof Unanswered || error instanceof Unreadable)) throw error
        }
        const [random = 0] = clock.random(1)
        const leftMs = waitMs * (1 + random / 1_024) - (clock.elapsed() - from)
        await pause(clock, Math.max(0, leftMs), AbortSignal.any([until, back.signal]))
        waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)
      }
      return undefined
    },
    close: unstate
  }
}
