/** A clock that stands still until it is advanced; its random numbers follow from the seed. */
import type { Clock } from '../clock.ts'

export interface SimulatedClock extends Clock {
  /** Instant of the next alarm; undefined: nobody waits. */
  next(): number | undefined
  /** Waits until an instant that may change meanwhile; infinite: it does not ring. Returns a function that cancels it. */
  lazily(dueAt: () => number, ring: () => void): () => void
  /** Goes to the next alarm and rings it, and no other one. */
  ringNext(): void
  /** Goes to an instant and rings what is due by then, in order. */
  goTo(at: number): void
  /** Somebody sets the clock, or the machine slept: what is due by then rings late, at that instant. */
  jump(at: number): void
}

interface Alarm {
  dueAt: number
  /** Instead of `dueAt`. */
  until?(): number
  /** The call keeps its distance when the clock is set. */
  floats?: true
  ring(): void
}

export function simulatedClock(start = Date.UTC(2026, 0, 1), seed = 1): SimulatedClock {
  let now = start
  let state = seed
  let count = 0
  const alarms = new Map<number, Alarm>()
  /** The earliest; of several at one instant, the one that was set first. */
  function due(): { id: number; dueAt: number; ring(): void } | undefined {
    let first: { id: number; dueAt: number; ring(): void } | undefined
    for (const [id, alarm] of alarms) {
      const dueAt = alarm.until ? Math.max(now, alarm.until()) : alarm.dueAt
      if (dueAt < (first?.dueAt ?? Number.POSITIVE_INFINITY)) first = { id, dueAt, ring: alarm.ring }
    }
    return first
  }
  function ring({ id, dueAt, ring }: { id: number; dueAt: number; ring(): void }): void {
    alarms.delete(id)
    now = Math.max(now, dueAt)
    ring()
  }
  return {
    now: () => now,
    elapsed: () => now - start,
    at(dueAt, ring) {
      const id = ++count
      alarms.set(id, { dueAt, ring })
      return () => void alarms.delete(id)
    },
    after(ms, ring) {
      const id = ++count
      alarms.set(id, { dueAt: now + ms, floats: true, ring })
      return () => void alarms.delete(id)
    },
    soon: (next) => void setImmediate(next),
    random: (length) =>
      Uint8Array.from({ length }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
        return state >>> 16
      }),
    lazily(until, ring) {
      const id = ++count
      alarms.set(id, { dueAt: 0, until, ring })
      return () => void alarms.delete(id)
    },
    next: () => due()?.dueAt,
    ringNext() {
      const first = due()
      if (first) ring(first)
    },
    goTo(at) {
      for (let first = due(); first && first.dueAt <= at; first = due()) ring(first)
      now = Math.max(now, at)
    },
    jump(at) {
      for (const alarm of alarms.values()) if (alarm.floats) alarm.dueAt += at - now
      now = at
    }
  }
}
