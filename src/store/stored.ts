/** The store's entries: their types, and schemas of those that are checked when they are read. Source: reliability P7. */
import type {
  NodePlace,
  NodeRecord,
  Plan,
  RunRecord,
  ScheduleKind,
  SecretMark,
  StarterRights,
  SubRunRef,
  WorkerSelf
} from '../../machines/vocabulary.ts'
import { array, integer, number, object, optional, type Schema, type Shape, text } from '../schema/schema.ts'
import { fits } from '../schema/walk.ts'

/** State of an actor that has not ended: together with its record, enough to restore the actor. */
export interface OpenState {
  value: unknown
  context: Record<string, unknown>
  /** Invoked actors that must be running, by id. Without the nodes of a run, which have their own entries. */
  children: Record<string, { src: string; input: unknown }>
}

export interface StoredRun {
  record: RunRecord
  open?: OpenState
  /** `seq` of the run's latest journal record when this entry was written. @see latestSeq in history.ts */
  seq: number
}

export interface StoredNode {
  record: NodeRecord
  open?: OpenState
}

export interface StoredPlan {
  plan: Plan
  spec: string
}

/** The call of one execution of a step. */
export interface StoredCall {
  /** Content hash of the sub workflow's plan. */
  plan: string
  maxConcurrent: number
  items: SubRunRef[]
  /** Number of earlier passes of the step. */
  pass: number
  /** No further item starts. */
  stopped: boolean
  /** Length of the step's stdout log when the call began. */
  offset: number
}

/** The result of an item of a step with `each`. */
export interface StoredItem {
  /** Content hash of the item: another one in its place has no result yet. */
  item: string
  /** The result of the item as JSON, secrets masked. */
  output: string
  outputMarks?: SecretMark[]
}

/** The previous attempt of a retried run. */
export interface StoredAttempt {
  record: RunRecord
  nodes: Map<NodePlace, NodeRecord>
}

/** The latest instant that a date can represent. */
const LATEST = 8.64e15
/** Epoch ms. */
export const instant = { type: 'number', minimum: -LATEST, maximum: LATEST } as const satisfies Schema
const texts = array(text)
const is =
  <S extends Schema>(schema: S) =>
  (value: unknown): boolean =>
    fits(schema, value)

/** A renamed DAG: the runs that were created before are moved. */
const move = object({ to: text, before: number })
export type StoredMove = Shape<typeof move>
export const isMove = is(move)

/** Which minutes of a definition's schedules have been decided. */
const slots = object({
  /** The latest ones of each kind. */
  decided: { type: 'object', additionalProperties: array(instant) },
  /** For `catchup`: every start of these expressions up to this instant has been decided. */
  starts: optional(object({ expressions: texts, through: instant }))
})
export interface StoredSlots extends Shape<typeof slots> {
  decided: Partial<Record<ScheduleKind, number[]>>
}
export const areSlots = is(slots)

export const isDecision = is(
  object({ fileName: text, name: text, kind: text, slot: instant, at: instant, outcome: text })
)

/** A restart that has begun: `dagRunId` is that of the new run. Source: execution-semantics 11.11. */
const restart = object({ dagRunId: text, waitMs: number })
export type StoredRestart = Shape<typeof restart>
export const isRestart = is(restart)

/** A text that the file of a definition has had. */
const version = object({
  /** Hash of the text, as the API has it. */
  revision: text,
  /** When the version was saved or found. */
  at: instant,
  /** Name of the one who saved the version; absent: not known. */
  by: optional(text),
  /** `saved`: through the engine; `found`: in the file, when that was read. */
  how: { enum: ['saved', 'found'] },
  /** Absent: an earlier version of the same revision has it. */
  spec: optional(text)
})
export type StoredVersion = Shape<typeof version>
export const isVersion = is(version)

/** A worker, as its chart has it. */
const worker = object({
  /** State of its chart, such as `serving.warning`. */
  state: text,
  /** The worker's own description; absent: nothing that could be read. */
  self: optional(
    object({ id: text, slots: integer, executors: texts, labels: { type: 'object', additionalProperties: text } })
  ),
  /** Process of the worker. */
  session: text,
  greetedAt: instant,
  heardAt: instant,
  /** Why the worker is refused; empty: it is not. */
  refusal: text,
  /** The worker has a fence. */
  fences: optional({ const: true }),
  /** The worker was asked to drain. @see DrainAsked */
  drain: optional(object({ timeoutMs: optional(number) }))
})
export type StoredWorker = Omit<Shape<typeof worker>, 'self'> & { self?: WorkerSelf }
export const isWorker = is(worker)

/** An event that is to be delivered to a target of `notify`. */
const delivery = object({
  /** Type of the event, such as `run.failed`. */
  event: text,
  /** The root run that it is about; absent: it is about no run. */
  run: optional(object({ name: text, dagRunId: text })),
  /** When the event happened. */
  at: instant,
  /** Body of the request: a CloudEvent as JSON, secrets masked. */
  body: text,
  /** Failed attempts since it was written, or asked for again. */
  attempts: integer,
  /** Earliest instant of the next attempt. */
  dueAt: instant,
  /** No attempt begins later, except the first. */
  giveUpAt: instant,
  /** When the latest attempt ended; absent: there was none. */
  triedAt: optional(instant),
  /** Why that failed, or why it is given up: a sentence. */
  error: optional(text),
  /** When the event became a dead letter; absent: it waits. */
  deadAt: optional(instant)
})
export type StoredDelivery = Shape<typeof delivery>
export const isDelivery = is(delivery)

/** An API key without its text, which nobody has but who was given it. */
const key = object({
  name: text,
  /** On the whole server. */
  role: text,
  /** Roles for some definitions. */
  rules: array(object({ may: text })),
  createdAt: instant,
  /** Name of who made it. */
  createdBy: text,
  /** Absent: never. */
  expiresAt: optional(instant),
  revokedAt: optional(instant),
  revokedBy: optional(text),
  /** Absent: it was never used. Written once a minute at most. */
  lastUsedAt: optional(instant),
  /** Parameters and result of scrypt; base64. */
  hash: object({ N: integer, r: integer, p: integer, salt: text, value: text })
})
export type StoredKey = Omit<Shape<typeof key>, 'rules'> & Pick<StarterRights, 'rules'>
export const isKey = is(key)

/** A start with an idempotency key. */
const ask = object({
  dagRunId: text,
  /** Hash of its text and params: with others the key is refused. */
  print: text,
  at: instant
})
export type StoredAsk = Shape<typeof ask>
export const isAsk = is(ask)

/** Files of a removed run. */
const leftover = object({
  /** Absolute path of its run log. */
  log: text,
  /** Folders of its attempts. */
  nodeLogs: texts,
  /** Names of the run's steps and handlers. */
  steps: texts,
  /** The run's own working directory. */
  own: text
})
export type StoredLeftover = Shape<typeof leftover>
export const isLeftover = is(leftover)
