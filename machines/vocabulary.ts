/** Types that all modules share: statuses and labels, records of runs and nodes; plans are in `plan.ts`. No logic. Source: http-api "Resources". */

export type * from './plan.ts'

/** Status of a DAG run, as its label. Numbers exist at the API's edge only. Source: http-api "Run status". */
export type RunStatus =
  | 'not_started'
  | 'running'
  | 'failed'
  | 'canceled'
  | 'succeeded'
  | 'queued'
  | 'partially_succeeded'

/** Status of a node, as its label. Source: execution-semantics 5.1. */
export type NodeStatus =
  | 'not_started'
  | 'running'
  | 'failed'
  | 'canceled'
  | 'succeeded'
  | 'skipped'
  | 'partially_succeeded'

/** A parameter of a run, evaluated. */
export interface RunParam {
  name: string
  value: string
  /** The value was written by the author of the definition, or typed on the command line; absent: it is data. Source: execution-semantics 3.1.5. */
  written?: boolean
  /** The value is JSON, of a definition in code; absent: it is a text. */
  isJson?: true
}

/** The name of a handler's step. */
export type HandlerName = 'onSuccess' | 'onFailure' | 'onCancel' | 'onExit'

/** Where a node stands in its run: the index of its step, or the handler it is. */
export type NodePlace = number | HandlerName

/** Identifies a run: run ids are unique per DAG name. */
export interface RunKey {
  name: string
  dagRunId: string
}

/** The result of a precondition. `error` is empty when it and all others held. Source: execution-semantics 5.6.6. */
export interface ConditionResult {
  matched: boolean
  error: string
}

/** A sub DAG run as listed by its node. Source: http-api "Node". */
export interface SubRunRef extends RunKey {
  /** Its parameters, as text. */
  params: string
  /** Names of the parameters that the author of its caller wrote; absent: none. */
  written?: string[]
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

/** The worker that a run was given to, for as long as it lasts. */
export interface Placement {
  /** Id of its home folder. */
  home: string
  /** Its id when the run was placed. */
  id: string
  /** Increases with each placement of the engine: who holds an older one must not act on it. */
  lease: number
  /** No slot was free there: it goes in the place of a run that only waits for its sub runs. */
  extra?: true
}
export type PlacedOn = Pick<Placement, 'id' | 'lease'>

/** Who or what asked for a run, or for the latest attempt of it. A sub DAG run has a `caller` instead. */
export interface Trigger {
  /** The scheduler; a request to the API; the command line; the application that embeds the engine. */
  type: 'schedule' | 'api' | 'cli' | 'host'
  /** What was asked for: a retry of the same run or under a new id, or a run of the same text and params. Absent: a new run. */
  again?: 'retry' | 'reschedule' | 'restart'
  /** Name of the user or token; absent: not known. */
  by?: string
  /** The scheduled minute, epoch ms. */
  slot?: number
  /** The run that it repeats; absent: none, or itself. */
  of?: RunKey
  /** The id of the API request. */
  requestId?: string
}

/** Who or what stopped a run; of several the first. A sub DAG run has none: its caller has. */
export interface Stopper {
  /** The scheduler; a request to the API; the command line; the application that embeds the engine; the engine, as it closed. */
  type: 'schedule' | 'api' | 'cli' | 'host' | 'engine'
  /** Name of the user or token; absent: not known. */
  by?: string
  /** The id of the API request. */
  requestId?: string
}

/** The stored summary of one run. Source: http-api "DAG run summary". Instants in epoch ms; absent: not yet. */
export interface RunRecord extends RunKey {
  status: RunStatus
  /** 1 for the first attempt of the run. */
  attempt: number
  /** Its queue; absent: a sub DAG run, which has none. */
  queue?: string
  /** Its place in the queue, if it ever waited there. */
  order?: number
  /** Index of the only step that a retry will run; it waits in its queue. */
  only?: number
  /** Absent: a root run. */
  caller?: Caller
  /** Absent: it belongs to the engine's machine. */
  placement?: Placement
  /** The run that this one retries under a new id. */
  retryOf?: RunKey
  /** Absent: a sub DAG run, or one of a release before 0.6. */
  trigger?: Trigger
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
  /** It waits for its version of its definition in code, and holds no place meanwhile. */
  superseded?: true
  conditions?: ConditionResult[]
  /** The signals that its steps have got, by step. */
  given?: Record<string, KeptSignal>
  /** Likely mistakes: params that nothing uses, references that nothing defines. Sentences without values. */
  warnings?: string[]
}

/** Where a mask stands in a text, and for what. Several with the same `at` stand for consecutive pieces. Source: execution-semantics 14.4.8. */
export interface SecretMark {
  /** Bytes of the text's UTF-8 form before the mask. */
  at: number
  /** Name of the secret. */
  secret: string
  /** First byte and number of bytes of its value; absent: all of it. */
  from?: number
  length?: number
}

/** A signal, or the answer to an approval, that a step has got. */
export interface Given {
  at: number
  /** Who gave it, if that is known. */
  by?: string
  /** Chosen by the caller: the same one again is answered like the first. */
  id?: string
  /** Of an approval: it was refused, with this note, which may be empty. */
  refusal?: string
}

/** The same as its run keeps it: with the payload until its step takes it. */
export interface KeptSignal extends Given {
  /** JSON, secrets masked. */
  output?: string
  outputMarks?: SecretMark[]
}

/** What a function of a host application has thrown: secrets masked, sizes bounded. */
export interface Thrown {
  name: string
  message: string
  code?: string
  stack?: string
  cause?: Thrown
}

/** Code of a host application that an engine lacks, and the step that needs it. */
export interface MissingCode {
  kind: 'function' | 'executor'
  name: string
  step: string
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
  /** Its number. */
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

/** The kinds of `schedule`. Source: definition-format "DAG-level fields". */
export type ScheduleKind = 'start' | 'stop' | 'restart'

/** Why a scheduled minute was skipped. Source: execution-semantics 11. */
export type SkipReason =
  | 'suspended'
  /** The newest run is running. */
  | 'running'
  /** The newest run started in that minute or later. */
  | 'started'
  /** `skipIfSuccessful`: it has succeeded since the previous scheduled time. */
  | 'succeeded'
  | 'nothing_running'
  | 'restarting'
  /** The clock was set back, and that minute was decided before. */
  | 'decided'
  /** No engine was running then. */
  | 'missed'
  /** maxActiveRuns or the limit of the queue is reached. */
  | 'limit'
  /** The start itself failed, because of the definition, its params or its log folder. */
  | 'invalid'

/** How the scheduler decided one kind of schedule of one definition for one minute. */
export interface ScheduleDecision {
  fileName: string
  /** DAG name. */
  name: string
  kind: ScheduleKind
  /** The scheduled minute, epoch ms. */
  slot: number
  /** When it was decided, epoch ms. */
  at: number
  outcome: 'fired' | 'skipped'
  reason?: SkipReason
  error?: string
  /** The missed minute was backfilled. */
  catchup?: 'last' | 'all'
  /** The run that was started, queued or restarted. */
  dagRunId?: string
}

/** Use of its machine, percent; absent: not known. */
export interface WorkerLoad {
  cpu?: number
  mem?: number
  disk?: number
}

/** What a worker says about itself. */
export interface WorkerSelf {
  id: string
  labels: Record<string, string>
  /** Runs that it takes at a time. */
  slots: number
  /** Of the program. */
  version: string
  host: string
  pid: number
  /** Types of steps that it can run. */
  executors: string[]
}

/** What a run needs of a worker. Source: definition-format `workerSelector`. */
export interface WorkerNeeds {
  /** In the order of their names. */
  labels: Record<string, string>
  /** Types of its steps, sorted. */
  executors: string[]
  /** Of a sub run: homes of the workers that the runs which it is called from are on. There it uses their slot. */
  around?: string[]
  /** Home of the worker that an earlier attempt of the run was on: it must be certain that nothing of that is at work. */
  after?: string
}
