/** The engine's own lines about a run, `time=... level=... msg="..." key=value`, without values. Source: execution-semantics 14.2. */
import { dirname } from 'node:path'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import { type Clock, nextTurn } from '../../clock.ts'
import { codeOf } from '../../errors.ts'
import { makeLogFolder } from '../../platform/make-folder.ts'
import { appendNow } from '../step/append.ts'

export interface RunLogs {
  /** The line is written to the file within `LAG_MS`. */
  write(path: string, level: 'INFO' | 'WARN' | 'ERROR', message: string, fields?: Record<string, string | number>): void
  /** Resolves when all lines so far have been written; with a path, those of one log. */
  flushed(path?: string): Promise<void>
}

/** Interval at which lines of one log are written together. */
const LAG_MS = 200
/** Logs that are written in one round of the event loop. */
const AT_ONCE = 50

// D712: run logs are written in the main thread
/** @param fault called when a log cannot be written; the run continues */
export function openRunLogs(clock: Clock, fault: (path: string, error: unknown) => void): RunLogs {
  const waiting = churnMap<string[]>()
  let wake: (() => void) | undefined
  /** Many lines share a millisecond, and formatting the date is the most expensive part of a line. */
  let latest = { at: Number.NaN, text: '' }

  function timeOf(at: number): string {
    if (at !== latest.at) latest = { at, text: new Date(at).toISOString() }
    return latest.text
  }
  function drain(path: string): void {
    const lines = waiting.get(path)
    if (!lines) return
    waiting.delete(path)
    try {
      append(path, lines.join(''))
    } catch (error) {
      fault(path, error)
    }
  }
  async function drainAll(): Promise<void> {
    wake?.()
    wake = undefined
    const paths = waiting.keys()
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      if (at > 0) await nextTurn(clock)
      for (const path of paths.slice(at, at + AT_ONCE)) drain(path)
    }
  }

  return {
    write(path, level, message, fields = {}) {
      const time = timeOf(clock.now())
      const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${word(String(value))}`)
      const line = `time=${time} level=${level} msg=${JSON.stringify(message)}${rest.join('')}\n`
      const lines = waiting.get(path)
      if (lines) lines.push(line)
      else waiting.set(path, [line])
      wake ??= clock.after(LAG_MS, drainAll)
    },
    flushed: async (path) => (path === undefined ? drainAll() : drain(path))
  }
}

/** The first line creates the folder. Synchronous: for a few lines that costs a tenth of what the thread pool would. */
function append(path: string, text: string): void {
  try {
    appendNow(path, text)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    makeLogFolder(dirname(path))
    appendNow(path, text)
  }
}

const word = (text: string) => (/^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text))
