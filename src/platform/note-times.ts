/** Notes when a log is written, beside it: for a log that this process writes. */
import { constants, statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { executionLine, timesLine, timesPath } from './log-times.ts'

export interface TimesNote {
  /** These bytes have been appended. @param at epoch ms */
  wrote(bytes: number, at: number): void
  /** Resolves when all of it is on record. Never rejects: a log without times is one all the same. */
  end(): Promise<void>
}

/** @param log its path; what it holds was written before @param now epoch ms */
export function noteTimes(log: string, now: number): TimesNote {
  const found = statSync(log, { throwIfNoEntry: false })
  let size = found?.size ?? 0
  let latest = second(now)
  /** Bytes up to which something is on record. */
  let noted = size
  /** A log that began and ended in one second needs no record: its own times say it. */
  let isNeeded = false
  let before = size > 0 && found ? timesLine(second(found.mtimeMs), size) : ''
  let writing = Promise.resolve()

  /** Puts on record that all of the log was written by the latest second. */
  function note(): void {
    if (noted === size) return
    noted = size
    const lines = before + timesLine(latest, size)
    before = ''
    writing = writing.then(() => appendTimes(log, lines))
  }

  return {
    wrote(bytes, at) {
      if (bytes === 0) return
      const its = second(at)
      const isNew = its !== latest
      if (isNew) note()
      latest = its
      size += bytes
      // At once: the writer may be killed before it writes again.
      if (isNew) note()
      isNeeded ||= isNew || before !== ''
    },
    end() {
      if (isNeeded) note()
      return writing
    }
  }
}

/** @param log its path @param lines as `timesLine` makes them. Never rejects: a log without times is one all the same */
export const appendTimes = (log: string, lines: string): Promise<void> =>
  appendFile(timesPath(log), lines, TO_APPEND).catch(() => {})

/** The content of a log was written by its latest change: noted before something is appended at another time. Never rejects. */
export function noteBefore(log: string): Promise<void> {
  const { size, mtimeMs } = statSync(log)
  return size > 0 ? appendTimes(log, timesLine(second(mtimeMs), size)) : Promise.resolve()
}

/**
 * Notes that an execution begins to write to a log, before it does. Never rejects: a log without it is one all the same.
 * @param execution of the step; nothing is noted of the first
 * @param bytes that the log has then; default: now
 */
export const noteExecution = (log: string, execution: number, bytes?: number): Promise<void> =>
  execution > 1
    ? appendTimes(log, executionLine(execution, bytes ?? statSync(log, { throwIfNoEntry: false })?.size ?? 0))
    : Promise.resolve()

const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants
/** A pipe in its place must not block a thread. Node accepts numbers, too, but its types do not say so. */
const TO_APPEND = {
  flag: (O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK | O_NOFOLLOW) as unknown as string,
  mode: 0o600
}

const second = (ms: number): number => Math.floor(ms / 1000)
