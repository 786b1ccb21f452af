/** Slows down guessing: after 10 failures an address may fail once a second. Valid credentials never wait. Source: reliability 5.1. */
import type { Clock } from '../../clock.ts'
import { networkOf } from '../client-address.ts'

const FREE_FAILURES = 10
const BETWEEN_FAILURES_MS = 1_000
/** Failures are forgotten this long after the last one. */
const FORGOTTEN_MS = 5 * 60_000
const MOST_ADDRESSES = 10_000

// D271: credentials are compared before anything is limited
export function slowDown(clock: Clock) {
  const known = new Map<string, { failures: number; lastAt: number; nextAt: number }>()
  return {
    /** Counts a failure of this address. Returns the seconds until its next try; 0: none. */
    failed(address: string): number {
      const network = networkOf(address)
      const now = clock.now()
      const found = known.get(network)
      const record =
        found && now - found.lastAt < FORGOTTEN_MS
          ? found
          : { failures: 0, lastAt: now, nextAt: Number.NEGATIVE_INFINITY }
      known.delete(network) // the oldest stand first
      known.set(network, record)
      const [oldest] = known.keys()
      if (known.size > MOST_ADDRESSES && oldest !== undefined) known.delete(oldest)
      record.lastAt = now
      record.failures++
      // A clock that was set back must not lengthen a wait.
      const wait = Math.min(record.nextAt - now, BETWEEN_FAILURES_MS)
      if (wait > 0) return Math.ceil(wait / 1_000)
      if (record.failures >= FREE_FAILURES) record.nextAt = now + BETWEEN_FAILURES_MS
      return 0
    }
  }
}
