/** A run: its key, status and record. Source: http-api "Resources". No logic. */
import type { KeptSignal, Stopper, Trigger } from './cause.ts'
import type { RUN_STATUSES } from './lists.ts'
import type { RunKey } from './place.ts'
import type { ConditionResult } from './policies.ts'
import type { Placement } from './worker.ts'

/** Status of a DAG run, as its label. Numbers exist at the API's edge only. Source: http-api "Run status". */
export type RunStatus = (typeof RUN_STATUSES)[number]

/** A parameter of a run, evaluated. */
export interface RunParam {
  name: string
  value: string
  /** The author of the definition, or of a command line, wrote the value; absent: it is data. Source: execution-semantics 3.1.5. */
  written?: boolean
  /** The value is JSON, of a definition in code; absent: it is a text. */
  isJson?: true
}

/** A sub DAG run as listed by its node. Source: http-api "Node". */
export interface SubRunRef extends RunKey {
  /** Parameters of the sub DAG run, as text. */
  params: string
  /** Names of the parameters that the author of its caller wrote; absent: none. */
  written?: string[]
}

/** What somebody who must not hear of every definition may do with definitions: a role, and others by rules. */
export interface StarterRights {
  role: string
  rules: readonly {
    may: string
    /** Patterns; a definition must match one of each list. */
    dags?: readonly string[]
    groups?: readonly string[]
    tags?: readonly string[]
  }[]
}

/** The node that called a sub DAG run, and the root run. Source: http-api "DAG run summary". */
export interface Caller {
  root: RunKey
  parent: RunKey
  /** Name of the calling step, and which execution of it calls: attempt of the run, execution in it. */
  step: string
  runAttempt: number
  attempt: number
  /** 1 for a sub run of a root run. */
  depth: number
}

/** A retry of one step: its index. A retry from a step on: that index first, then those of the steps that depend on it. */
export type OnlyNodes = number | readonly number[]

/** The stored summary of one run. Source: http-api "DAG run summary". Instants in epoch ms; absent: not yet. */
export interface RunRecord extends RunKey {
  status: RunStatus
  /** 1 for the first attempt of the run. */
  attempt: number
  /** Absent: a sub DAG run, which has no queue. */
  queue?: string
  /** Place of the run in the queue, if it ever waited there. */
  order?: number
  /** Higher goes first; absent: 0. */
  priority?: number
  /** The run does not start before this instant; absent: it was not asked for so. */
  notBefore?: number
  /** The only steps that a retry will run; it waits in its queue. */
  only?: OnlyNodes
  /** The attempt was asked for from a step on: what it executes calls sub runs that begin with their first step. */
  fresh?: true
  /** Absent: a root run. */
  caller?: Caller
  /** Absent: it belongs to the engine's machine. */
  placement?: Placement
  /** The run that this one retries under a new id. */
  retryOf?: RunKey
  /** Absent: a sub DAG run, or one of a release before 0.6. */
  trigger?: Trigger
  /** Rights of the one who started or retried it last: it calls nothing that they must not see. Absent: a sub DAG run, or they see all. */
  starter?: StarterRights
  createdAt: number
  queuedAt?: number
  startedAt?: number
  finishedAt?: number
  params: RunParam[]
  /** Absolute path of the run log. */
  log: string
  /** Folder with the logs of this attempt's nodes. */
  nodeLogs: string
  /** Content hash under which plan and spec text are stored. */
  plan: string
  error?: string
  /** Absent: it was not stopped, or by a release before 0.6. */
  stoppedBy?: Stopper
  /** The run waits for its version of its definition in code, and holds no place meanwhile. */
  superseded?: true
  conditions?: ConditionResult[]
  /** The signals that its steps have got, by step. */
  given?: Record<string, KeptSignal>
  /** Likely mistakes: params that nothing uses, references that nothing defines. Sentences without values. */
  warnings?: string[]
}
