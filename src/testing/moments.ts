/**
 * The moments of one engine's life: each thing that it does to the world passes here, is counted, and may be the last. An
 * engine that is dead does nothing any more: what it waits for never comes.
 */
import type { SimulatedClock } from './simulated-clock.ts'

/** Where a lifetime may end, in the order of a transaction. */
export type Moment =
  | 'before an append'
  | 'after an append'
  | 'before a transaction'
  | 'after a transaction'
  | 'at an alarm'
  | 'at the next turn'
  | 'before a start'
  | 'after a start'

export interface Moments {
  readonly alive: boolean
  /** The moment in which the life ended. */
  readonly died: Moment | undefined
  /** Things that are on their way and need no time. */
  readonly pending: number
  /** Counted, and whether it lives on. */
  passes(moment: Moment): boolean
  /** Passes a moment, for those who can wait forever. */
  reach(moment: Moment): Promise<void>
  /** A moment later, if it is still alive then. */
  after(work: () => void): Promise<void>
  /** The clock as this engine sees it. */
  readonly clock: SimulatedClock
  /** Ends the life now. */
  end(): void
}

/** A new one each time: what waits for one that lives on is never forgotten. */
const never = () => new Promise<never>(() => {})

/**
 * @param last the life ends at the moment with this number; absent: it does not
 * @param between called whenever a transaction has ended and is not stored yet
 */
export function openMoments(world: SimulatedClock, last = Number.POSITIVE_INFINITY, between = () => {}): Moments {
  let count = 0
  let alive = true
  let died: Moment | undefined
  let pending = 0
  const alarms = new Set<() => void>()

  function end(): void {
    alive = false
    for (const cancel of alarms) cancel()
    alarms.clear()
  }
  function passes(moment: Moment): boolean {
    if (!alive) return false
    if (moment === 'at the next turn') between()
    if (++count < last) return true
    died = moment
    end()
    return false
  }
  const waking = (wait: (ring: () => void) => () => void) => (ring: () => void) => {
    if (!alive) return () => {}
    const cancel = wait(() => {
      alarms.delete(cancel)
      if (passes('at an alarm')) ring()
    })
    alarms.add(cancel)
    return () => {
      alarms.delete(cancel)
      cancel()
    }
  }
  const soon = (work: () => void) => {
    pending++
    setImmediate(() => {
      pending--
      work()
    })
  }
  return {
    get alive() {
      return alive
    },
    get died() {
      return died
    },
    get pending() {
      return pending
    },
    passes,
    reach: (moment) => (passes(moment) ? Promise.resolve() : never()),
    after: (work) =>
      new Promise((resolve) =>
        soon(() => {
          if (!alive) return
          work()
          resolve()
        })
      ),
    clock: {
      ...world,
      at: (dueAt, ring) => waking((ring) => world.at(dueAt, ring))(ring),
      lazily: (dueAt, ring) => waking((ring) => world.lazily(dueAt, ring))(ring),
      after: (ms, ring) => waking((ring) => world.after(ms, ring))(ring),
      soon: (next) => soon(() => passes('at the next turn') && next())
    },
    end
  }
}
