/** Token buckets, one for each caller: they fill evenly and start full. Those that are full again are forgotten. */
import type { Clock } from '../../clock.ts'

export interface Allowance {
  /** What one holds. */
  burst: number
  perMs: number
}

export interface Buckets {
  /** Takes one token. Returns the seconds until there is one; 0: it was taken. */
  take(caller: string, allowance: Allowance): number
  /** How many are remembered. */
  readonly size: number
}

/** The one that was used longest ago goes first, and is full when its caller comes back. */
const MOST = 10_000
/** Looked at each time, so that what is full again goes without a walk over all. */
const SWEPT = 2

// D1471: rates are token buckets in memory, 10,000 at most
export function openBuckets(clock: Pick<Clock, 'elapsed'>, most = MOST): Buckets {
  /** In the order of their use. */
  const known = new Map<string, { tokens: number; at: number; fullAt: number }>()

  function sweep(now: number): void {
    let looked = 0
    for (const [caller, { fullAt }] of known) {
      if (looked++ === SWEPT || (fullAt > now && known.size <= most)) return
      known.delete(caller)
    }
  }

  return {
    take(caller, { burst, perMs }) {
      const now = clock.elapsed()
      const found = known.get(caller)
      const filled = found ? Math.min(burst, found.tokens + (now - found.at) * perMs) : burst
      const wait = filled >= 1 ? 0 : Math.max(1, Math.ceil((1 - filled) / perMs / 1_000))
      const tokens = wait === 0 ? filled - 1 : filled
      known.delete(caller)
      known.set(caller, { tokens, at: now, fullAt: now + (burst - tokens) / perMs })
      sweep(now)
      return wait
    },
    get size() {
      return known.size
    }
  }
}
