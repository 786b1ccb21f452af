/** How much a worker may say: one that floods the bus must cost next to nothing. Source: distribution 1 (D12). */
import type { Clock } from '../../clock.ts'

/** Messages of one home in a second: heartbeats that have waited for an engine, and hellos. Those about tasks are not counted. */
export const MOST_SAID = 100
const SECOND_MS = 1_000

export function openFloods(clock: Pick<Clock, 'elapsed'>) {
  let since = clock.elapsed()
  let counts = new Map<string, number>()
  return {
    /** `first`: the first message beyond the limit, which is worth a word. */
    heard(home: string): 'take' | 'first' | 'drop' {
      const now = clock.elapsed()
      if (now - since >= SECOND_MS) {
        since = now
        counts = new Map()
      }
      const count = (counts.get(home) ?? 0) + 1
      counts.set(home, count)
      if (count <= MOST_SAID) return 'take'
      return count === MOST_SAID + 1 ? 'first' : 'drop'
    }
  }
}
