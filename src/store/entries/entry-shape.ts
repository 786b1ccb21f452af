/**
 * Checks that an entry is a valid run or node, because its readers rely on its members. A damaged entry may still be valid JSON.
 * Source: reliability P7, F12.
 */
import {
  NODE_STATUSES,
  RUN_STATUSES,
  STOPPER_TYPES,
  TRIGGER_REPEATS,
  TRIGGER_TYPES
} from '../../../machines/vocabulary/lists.ts'
import type {
  Given,
  GivenUp,
  KeptSignal,
  LateEnd,
  NodeRecord,
  PlacedOn,
  RunRecord,
  StarterRights,
  Stopper,
  Trigger
} from '../../../machines/vocabulary.ts'
import { array, count, flag, number, type Optional, object, optional, type Schema, text } from '../../schema/schema.ts'
import { misfitsOf } from '../../schema/walk.ts'
import { instant, type OpenState, type StoredNode, type StoredRun } from '../stored.ts'

/** An object whose members are those of a type; others are ignored. */
const shaped = <V>(members: { readonly [K in keyof V]-?: Schema | Optional }): Schema =>
  object<Record<string, Schema | Optional>>(members)
const some = { type: 'object' } as const
const one = (texts: readonly string[]) => ({ enum: texts })

const key = shaped<{ name: string; dagRunId: string }>({ name: text, dagRunId: text })
const conditions = optional(array(shaped({ matched: flag, error: text })))
const caller = shaped<NonNullable<RunRecord['caller']>>({
  root: key,
  parent: key,
  step: text,
  runAttempt: count,
  attempt: count,
  depth: count
})
const given = { at: instant, by: optional(text), id: optional(text), refusal: optional(text) }
const marks = optional(array(shaped({ at: count, secret: text, from: optional(count), length: optional(count) })))
const kept = shaped<KeptSignal>({ ...given, output: optional(text), outputMarks: marks })
const gaveUp = shaped<GivenUp>({
  attempt: count,
  worker: text,
  home: text,
  late: optional(
    shaped<LateEnd>({
      endedAt: instant,
      heardAt: instant,
      exitCode: optional(number),
      signal: optional(text),
      error: optional(text)
    })
  )
})
const patterns = optional(array(text))
const rights = shaped<StarterRights>({
  role: text,
  rules: array(shaped({ may: text, dags: patterns, groups: patterns, tags: patterns }))
})
const RUN = shaped<RunRecord>({
  name: text,
  dagRunId: text,
  status: one(RUN_STATUSES),
  attempt: count,
  queue: optional(text),
  order: optional(number),
  priority: optional(number),
  notBefore: optional(instant),
  only: optional({ anyOf: [count, array(count)] }),
  fresh: optional(flag),
  caller: optional(caller),
  placement: optional(
    shaped<NonNullable<RunRecord['placement']>>({ home: text, id: text, lease: count, extra: optional(flag) })
  ),
  retryOf: optional(key),
  starter: optional(rights),
  trigger: optional(
    shaped<Trigger>({
      type: one(TRIGGER_TYPES),
      again: optional(one(TRIGGER_REPEATS)),
      by: optional(text),
      slot: optional(instant),
      of: optional(key),
      requestId: optional(text)
    })
  ),
  createdAt: instant,
  queuedAt: optional(instant),
  startedAt: optional(instant),
  finishedAt: optional(instant),
  params: array(shaped({ name: text, value: text, written: optional(flag) })),
  log: text,
  nodeLogs: text,
  plan: text,
  error: optional(text),
  stoppedBy: optional(shaped<Stopper>({ type: one(STOPPER_TYPES), by: optional(text), requestId: optional(text) })),
  superseded: optional(flag),
  conditions,
  given: optional({ type: 'object', additionalProperties: kept }),
  warnings: optional(array(text))
})
const NODE = shaped<NodeRecord>({
  step: text,
  status: one(NODE_STATUSES),
  startedAt: optional(instant),
  finishedAt: optional(instant),
  retryCount: count,
  doneCount: count,
  exitCode: optional(number),
  signal: optional(text),
  error: optional(text),
  thrown: optional(some),
  stdout: optional(text),
  stderr: optional(text),
  output: optional(text),
  outputMarks: marks,
  conditions,
  continues: optional(flag),
  given: optional(shaped<Given>(given)),
  worker: optional(shaped<PlacedOn>({ id: text, lease: count })),
  givenUp: optional(array(gaveUp))
})
const open = shaped<OpenState>({
  value: { anyOf: [text, some] },
  context: some,
  children: { type: 'object', additionalProperties: object({ src: text }) }
})

// D853: an unreadable run is listed as failed
/** @returns the value @throws Error that names the invalid member */
function checked(schema: Schema, value: unknown): unknown {
  const [wrong] = misfitsOf(schema, value)
  if (!wrong) return value
  const [of, member] = wrong.at
  if (of === undefined || wrong.at.join() === 'record') throw new Error('there is no record in it')
  throw new Error(`its member ${of}${member === undefined ? '' : `.${member}`} is damaged`)
}
const storedRun = object({ record: RUN, open: optional(open), seq: count })
const storedNode = object({ record: NODE, open: optional(open) })

/** @throws Error for an invalid run */
export const asRun = (value: unknown): StoredRun => checked(storedRun, value) as StoredRun // by its schema
/** @throws Error for an invalid node */
export const asNode = (value: unknown): StoredNode => checked(storedNode, value) as StoredNode // by its schema
