/** What comes of tasks, as a worker tells it. Source: distribution 3. */
import type { Note } from './jobs.ts'
import { any, integer, lines, list, map, object, oneOf, optional, type Reader, text } from './readers.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const count = integer(0, LARGEST)
const error = lines(64 * 1024, 0)
const notes: Reader<Note[]> = list(
  object({
    level: oneOf(['INFO', 'WARN', 'ERROR']),
    message: lines(4_000),
    fields: map(text(100), any<string | number>(['string', 'number']), 20)
  }),
  1_000
)
const condition = object({ matched: any<boolean>(['boolean']), error: lines(64 * 1024, 0) })
const conditions = list(condition, 1_000)

/** What comes of a task; `error` says why nothing does. */
export const RESULTS = {
  open: object({ error: optional(error), notes }),
  conditions: object({ met: any<boolean>(['boolean']), conditions, notes, error: optional(error) }),
  check: object({
    error: optional(error),
    met: optional(any<boolean>(['boolean'])),
    message: optional(error),
    conditions: optional(conditions),
    retry: optional(any<object>(['object'])),
    wait: optional(object({ ask: optional(lines(64 * 1024, 0)), for: optional(text(1_000)) })),
    notes
  }),
  repeat: object({ met: any<boolean>(['boolean']), notes, error: optional(error) }),
  expand: object({
    error: optional(error),
    target: optional(lines(64 * 1024, 0)),
    refs: optional(list(object({ params: lines(LARGEST, 0), written: list(text(1_000), 1_000) }), 1_000_000)),
    notes
  }),
  close: object({ notes, error: optional(error) }),
  step: object({
    exitCode: integer(-1, LARGEST),
    signal: optional(text(40)),
    error: optional(lines(LARGEST, 0)),
    output: optional(lines(LARGEST, 0)),
    outputMarks: optional(
      list(object({ at: count, secret: text(1_000), from: optional(count), length: optional(count) }), 1_000_000)
    ),
    outputMatched: optional(any<boolean>(['boolean'])),
    notes
  })
}
