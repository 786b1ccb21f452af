/** Run logs: the engine's own lines about a run, `time=... level=... msg="..." key=value`. Never a value of a variable. Source: execution-semantics 14.2. */
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'

export interface RunLogs {
  write(path: string, level: 'INFO' | 'WARN' | 'ERROR', message: string, fields?: Record<string, string | number>): void
  /** Resolves when all lines have reached their files. */
  flushed(): Promise<void>
}

/** @param fault told of a log that cannot be written; the run goes on */
export function openRunLogs(clock: Clock, fault: (path: string, error: unknown) => void): RunLogs {
  const waiting = new Map<string, string[]>()
  const writing = new Map<string, Promise<void>>()

  async function drain(path: string): Promise<void> {
    for (let lines = waiting.get(path); lines; lines = waiting.get(path)) {
      waiting.delete(path)
      await append(path, lines.join('')).catch((error) => fault(path, error))
    }
    writing.delete(path)
  }

  return {
    write(path, level, message, fields = {}) {
      const time = new Date(clock.now()).toISOString()
      const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${word(String(value))}`)
      const line = `time=${time} level=${level} msg=${JSON.stringify(message)}${rest.join('')}\n`
      const lines = waiting.get(path)
      if (lines) lines.push(line)
      else waiting.set(path, [line])
      if (!writing.has(path)) writing.set(path, drain(path))
    },
    async flushed() {
      while (writing.size > 0) await Promise.all(writing.values())
    }
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
