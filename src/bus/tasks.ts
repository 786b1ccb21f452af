/**
 * Messages about tasks: what an engine asks of a worker, and what the worker says about it. A task is known by its id and its lease,
 * the number of the placement that it belongs to. Each message may be lost, doubled, late or overtaken. Source: distribution 3.
 */
import { between, line, lines, list, matching, oneOf } from '../schema/limited.ts'
import { object, optional, type Shape } from '../schema/schema.ts'
import { bodyOf, jsonIn, messageOf, type SaidOf } from './envelope.ts'
import { KINDS } from './jobs.ts'
import { reader, Unreadable } from './readers.ts'

/** For an answer; then the question is asked again. */
export const ANSWER_MS = 2_000
/** A larger job is fetched in parts, and so is a larger result. */
export const INLINE_BYTES = 128 * 1024
/** Limit of one part of a log, a job or a result. */
export const PART_BYTES = 256 * 1024
/** Bytes of a log that come with the end of a task. */
export const TAIL_BYTES = 16 * 1024
/** In which the bytes of one part were written; a part ends before there are more. */
export const MOST_SECONDS = 1_000
/** Tasks in one heartbeat, and in one `forget`. */
export const MOST_TASKS = 1_000

const LARGEST = Number.MAX_SAFE_INTEGER
const count = between(0, LARGEST)
const id = matching('^[0-9a-f]{32}$', '32 hexadecimal digits')
const named = { task: id, lease: between(1, LARGEST) }

/** The engine offers a task. Repeated until it is answered, with the same task and lease. */
const offer = object({
  ...named,
  /** The engine that the task is for: only that one is told what comes of it. */
  engine: line(64),
  epoch: between(1, LARGEST),
  what: oneOf(KINDS),
  /** The run that it belongs to: a number of its attempt, by which `open` and later tasks find each other. */
  run: id,
  /** The name that people know the task by, such as `run/a/r1/node/build`. */
  name: line(2_000),
  /** The job as JSON; absent: it is fetched by `part`. */
  job: optional(lines(INLINE_BYTES)),
  jobBytes: count,
  /** The task was offered before the engine was restarted: what has begun may not go on if `mayResume` is false. */
  resumed: optional(oneOf([true])),
  mayResume: optional(oneOf([true])),
  /** The task was asked to stop before: it must not begin any more. */
  stopped: optional(line(20)),
  /** The latest heartbeat that the engine has heard: its offer was made after that. Absent: an engine of an earlier release. */
  beat: optional(object({ session: line(64), n: count })),
  /** The work of the task goes on, however long the engine is silent. */
  unfenced: optional(oneOf([true]))
})
/** A request to a task that was offered. `stop` and `kill` leave a mark: an offer that comes after them begins nothing. */
const stop = object({
  ...named,
  signal: line(20),
  kill: optional(oneOf([true])),
  force: optional(oneOf([true]))
})
const read = object({
  ...named,
  stream: oneOf(['stdout', 'stderr', 'result']),
  from: count,
  max: between(1, PART_BYTES),
  /** The bytes of the part may come beside the answer, instead of in it. */
  binary: optional(oneOf([true]))
})
/** Everything of these tasks is stored: records and logs may go. `runs` have ended. */
const forget = object({ tasks: list(object(named), MOST_TASKS), runs: list(id, MOST_TASKS) })

/** From an engine to one worker. */
const orders = { offer, stop, read, forget }
export type Order = SaidOf<typeof orders>
export type Offer = Shape<typeof offer>
export type Stop = Shape<typeof stop>
export type Read = Shape<typeof read>
export type Forget = Shape<typeof forget>
/** @throws Unreadable */
export const orderIn = messageOf('order', orders)

/** How far a task is: `claimed` (on record, not begun), `began`, `ended`. */
const STATES = ['claimed', 'began', 'ended'] as const
export type TaskState = (typeof STATES)[number]

/**
 * Why an offer is refused:
 * - `run`: nothing is known of its run; `open` first
 * - `stale`: a higher lease, or a higher epoch, has been seen
 * - `stopped`: it was stopped before it was offered
 * - `late`: it was on its way for too long, or the worker hears nothing of its engine
 * - `full`, `disk`: not now; `message`: it cannot be read
 */
const REFUSALS = ['run', 'stale', 'stopped', 'late', 'full', 'disk', 'message'] as const

/** As base64. */
const bytes = (longest: number) => ({
  'x-wanted': `at most ${longest} bytes in base64`,
  'x-read'(value: unknown): Buffer | undefined {
    const read = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
    return read && read.length <= longest ? read : undefined
  }
})
// D1260: a part of a log says in which seconds it was written
/** By these sizes of a log its bytes were written so long ago, by the worker's own clock; of the part only, oldest first. */
const seconds = list(object({ agoMs: count, to: count }), MOST_SECONDS)
export type Seconds = Shape<typeof seconds>
const part = object({ size: count, data: bytes(PART_BYTES), seconds: optional(seconds) })
const partBeside = object({ size: count, seconds: optional(seconds) })
const readBeside = reader('part', partBeside)
export type PartRead = Shape<typeof part>

/** From a worker to what an engine has asked. `unknown`: there is no such task. */
const replies = {
  claimed: object({ state: oneOf(STATES) }),
  refused: object({ why: oneOf(REFUSALS), text: lines(1_000) }),
  part,
  unknown: object({}),
  done: object({})
}
export type Reply = SaidOf<typeof replies>
const replyAlone = messageOf('reply', replies)

/** @param data what came beside it @throws Unreadable */
export function replyIn(message: string, data?: Buffer): Reply {
  const value = data && jsonIn(message, 'reply')
  if (!data || value?.kind !== 'part') return replyAlone(message)
  if (data.length > PART_BYTES) throw new Unreadable(`part.data: wanted at most ${PART_BYTES} bytes`)
  return { kind: 'part', ...readBeside(value), data }
}

/** Sizes of the two logs of its step, and where this execution began in them. */
const sizes = { out: count, err: count, outFrom: count, errFrom: count }

/** From a worker: a task has begun, was found at work after a restart, or has ended. Repeated until it is acknowledged. */
const event = object({
  ...named,
  engine: line(64),
  session: line(64),
  what: oneOf(['began', 'found', 'ended']),
  /** How long ago that was, by the worker's own clock. */
  agoMs: count,
  /** As in its offer; absent: a worker of an earlier release. */
  name: optional(line(2_000)),
  ...sizes,
  /** At the end: the result as JSON; absent: it is fetched by `read`. */
  result: optional(lines(INLINE_BYTES)),
  resultBytes: optional(count),
  /** At the end: what this execution has written, when it is short. */
  tailOut: optional(bytes(TAIL_BYTES)),
  tailErr: optional(bytes(TAIL_BYTES)),
  /** Times of these tails. */
  secondsOut: optional(seconds),
  secondsErr: optional(seconds)
})
export type TaskEvent = Shape<typeof event>
/** @throws Unreadable */
export const eventIn = bodyOf('event', event)

/** How long the logs of a task at work are, in a heartbeat. */
export const progress = object({ ...named, out: count, err: count })
export type Progress = Shape<typeof progress>

/** From a worker: part of a job that did not fit into its offer. @throws Unreadable */
export const wantedIn = bodyOf('job', object({ ...named, engine: line(64), from: count }))
export type Wanted = ReturnType<typeof wantedIn>

const runs = list(object({ run: id, lease: between(1, LARGEST) }), MOST_TASKS)
/** From a worker: runs that it has something of. It asks which of them are over. @throws Unreadable */
export const heldIn = bodyOf('runs', object({ engine: line(64), runs }))
export type HeldRuns = ReturnType<typeof heldIn>

/** From an engine to an event, to a wanted part, or to runs. `unknown`: it waits for no such task, which may be dropped. */
const words = { acked: object({}), unknown: object({}), part, over: object({ runs }) }
export type Word = SaidOf<typeof words>
/** @throws Unreadable */
export const wordIn = messageOf('word', words)

/** What an engine or a worker says; bytes go as base64. */
export const writtenTask = (
  said:
    | Order
    | Reply
    | Word
    | ({ kind: 'event' } & TaskEvent)
    | ({ kind: 'job' } & Wanted)
    | ({ kind: 'runs' } & HeldRuns)
): string =>
  JSON.stringify({
    v: 1,
    ...Object.fromEntries(
      Object.entries(said).map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString('base64') : value])
    )
  })

/** The answer to one who takes the bytes of a part beside it. */
export const writtenBeside = ({ size, seconds }: Shape<typeof partBeside>): string =>
  JSON.stringify({ v: 1, kind: 'part', size, seconds })
