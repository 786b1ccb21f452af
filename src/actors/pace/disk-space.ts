/** Disk space for what a run writes outside the store: its log folder, its logs, the records of its executions. Source: reliability P6. */
import { type Clock, pause } from '../../clock.ts'
import { codeOf, messageOf } from '../../errors.ts'

export interface DiskSpace {
  /**
   * Retries until there is disk space: a disk that is full, or read-only for a while, fails no run.
   * @param abandoned its signal is only created when there is no disk space: most calls never need one
   * @throws Error any other refusal; for lack of disk space only when the signal aborts
   */
  take<T>(write: () => T | Promise<T>, abandoned: Abandoned): Promise<T>
  /** Why runs wait; undefined: none does. */
  readonly lacking: string | undefined
}

/** An `AbortController`, or anything else with a signal. */
export type Abandoned = Readonly<Pick<AbortController, 'signal'>>

/** Interval between retries. */
const AGAIN_MS = 500
const LACKING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

export function openDiskSpace(clock: Clock): DiskSpace {
  /** The latest reason for each waiting call. */
  const waiting = new Map<Abandoned, string>()
  return {
    async take(write, abandoned) {
      try {
        for (;;) {
          try {
            return await write()
          } catch (error) {
            const { signal } = abandoned
            if (!LACKING.has(codeOf(error)) || signal.aborted) throw error
            waiting.set(abandoned, messageOf(error))
            await pause(clock, AGAIN_MS, signal)
            if (signal.aborted) throw error // abandoned work must not be done after all
          }
        }
      } finally {
        waiting.delete(abandoned)
      }
    },
    get lacking() {
      const [message] = waiting.values()
      return message === undefined ? undefined : `logs cannot be written: ${message}`
    }
  }
}
