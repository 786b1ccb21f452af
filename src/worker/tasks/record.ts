/** What a worker has on record of a task: lines that are added one by one and never changed. Source: distribution 5. */
import type { Offer, Stop } from '../../bus/tasks.ts'
import { object } from '../../schema/schema.ts'
import { parsed } from '../../schema/walk.ts'

/** An offer without its job. */
export type Kept = Pick<
  Offer,
  'task' | 'lease' | 'engine' | 'epoch' | 'what' | 'run' | 'name' | 'mayResume' | 'stopped' | 'unfenced'
>

export type Stopped = Pick<Stop, 'signal' | 'kill' | 'force'>
export interface Began {
  /** Epoch ms of this machine, like all instants here. */
  at: number
  /** The logs of its step, and their sizes then. */
  logs: [stdout: string, stderr: string]
  outFrom: number
  errFrom: number
}
/** A process has gone on with it that found it without an end. */
export interface Resumed {
  at: number
}
export interface Ended {
  at: number
  /** Sizes of the logs then. */
  out: number
  err: number
  /** Length of its result, and the result unless it is long: that is in a file of its own. */
  bytes: number
  result?: string
}

export type Line =
  | ({ kind: 'claimed'; job: string } & Kept)
  | ({ kind: 'began' } & Began)
  | ({ kind: 'stopped' } & Stopped)
  | ({ kind: 'resumed' } & Resumed)
  | ({ kind: 'ended' } & Ended)

export interface TaskRecord extends Kept {
  /** The job, until the task has ended. */
  job: string
  began?: Began
  /** The latest that was asked of it. */
  asked?: Stopped
  /** When the task was gone on with, epoch ms. */
  resumed?: number[]
  ended?: Ended
}

/** `stopped`: before it was offered. */
export type Found =
  | { state: 'stopped' }
  | { state: 'damaged' }
  | { state: 'empty' }
  | { state: 'claimed'; record: TaskRecord }

const kinds = object({ kind: { enum: ['claimed', 'began', 'stopped', 'resumed', 'ended'] } })

/** @param text whole lines only; what comes after the last line break was never acted on */
export function recordIn(text: string): Found {
  let record: TaskRecord | undefined
  let isStopped = false
  for (const written of text.split('\n').slice(0, -1)) {
    const line = parsed(kinds, written) as Line | undefined // written here
    if (line?.kind === 'claimed') {
      const { kind: _, ...kept } = line
      record = kept
    } else if (!line) return { state: 'damaged' }
    else if (record) apply(record, line)
    else isStopped = true
  }
  if (isStopped) return { state: 'stopped' }
  return record ? { state: 'claimed', record } : { state: 'empty' }
}

export function apply(record: TaskRecord, { kind, ...facts }: Exclude<Line, { kind: 'claimed' }>): void {
  if (kind === 'began') record.began = facts as Began
  else if (kind === 'stopped') record.asked = facts as Stopped
  else if (kind === 'resumed') record.resumed = [...(record.resumed ?? []), (facts as Resumed).at]
  else {
    record.ended = facts as Ended
    record.job = ''
  }
}
