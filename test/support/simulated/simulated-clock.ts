/** A clock that stands still until it is advanced; its random numbers follow from the seed. */
import type { Clock } from '../../../src/clock.ts'

export interface SimulatedClock extends Clock {
  /** Instant of the next alarm; undefined: nobody waits. */
  next(): number | undefined
  /** Goes to an instant and rings what is due by then, in order. */
  goTo(at: number): void
  /** Somebody sets the clock, or the machine slept: what is due by then rings late, at that instant. */
  jump(at: number): void
}

export function simulatedClock(start = Date.UTC(2026, 0, 1), seed = 1): SimulatedClock {
  let now = start
  let state = seed
  let count = 0
  /** `floats`: it keeps its distance when the clock is set. */
  const alarms = new Map<number, { dueAt: number; floats?: true; ring(): void }>()
  /** Of several at one instant, the one that was set first. */
  function due() {
    let first: [number, { dueAt: number; ring(): void }] | undefined
    for (const one of alarms) if (!first || one[1].dueAt < first[1].dueAt) first = one
    return first
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
    next: () => due()?.[1].dueAt,
    goTo(at) {
      for (let first = due(); first && first[1].dueAt <= at; first = due()) {
        const [id, { dueAt, ring }] = first
        alarms.delete(id)
        now = Math.max(now, dueAt)
        ring()
      }
      now = Math.max(now, at)
    },
    jump(at) {
      for (const alarm of alarms.values()) if (alarm.floats) alarm.dueAt += at - now
      now = at
    }
  }
}
