/** Room for what a run writes beside the store: its log folder, its logs, the records of its executions. Source: reliability P6. */
import { type Clock, pause } from '../../clock.ts'
import { codeOf, messageOf } from '../../errors.ts'

export interface LogRoom {
  /**
   * Tries until the disk has room: one that is full, or read-only for a while, fails no run.
   * @param abandoned its signal is asked for when there is no room: most never have one
   * @throws Error what it is refused for otherwise; for the lack of room only when the signal aborts
   */
  take<T>(write: () => T | Promise<T>, abandoned: Abandoned): Promise<T>
  /** Why runs wait; undefined: none does. */
  readonly lacking: string | undefined
}

/** An `AbortController`, or whoever has a signal. */
export type Abandoned = Readonly<Pick<AbortController, 'signal'>>

/** Such a disk is asked again at this distance. */
const AGAIN_MS = 500
const LACKING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

export function openLogRoom(clock: Clock): LogRoom {
  /** What those who wait were told last. */
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
            if (signal.aborted) throw error // what nobody waits for must not be done after all
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
