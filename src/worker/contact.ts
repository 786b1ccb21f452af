/**
 * When the engine was last heard, by the clock of this boot. Only an answer counts, from the moment of the question: the engine counts from
 * when it received that, which was later, so no delay can make it begin elsewhere what is still at work here. Source: distribution 1 (D4),
 * 5.
 */
import type { Offer } from '../bus/tasks.ts'
import { messageOf } from '../errors.ts'
import type { Fence } from '../executors/fence/fence.ts'

export interface Contact {
  /** A heartbeat is sent; `hello`: a hello. */
  sent(n: number | 'hello'): void
  /** The engine has answered. @param fenceMs absent: it is of an earlier release, and begins nothing elsewhere */
  answered(n: number | 'hello', fenceMs?: number): void
  /** Whether a step may begin: the engine has been heard a moment ago. */
  isFresh(): boolean
  /** Whether an offer was made a moment ago. @param heartbeat the latest one that the engine had heard */
  isRecent(heartbeat: Offer['beat']): boolean
  /** Whether what is at work here must end. */
  isPast(): boolean
  /** Grows with each absence that was so long that what was at work had to end: what was claimed before must not begin. */
  lapses(): number
}

/** Age up to which an answered heartbeat counts, and so does the one that an offer was made after. */
const FRESH_MS = 10_000
/** By which the fence is before the engine. */
const EARLIER_MS = 5_000
/** Heartbeats whose time is kept. */
const KEPT = 30

// D1005: the deadline of a worker follows from when it asked, not from when it was answered
export function openContact(
  fence: Pick<Fence, 'renew' | 'deadline'>,
  session: string,
  uptime: () => number,
  warn: (text: string) => void = () => {}
): Contact {
  const sentAt = new Map<number | 'hello', number>()
  let heardAt: number | undefined
  // A process before this one was under a deadline.
  let isFenced = fence.deadline() !== undefined
  let lapses = 0
  const isPast = () => {
    const until = fence.deadline()
    return isFenced && until !== undefined && uptime() >= until
  }
  return {
    sent(n) {
      sentAt.delete(n)
      sentAt.set(n, uptime())
      const [oldest] = sentAt.keys()
      if (sentAt.size > KEPT && oldest !== undefined) sentAt.delete(oldest)
    },
    answered(n, fenceMs) {
      const at = sentAt.get(n)
      if (at === undefined) return
      if (fenceMs === undefined) {
        isFenced = false
        return
      }
      const until = fence.deadline()
      // None is on record where nothing was fenced before, or the machine was started since.
      if (until === undefined || at >= until) {
        lapses++
        if (heardAt !== undefined) warn('nothing was heard of the engine for so long that its steps were ended here')
      }
      isFenced = true
      // D1037: a deadline that cannot be written stays as it is, and nothing begins by it
      try {
        fence.renew(at + fenceMs - EARLIER_MS)
        heardAt = Math.max(heardAt ?? 0, at)
      } catch (error) {
        warn(`the deadline of the steps here cannot be written, and stays as it is: ${messageOf(error)}`) // a full disk
      }
    },
    isFresh: () => !isFenced || (heardAt !== undefined && uptime() - heardAt < FRESH_MS),
    isRecent(heartbeat) {
      if (!isFenced || !heartbeat) return true
      const at = heartbeat.session === session ? sentAt.get(heartbeat.n) : undefined
      return at !== undefined && uptime() - at < FRESH_MS
    },
    isPast,
    lapses: () => lapses
  }
}
