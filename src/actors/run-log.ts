/** Run logs: the engine's own lines about a run, `time=... level=... msg="..." key=value`. Never a value of a variable. Source: execution-semantics 14.2. */
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { fewAtATime } from './few-at-a-time.ts'

export interface RunLogs {
  /** The line is in its file within `LAG_MS`. */
  write(path: string, level: 'INFO' | 'WARN' | 'ERROR', message: string, fields?: Record<string, string | number>): void
  /** Resolves when the lines so far have reached their files; with a path, those of one log. */
  flushed(path?: string): Promise<void>
}

/** Lines of one log within this time are written together. */
const LAG_MS = 200
/** Files that are written at a time. */
const APPENDED = 16

/** @param fault told of a log that cannot be written; the run goes on */
export function openRunLogs(clock: Clock, fault: (path: string, error: unknown) => void): RunLogs {
  const waiting = new Map<string, string[]>()
  const writing = new Map<string, Promise<void>>()
  const appending = fewAtATime(APPENDED)
  let wake: (() => void) | undefined

  function drain(path: string): Promise<void> {
    const lines = waiting.get(path)
    if (!lines) return writing.get(path) ?? Promise.resolve()
    waiting.delete(path)
    const written = (writing.get(path) ?? Promise.resolve())
      .then(() => appending.take(() => append(path, lines.join(''))))
      .catch((error) => fault(path, error))
      .finally(() => writing.get(path) === written && writing.delete(path))
    writing.set(path, written)
    return written
  }
  const drainAll = async () => {
    wake?.()
    wake = undefined
    await Promise.all([...waiting.keys(), ...writing.keys()].map(drain))
  }

  return {
    write(path, level, message, fields = {}) {
      const time = new Date(clock.now()).toISOString()
      const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${word(String(value))}`)
      const line = `time=${time} level=${level} msg=${JSON.stringify(message)}${rest.join('')}\n`
      const lines = waiting.get(path)
      if (lines) lines.push(line)
      else waiting.set(path, [line])
      wake ??= clock.at(clock.now() + LAG_MS, drainAll)
    },
    flushed: (path) => (path === undefined ? drainAll() : drain(path))
  }
}

/** The folder is made by the first line. */
async function append(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text, { mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o750 })
    await appendFile(path, text, { mode: 0o600 })
  }
}

const word = (text: string) => (/^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text))
