/**
 * While the bus is away nobody is lost, and the charts hear of nothing. Who cannot wait does not wait for the bus either: a step that was
 * asked to stop, and handlers. Source: distribution 4, D13, D15.
 */
import type { Clock } from '../../../clock.ts'

/** Nobody can know more of what was given to a worker. */
export class BusAway extends Error {
  override readonly name = 'BusAway'
}

/** Between looks. */
const LOOK_MS = 1_000

// D1006: while the bus is away nobody is lost, but a stop and a handler do not wait for it longer than for a worker
/**
 * Rejects with `BusAway` when the bus has been away for long while somebody cannot wait for it.
 * @param cannotWait asked at each look
 */
export function whenAway(
  { clock, isAway }: { clock: Pick<Clock, 'after'>; isAway(): boolean },
  id: string,
  cannotWait: () => boolean
): { away: Promise<never>; cancel(): void } {
  let cancel = () => {}
  const away = new Promise<never>((_, reject) => {
    const look = () => {
      if (cannotWait() && isAway())
        reject(new BusAway(`the message bus is out of reach, and the worker ${id} may still run it`))
      else cancel = clock.after(LOOK_MS, look)
    }
    look()
  })
  away.catch(() => {}) // it may be found when nobody waits any more
  return { away, cancel: () => cancel() }
}
