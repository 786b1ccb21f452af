/** What comes of tasks, as a worker tells it. Source: distribution 3. */
import { between, line, lines, list, map, oneOf } from '../schema/limited.ts'
import { object, optional, type Schema, type Shape } from '../schema/schema.ts'
import type { TaskKind } from './jobs.ts'
import { reader } from './readers.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const count = between(0, LARGEST)
const error = lines(64 * 1024, 0)
const flag = { type: 'boolean', 'x-wanted': 'boolean' } as const
const scalar = { anyOf: [{ type: 'string' }, { type: 'number' }], 'x-wanted': 'string or number' } as const
/** A line for the log of the run. */
const note = object({
  level: oneOf(['INFO', 'WARN', 'ERROR']),
  message: lines(4_000),
  fields: map(line(100), scalar, 20)
})
export type Note = Shape<typeof note>
const notes = list(note, 1_000)
const condition = object({ matched: flag, error: lines(64 * 1024, 0) })
const conditions = list(condition, 1_000)

/** What comes of a task; `error` says why nothing does. */
const RESULTS = {
  open: object({ error: optional(error), notes }),
  conditions: object({ met: flag, conditions, notes, error: optional(error) }),
  check: object({
    error: optional(error),
    met: optional(flag),
    message: optional(error),
    conditions: optional(conditions),
    retry: optional({ type: 'object', 'x-wanted': 'object' }),
    wait: optional(object({ ask: optional(lines(64 * 1024, 0)), for: optional(line(1_000)) })),
    notes
  }),
  repeat: object({ met: flag, notes, error: optional(error) }),
  expand: object({
    error: optional(error),
    target: optional(lines(64 * 1024, 0)),
    refs: optional(list(object({ params: lines(LARGEST, 0), written: list(line(1_000), 1_000) }), 1_000_000)),
    notes
  }),
  close: object({ notes, error: optional(error) }),
  step: object({
    exitCode: between(-1, LARGEST),
    signal: optional(line(40)),
    error: optional(lines(LARGEST, 0)),
    output: optional(lines(LARGEST, 0)),
    outputMarks: optional(
      list(object({ at: count, secret: line(1_000), from: optional(count), length: optional(count) }), 1_000_000)
    ),
    outputMatched: optional(flag),
    notes
  })
} satisfies Record<TaskKind, Schema>
export type ResultOf<K extends TaskKind> = Shape<(typeof RESULTS)[K]>

/** @throws Unreadable */
export const resultIn = <K extends TaskKind>(what: K, value: unknown): ResultOf<K> => reader(what, RESULTS[what])(value)
