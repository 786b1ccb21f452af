/** A clock for schedules of a real engine: nobody waits a minute for the next one. */
import { type Clock, systemClock } from '../../../src/clock.ts'

/** The system's clock, set to 1.5 s before 10:01 of 2 March 2026 (UTC). */
export function almost(): Clock {
  const offset = Date.UTC(2026, 2, 2, 10, 0, 58, 500) - systemClock.now()
  return {
    ...systemClock,
    now: () => systemClock.now() + offset,
    at: (dueAt, ring) => systemClock.at(dueAt - offset, ring)
  }
}
