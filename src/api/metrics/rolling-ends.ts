/** Counts ended runs in a rolling time window, to the minute. Source: api-semantics 10.1 (engine_dag_runs_total). */

export type Ending = 'succeeded' | 'failed' | 'aborted'

export interface RollingEnds {
  /** @param at epoch ms */
  add(ending: Ending, at: number): void
  /** Ends within the window before `now`. */
  counts(now: number): Record<Ending, number>
}

const MINUTE_MS = 60_000

/** @param windowMs whole minutes */
export function rollingEnds(windowMs: number): RollingEnds {
  const minutes = new Map<number, Record<Ending, number>>()
  return {
    add(ending, at) {
      const minute = Math.floor(at / MINUTE_MS)
      const counts = minutes.get(minute) ?? { succeeded: 0, failed: 0, aborted: 0 }
      counts[ending]++
      minutes.set(minute, counts)
    },
    counts(now) {
      const total = { succeeded: 0, failed: 0, aborted: 0 }
      const oldest = Math.floor((now - windowMs) / MINUTE_MS)
      for (const [minute, counts] of minutes) {
        if (minute <= oldest) minutes.delete(minute)
        else for (const ending of ['succeeded', 'failed', 'aborted'] as const) total[ending] += counts[ending]
      }
      return total
    }
  }
}
