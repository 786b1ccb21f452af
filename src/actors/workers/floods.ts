/** How much a worker may say: one that floods the bus must cost next to nothing. Source: distribution 1 (D12). */
import type { Clock } from '../../clock.ts'

/** Of one home in a second: heartbeats that have waited for an engine, and hellos. What it says of its tasks is not counted. */
export const MOST_SAID = 100
/** Of homes that are not known, all together: the others ask again 2 s later. */
const MOST_STRANGERS = 200
const SECOND_MS = 1_000

export interface Floods {
  /** `first`: the first message beyond the limit, which is worth a word. */
  heard(home: string, isKnown: boolean): 'take' | 'first' | 'drop'
}

export function openFloods(clock: Pick<Clock, 'elapsed'>): Floods {
  let since = clock.elapsed()
  let counts = new Map<string, number>()
  let strangers = 0
  return {
    heard(home, isKnown) {
      const now = clock.elapsed()
      if (now - since >= SECOND_MS) {
        since = now
        counts = new Map()
        strangers = 0
      }
      if (!isKnown) return ++strangers > MOST_STRANGERS ? 'drop' : 'take'
      const count = (counts.get(home) ?? 0) + 1
      counts.set(home, count)
      if (count <= MOST_SAID) return 'take'
      return count === MOST_SAID + 1 ? 'first' : 'drop'
    }
  }
}
