/** Follows the record of a process that nobody reports on: adopted after a restart, or left by a keeper that was killed. */
import type { Clock } from '../clock.ts'
import { type ProcessEnd, readState } from './state-file.ts'

/** How often a record is looked at, and how long its holder has to write it after the process is gone. */
const LOOK_MS = 100
const GRACE_MS = 1_000

export interface Watches {
  /**
   * Waits for the end of a process. Undefined: it is gone, and nobody recorded how; or it has never been.
   * @param began told when the process is seen alive, epoch ms
   */
  watch(state: string, began?: (at: number) => void): Promise<ProcessEnd | undefined>
  /** Ends all watches: they never resolve. */
  close(): void
}

export function openWatches(clock: Clock): Watches {
  const pending = new Set<() => void>()
  let closed = false
  const later = (look: () => void) => {
    if (closed) return
    const cancel = clock.at(clock.now() + LOOK_MS, () => {
      pending.delete(cancel)
      look()
    })
    pending.add(cancel)
  }
  return {
    watch: (state, began) =>
      new Promise((resolve) => {
        let giveUpAt: number | undefined
        const look = () => {
          const found = readState(state)
          if (found.state === 'ended') return resolve(found.end)
          if (found.state === 'alive') {
            began?.(found.beganAt)
            giveUpAt = undefined
          } else {
            giveUpAt ??= clock.now() + GRACE_MS
            if (clock.now() >= giveUpAt) return resolve(undefined)
          }
          later(look)
        }
        look()
      }),
    close() {
      closed = true
      for (const cancel of pending) cancel()
    }
  }
}
