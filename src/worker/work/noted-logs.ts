/** Run logs that also keep what is written, to be told to the engine. */
import type { RunLogs } from '../../actors/run/run-log.ts'
import type { Note } from '../../bus/results.ts'

/** What one task may tell, in lines and characters. */
const MOST_NOTES = 1_000
const MOST_CHARACTERS = 256 * 1024
const LONGEST = 4_000
const MOST_FIELDS = 20
const LONGEST_NAME = 100

export interface NotedLogs extends RunLogs {
  notes: Note[]
  /** Masks what was written before. */
  mask(mask: (text: string) => string): void
}

export function notedLogs(logs: RunLogs): NotedLogs {
  const notes: Note[] = []
  let left = MOST_CHARACTERS
  return {
    notes,
    flushed: logs.flushed,
    write(path, level, message, fields = {}) {
      logs.write(path, level, message, fields)
      if (notes.length === MOST_NOTES || left <= 0) return
      const note = { level, message: message.slice(0, LONGEST), fields: fitting(fields) }
      left -= JSON.stringify(note).length
      notes.push(note)
    },
    mask(mask) {
      for (const note of notes) {
        note.message = mask(note.message).slice(0, LONGEST)
        for (const [name, value] of Object.entries(note.fields))
          if (typeof value === 'string') note.fields[name] = mask(value)
      }
    }
  }
}

const fitting = (fields: Note['fields']): Note['fields'] =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, MOST_FIELDS)
      .map(([name, value]) => [
        name.slice(0, LONGEST_NAME),
        typeof value === 'string' ? value.slice(0, LONGEST) : value
      ])
  )
