/** Notes once a second how far the logs of running jobs have grown: a shell that holds a step does not see what it writes. */
import { statSync } from 'node:fs'
import type { Clock } from '../../../clock.ts'
import { noteTimes, type TimesNote } from '../../../platform/note-times.ts'
import type { Job } from '../job.ts'

export interface GrownLogs {
  begin(job: Pick<Job, 'stdout' | 'stderr'>): GrowingLogs
  close(): void
}

export interface GrowingLogs {
  end(): void
}

interface Log {
  path: string
  size: number
  note: TimesNote
}

const SECOND_MS = 1_000
/** In the first moment of a second, what is new counts for the one that has ended: nearly all of it was written then. */
const MOMENT_MS = 100

// D1251
export function grownLogs(clock: Clock): GrownLogs {
  const growing = new Set<Log[]>()
  let stopLooking: (() => void) | undefined

  function look(log: Log): void {
    const found = statSync(log.path, { throwIfNoEntry: false })
    if (!found?.isFile() || found.size === log.size) return
    const now = clock.now()
    const latest = now % SECOND_MS < MOMENT_MS ? now - MOMENT_MS : now
    log.note.wrote(found.size - log.size, Math.min(found.mtimeMs, latest))
    log.size = found.size
  }
  function lookNext(): void {
    stopLooking ??= clock.after(SECOND_MS - (clock.now() % SECOND_MS), () => {
      stopLooking = undefined
      for (const logs of growing) logs.forEach(look)
      if (growing.size > 0) lookNext()
    })
  }

  return {
    begin({ stdout, stderr }) {
      const logs = [stdout, stderr].map((path) => {
        const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
        return { path, size, note: noteTimes(path, clock.now()) }
      })
      growing.add(logs)
      lookNext()
      return {
        end() {
          if (!growing.delete(logs)) return
          logs.forEach(look)
          for (const { note } of logs) void note.end()
        }
      }
    },
    close() {
      stopLooking?.()
      growing.clear()
    }
  }
}
