/** Waiting for something that can only be asked for: one rule for every engine, so that the asking costs both the same. */
import { setTimeout as pause } from 'node:timers/promises'

/** Pauses between two questions, in ms. They grow with the time waited, so a long wait costs the server little. */
const SHORTEST = 1
const LONGEST = 250
const SHARE_OF_THE_WAIT = 0.05

/**
 * Asks until the answer is not undefined. A wait is overestimated by 5 % or 1 ms, whichever is more.
 * @throws Error naming `what` when `limitMs` have passed
 */
export async function until<T>(what: string, limitMs: number, ask: () => Promise<T | undefined>): Promise<T> {
  const begun = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    const waited = performance.now() - begun
    if (waited > limitMs) throw new Error(`waited ${limitMs / 1000} s for ${what}`)
    await pause(Math.min(LONGEST, Math.max(SHORTEST, waited * SHARE_OF_THE_WAIT)))
  }
}
