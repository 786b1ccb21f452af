/** A clock that nobody sets: silence is measured by it, whatever becomes of the wall clock. Source: distribution 1 (D15, D18). */
import type { Clock } from '../../clock.ts'

/** Epoch ms as they would be had the wall clock run on since it was opened. */
export function steadyClock(clock: Clock): Clock {
  const from = clock.now() - clock.elapsed()
  const now = () => Math.round(from + clock.elapsed())
  return {
    now,
    elapsed: () => clock.elapsed(),
    at: (dueAt, ring) => clock.after(Math.max(1, dueAt - now()), ring),
    after: (ms, ring) => clock.after(ms, ring),
    soon: (next) => clock.soon(next),
    random: (count) => clock.random(count)
  }
}
