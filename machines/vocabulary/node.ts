/** A node of a run: its status and record. Source: http-api "Resources". No logic. */
import type { Given, Trigger } from './cause.ts'
import type { NODE_STATUSES } from './lists.ts'
import type { NodePlace, RunKey } from './place.ts'
import type { ConditionResult } from './policies.ts'
import type { RunStatus } from './run.ts'
import type { SecretMark } from './values.ts'
import type { PlacedOn } from './worker.ts'

/** Status of a node, as its label. Source: execution-semantics 5.1. */
export type NodeStatus = (typeof NODE_STATUSES)[number]

/** What a function of a host application has thrown: secrets masked, sizes bounded. */
export interface Thrown {
  name: string
  message: string
  code?: string
  stack?: string
  cause?: Thrown
}

/** Code of a host application that an engine lacks, or an executor that its configuration does not allow, and the step that needs it. */
export interface MissingCode {
  kind: 'function' | 'executor'
  name: string
  step: string
  /** Why the code is not allowed, as a clause; absent: it is not here. */
  refused?: string
}

/** How an execution ended that had been given up, as its worker says after all. Instants in epoch ms, by the engine's clock. */
export interface LateEnd {
  endedAt: number
  heardAt: number
  /** Absent: its result is too long to come with the word. */
  exitCode?: number
  signal?: string
  error?: string
}

/** An execution that nobody waits for any more: its worker was out of reach. */
export interface GivenUp {
  /** Number of the execution. */
  attempt: number
  /** Id of the worker, and of its home folder. */
  worker: string
  home: string
  /** Absent: nothing was heard of its end. */
  late?: LateEnd
}

/** The stored state of one node of one run. Handlers are nodes too. Source: http-api "Node". */
export interface NodeRecord {
  step: string
  status: NodeStatus
  startedAt?: number
  finishedAt?: number
  retryCount: number
  doneCount: number
  exitCode?: number
  /** Name of the signal that ended the last execution, e.g. `terminated`. */
  signal?: string
  error?: string
  /** What a function has thrown, with its causes. */
  thrown?: Thrown
  /** Absolute paths; absent for a node that never started. */
  stdout?: string
  stderr?: string
  /** Value of the step's `output` variable, secrets masked. */
  output?: string
  /** The secrets that its masks stand for. */
  outputMarks?: SecretMark[]
  conditions?: ConditionResult[]
  /** A failed or skipped node whose dependents may still run (`continueOn`). */
  continues?: boolean
  /** The signal, or the answer to an approval, that it has got; the payload is its output. */
  given?: Given
  /** The worker that its latest execution was given to; absent: the engine has it, or it has none. */
  worker?: PlacedOn
  /** Executions on workers whose end was not waited for. */
  givenUp?: GivenUp[]
}

/** One transition of one actor. `run` is absent for the engine's own actors. Source: architecture 1. */
export interface JournalRecord {
  run?: RunKey
  /** Counts from 1 per run. */
  seq: number
  at: number
  /** `run/<name>/<id>/node/<step>/attempt/<n>`: stable across restarts. */
  actor: string
  event: string
  /** State path such as `attempting.executing`; empty: the actor was created. */
  from: string
  to: string
  /** `seq` of the transition that sent the event; absent: an external event. */
  cause?: number
  /** Set when the actor is a run or a node: its status after it. */
  status?: RunStatus | NodeStatus
  /** Name of the step, when the actor is a node. */
  step?: string
  /**
   * The members of the actor's context that the transition changed; null: removed. Outputs, and what follows from the plan,
   * are left out. Absent: nothing has changed.
   */
  context?: Record<string, unknown>
  /** `context` is complete: the actor's first transition since the engine started. */
  whole?: true
  /** A run, or an attempt of it, was asked for by this. */
  trigger?: Trigger
  /** A run that continues an earlier attempt, or another run: the nodes that it keeps, by place. */
  kept?: [place: NodePlace, node: NodeRecord][]
}
