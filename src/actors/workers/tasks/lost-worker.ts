/** Who cannot wait for a worker hears when it is lost: a step that was asked to stop, and handlers. Source: distribution 4, D13. */
import type { Clock } from '../../../clock.ts'

/** Nobody can know more of what was given to it. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost'
}

/** Between looks. */
const LOOK_MS = 1_000

/**
 * Rejects with `WorkerLost` when the worker is lost while somebody cannot wait for it.
 * @param cannotWait asked at each look
 */
export function whenLost(
  { clock, isLost }: { clock: Pick<Clock, 'after'>; isLost(home: string): boolean },
  { home, id }: { home: string; id: string },
  cannotWait: () => boolean
): { lost: Promise<never>; cancel(): void } {
  let cancel = () => {}
  const lost = new Promise<never>((_, reject) => {
    const look = () => {
      if (cannotWait() && isLost(home)) reject(new WorkerLost(`the worker ${id} is lost, and may still run it`))
      else cancel = clock.after(LOOK_MS, look)
    }
    look()
  })
  lost.catch(() => {}) // it may be found when nobody waits any more
  return { lost, cancel: () => cancel() }
}
