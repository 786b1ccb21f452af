/** The input of an explanation: the state of a run from its journal, and its environment. Source: docs/inspect.md. */
import type { NodePlace, RunKey, RunRecord, RunStatus, WorkerNeeds, WorkerSelf } from '../../../machines/vocabulary.ts'
import type { StoredWorker } from '../../store/stored.ts'
import type { Seen } from '../actors.ts'
import type { Blocker, Reason } from '../inspection.ts'
import type { Cause } from './causes.ts'

export interface Situation extends Seen {
  record: RunRecord
  now: number
  /** An engine owns the home. */
  isOwned: boolean
  /** The engine starts no queued runs. */
  holdsQueues: boolean
  /** Maximum of processes that are starting at a time. */
  maxProcesses: number
  /** When the process of an execution of a step began, as its launcher has recorded it; undefined: it has not. */
  begunAt(step: string, attempt: number): number | undefined
  /** The worker that the run was placed on, as far as it is known. */
  worker?: Pick<StoredWorker, 'state' | 'heardAt'> & Pick<WorkerSeen, 'lostAt'>
  /** The queue that it is waiting in; absent: it is not waiting. */
  queue?: QueueSituation
  /** The needs of the run; absent: the engine runs it. */
  needs?: WorkerNeeds
  /** The workers that are there; absent: the engine has none. */
  workers?: readonly WorkerSeen[]
  needsOf(record: RunRecord): WorkerNeeds | undefined
  /** The run in whose place on a worker another one goes on: this one, or one that it is called from. Absent: there is none. */
  heldBack?: { run: RunKey; worker: string }
  /** The name of a retry that is waiting in its queue, and the attempt of the same run that it continues, if any. */
  retry?: { label: string; before?: { label: string; situation: Situation } }
  /** Sub DAG runs that a step's latest execution has started, and their total number. */
  subRuns(place: NodePlace): { begun: { run: RunKey; status: RunStatus }[]; total: number; maxConcurrent: number }
  /** Why a sub DAG run did not succeed, in the words of its first failed step. */
  whyEnded(run: RunKey): string | undefined
}
/** A worker, as far as placements depend on it. */
export interface WorkerSeen extends Pick<WorkerSelf, 'id' | 'labels' | 'slots' | 'executors'> {
  taken: number
  /** The worker is healthy and not draining. */
  isTaking: boolean
  isDraining: boolean
  /** Why a healthy worker takes no further run. */
  trouble?: string
  /** Epoch ms. */
  heardAt: number
  /** Epoch ms at which the worker is lost unless it is heard before; absent: it is heard, or that is not known. */
  lostAt?: number
  /** Id of the worker's home folder. */
  home: string
}
export interface QueueSituation {
  name: string
  /** maxConcurrency of a configured queue. */
  maxConcurrency?: number
  running: RunRecord[]
  /** In the order in which they will start. */
  queued: RunRecord[]
}

/** A reason without its subject. */
export interface Said extends Pick<Reason, 'text'>, Partial<Pick<Reason, 'waiting' | 'blockedBy' | 'unblock'>> {
  cause: Cause
  since?: number | undefined
  until?: number | undefined
}

/** What is said of something waits, unless it says otherwise. */
export const reasonFor = (about: Reason['about'], { cause, waiting = true, since, until, ...said }: Said): Reason => ({
  about,
  blockedBy: [],
  unblock: '',
  cause,
  waiting,
  ...said,
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until })
})

/** Maximum of named blockers, nearest first. */
const MOST_BLOCKERS = 20
export const blockers = (kind: Blocker['kind'], names: readonly string[]): Blocker[] =>
  names.slice(0, MOST_BLOCKERS).map((name) => ({ kind, name }))
export const runsAsBlockers = (runs: readonly RunKey[]): Blocker[] =>
  runs.slice(0, MOST_BLOCKERS).map(({ name, dagRunId }) => ({ kind: 'run', name, dagRunId }))

/** `3 steps`, `1 step`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`
/** An error in a sentence: only its first line; the rest is the end of a log. */
export const firstLine = (error: string): string => error.split('\n', 1)[0] ?? ''
/** Names in a sentence; of many only the first. */
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
/** A number in the context of an actor, where 0 means none. */
export const instant = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined
