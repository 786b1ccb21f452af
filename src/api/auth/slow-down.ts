/** Slows down who guesses credentials: after 10 failures, an address gets one try a second. Source: reliability 5.1 "Credential guessing". */
import { isIPv6 } from 'node:net'
import { type Clock, pause } from '../../clock.ts'

const FREE_FAILURES = 10
const BETWEEN_TRIES_MS = 1_000
/** Who would have to wait longer is turned away. */
const LONGEST_WAIT_MS = 10_000
/** Failures are forgotten so long after the last. */
const FORGOTTEN_MS = 5 * 60_000
const MOST_ADDRESSES = 10_000

export interface SlowDown {
  /** Waits for the next try of this address. False: too many wait already. */
  turn(address: string): Promise<boolean>
  /** The try that this address had was wrong. */
  failed(address: string): void
}

export function slowDown(clock: Clock): SlowDown {
  const known = new Map<string, { failures: number; lastAt: number; nextAt: number }>()
  const recordOf = (address: string) => {
    const record = known.get(address)
    if (record && clock.now() - record.lastAt < FORGOTTEN_MS) return record
    known.delete(address)
    return undefined
  }
  return {
    async turn(address) {
      const record = recordOf(networkOf(address))
      if (!record || record.failures < FREE_FAILURES) return true
      const now = clock.now()
      const at = Math.max(now, record.nextAt)
      if (at - now > LONGEST_WAIT_MS) return false
      record.nextAt = at + BETWEEN_TRIES_MS
      if (at > now) await pause(clock, at - now)
      return true
    },
    failed(address) {
      const network = networkOf(address)
      const record = recordOf(network) ?? { failures: 0, lastAt: 0, nextAt: 0 }
      const now = clock.now()
      const failures = record.failures + 1
      const nextAt = failures < FREE_FAILURES ? 0 : Math.max(record.nextAt, now + BETWEEN_TRIES_MS)
      known.delete(network) // the oldest stand first
      known.set(network, Object.assign(record, { failures, lastAt: now, nextAt }))
      const [oldest] = known.keys()
      if (known.size > MOST_ADDRESSES && oldest !== undefined) known.delete(oldest)
    }
  }
}

/** Of IPv6, the first half: a single customer has all of the second. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const gap = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  const groups = [...(before ?? []), ...Array<string>(Math.max(0, gap)).fill('0'), ...(after ?? [])]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
