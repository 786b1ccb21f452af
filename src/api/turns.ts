/** Work on many things that gives way to other requests. Source: reliability P17. */
import { systemClock } from '../clock.ts'

/** Nobody waits for longer than this, and for one piece of work. */
const TURN_MS = 5

/** @returns to be awaited between two pieces of work: others have their turn now and then */
export function turns(): () => Promise<void> | undefined {
  let since = systemClock.elapsed()
  return () => {
    if (systemClock.elapsed() - since < TURN_MS) return undefined
    return new Promise<void>((resolve) =>
      systemClock.soon(() => {
        since = systemClock.elapsed()
        resolve()
      })
    )
  }
}
