/** Room for what a run writes beside the store: its log folder, its logs, the records of its executions. Source: reliability P6. */
import { type Clock, pause } from '../clock.ts'

export interface LogRoom {
  /**
   * Tries until the disk has room: one that is full, or read-only for a while, fails no run.
   * @throws Error what it is refused for otherwise; for the lack of room only when `signal` aborts
   */
  take<T>(write: () => T | Promise<T>, signal: AbortSignal): Promise<T>
  /** Why runs wait; undefined: none does. */
  readonly lacking: string | undefined
}

/** Such a disk is asked again at this distance. */
const AGAIN_MS = 500
const LACKING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

export function openLogRoom(clock: Clock): LogRoom {
  /** What those who wait were told last. */
  const waiting = new Map<AbortSignal, string>()
  return {
    async take(write, signal) {
      try {
        for (;;) {
          try {
            return await write()
          } catch (error) {
            const { code, message } = error as NodeJS.ErrnoException
            if (!LACKING.has(code) || signal.aborted) throw error
            waiting.set(signal, message)
            await pause(clock, AGAIN_MS, signal)
            if (signal.aborted) throw error // what nobody waits for must not be done after all
          }
        }
      } finally {
        waiting.delete(signal)
      }
    },
    get lacking() {
      const [message] = waiting.values()
      return message === undefined ? undefined : `logs cannot be written: ${message}`
    }
  }
}
