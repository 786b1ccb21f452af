/** The system's clock, which a test can move on: what waits by it rings as if that time had passed. Processes notice nothing. */
import { type Clock, systemClock } from '../../../src/clock.ts'

export interface SkippingClock extends Clock {
  /** Lets time pass in steps of half a second, between which messages arrive. */
  pass(ms: number): Promise<void>
  close(): void
}

const STEP_MS = 500
const TURN_MS = 5

export function skippingClock(): SkippingClock {
  let offset = 0
  let count = 0
  const alarms = new Map<number, { isDue(): boolean; ring(): void }>()
  const now = () => systemClock.now() + offset
  const elapsed = () => systemClock.elapsed() + offset
  const wait = (isDue: () => boolean, ring: () => void) => {
    const id = ++count
    alarms.set(id, { isDue, ring })
    return () => void alarms.delete(id)
  }
  const turn = () => {
    for (const [id, { isDue, ring }] of [...alarms])
      if (alarms.has(id) && isDue()) {
        alarms.delete(id)
        ring()
      }
  }
  const timer = setInterval(turn, TURN_MS)
  return {
    now,
    elapsed,
    at: (dueAt, ring) => wait(() => now() >= dueAt, ring),
    after(ms, ring) {
      const dueAt = elapsed() + ms
      return wait(() => elapsed() >= dueAt, ring)
    },
    soon: systemClock.soon,
    random: systemClock.random,
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        offset += Math.min(left, STEP_MS)
        turn()
        await new Promise((resolve) => setTimeout(resolve, TURN_MS))
      }
    },
    close: () => clearInterval(timer)
  }
}
