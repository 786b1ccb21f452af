/** What an explanation is made from: the state of a run as its journal tells it, and what stands around the run. Source: docs/inspect.md. */
import type { RunKey, RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import type { Seen } from '../actors.ts'
import type { Blocker, Reason } from '../facts.ts'
import type { Cause } from './causes.ts'

export interface Situation extends Seen {
  record: RunRecord
  now: number
  /** An engine works on the home. */
  isOwned: boolean
  /** The engine lets no queued run go. */
  holdsQueues: boolean
  /** Processes that may be starting at a time. */
  maxProcesses: number
  /** When the process of an execution of a step began, as its holder has noted it; undefined: it has not. */
  begunAt(step: string, attempt: number): number | undefined
  /** The queue that it waits in; absent: it does not wait. */
  queue?: QueueSituation
  /** Of a retry that waits in its queue: what it is called, and what it goes on from when that is an attempt of the same run. */
  retry?: { label: string; before?: { label: string; situation: Situation } }
  /** Sub DAG runs of a step's latest execution that have begun, and how many it calls in all. */
  subRuns(place: number | string): { begun: { run: RunKey; status: RunStatus }[]; total: number; maxConcurrent: number }
}
export interface QueueSituation {
  name: string
  /** maxConcurrency of a configured queue. */
  maxConcurrency?: number
  running: RunRecord[]
  /** In the order in which they will go. */
  queued: RunRecord[]
}

/** What a reason says beside what it is about. */
export type Said = Omit<Reason, 'about' | 'blockedBy' | 'unblock'> & { cause: Cause } & Partial<
    Pick<Reason, 'blockedBy' | 'unblock'>
  >

export const reasonFor = (about: Reason['about'], { since, until, ...said }: Said): Reason => ({
  about,
  blockedBy: [],
  unblock: '',
  ...said,
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until })
})

/** Blockers that are named; of more than so many the nearest are. */
const MOST_BLOCKERS = 20
export const blockers = (kind: Blocker['kind'], names: readonly string[]): Blocker[] =>
  names.slice(0, MOST_BLOCKERS).map((name) => ({ kind, name }))
export const runsAsBlockers = (runs: readonly RunKey[]): Blocker[] =>
  runs.slice(0, MOST_BLOCKERS).map(({ name, dagRunId }) => ({ kind: 'run', name, dagRunId }))

/** `3 steps`, `1 step`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`
/** An error in a sentence: what follows its first line is the end of a log. */
export const firstLine = (error: string): string => error.split('\n', 1)[0] ?? ''
/** Names in a sentence; of many the first. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}
/** A duration in a sentence: `4 s`, `2 min`, `3 h`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
/** A number in the context of an actor; 0 there means none. */
export const instant = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined
