/** The log of a function: lines for the logs of its step, whose files are made at the first line. */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../clock.ts'
import { codeOf } from '../../errors.ts'
import type { CallLog } from '../../executors/function/types.ts'
import { makeLogFolder } from '../../platform/make-folder.ts'
import { noteExecution, noteTimes, type TimesNote } from '../../platform/note-times.ts'
import type { NodeFiles } from '../run/log-names.ts'
import { appendNow } from '../step/append.ts'

export interface StepLog {
  log: CallLog
  /** From now on nothing is written: the step has ended. */
  end(): void
}

/** Bytes of its fields and message that a line may have. */
const LONGEST = 64 * 1024

/**
 * @param fault told once when a line cannot be written: no function fails of that
 * @param execution of its step, which what was there before is not of; absent: several write at the same time
 */
export function stepLog(
  { stdout, stderr }: NodeFiles,
  mask: (text: string) => string,
  clock: Pick<Clock, 'now'>,
  fault: (error: unknown) => void,
  execution = 1
): StepLog {
  let isOver = false
  let hasFailed = false
  const notes = new Map<string, TimesNote>()
  /** Not made yet: nothing can be noted beside them. */
  const absent = new Set([stdout, stderr].filter((path) => execution > 1 && !existsSync(path)))
  for (const path of [stdout, stderr]) if (!absent.has(path)) void noteExecution(path, execution)
  const say =
    (path: string, level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (isOver) return
      try {
        const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
        const line = `${new Date(clock.now()).toISOString()} ${level} ${message}${rest.join('')}`
        const text = Buffer.from(`${mask(line.slice(0, LONGEST))}\n`)
        const note = notes.get(path) ?? noteTimes(path, clock.now())
        notes.set(path, note)
        append(path, text)
        if (absent.delete(path)) void noteExecution(path, execution, 0)
        note.wrote(text.length, clock.now())
      } catch (error) {
        if (!hasFailed) fault(error)
        hasFailed = true
      }
    }
  const log = {
    debug: say(stdout, 'debug'),
    info: say(stdout, 'info'),
    warn: say(stderr, 'warn'),
    error: say(stderr, 'error')
  }
  return {
    log,
    end() {
      isOver = true
      for (const note of notes.values()) void note.end()
    }
  }
}

/** Synchronous: for a few lines that costs a tenth of what the thread pool would. */
function append(path: string, text: Uint8Array): void {
  try {
    appendNow(path, text)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeLogFolder(dirname(path))
    appendNow(path, text)
  }
}

/** Bytes that a log has; of one that is not there, none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
