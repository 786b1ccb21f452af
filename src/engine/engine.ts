/** Engine: the only door to the actors; API, command line and host applications all come in here. */
import type {
  Condition,
  JournalRecord,
  NodeRecord,
  NodeStatus,
  Plan,
  RunKey,
  RunRecord,
  ScheduleDecision,
  Step,
  SubRunRef
} from '../../machines/vocabulary.ts'
import type { Config } from '../config.ts'
import type { Definition } from '../definition/definition.ts'
import type { StoredDefinition } from '../definitions/stored-definition.ts'
import type { Facts } from '../inspect/facts.ts'
import type { FeedPart, RunFilter } from '../store/parts.ts'
import type { ResourceSample } from './resources.ts'

export type * from '../inspect/facts.ts'
export type * from '../store/parts.ts'
export type { ResourceSample } from './resources.ts'

/** What a start needs. Give `spec` (inline text), `file` (a path, command line and hosts only) or `fileName` (stored). */
export interface StartRequest extends Asked {
  spec?: string
  file?: string
  fileName?: string
  /** Name of an inline spec that has none. */
  name?: string
  /** Overrides the DAG name, whatever the definition says. */
  dagName?: string
  /** Parameters in the grammar of execution-semantics 2.1.1. */
  params?: string
  /** Evaluate `params` as defaults are: variables and backticks. For a user who may run commands here anyway. */
  evaluateParams?: boolean
  dagRunId?: string
  /** Refuse when a run of this DAG name is running; an enqueue is refused when one waits, too. */
  singleton?: boolean
  /** Overrides the queue that the definition names. */
  queue?: string
  /** All checks and no run: the answer is that of a start now. */
  dryRun?: boolean
  /** Run at once even if its queue is full; an enqueue with it is a start. */
  noQueue?: boolean
  /** Wait in the queue when maxActiveRuns, above 1, is reached; absent: be refused. */
  waitWhenFull?: boolean
  /** Whatever maxActiveRuns and queues say. */
  unlimited?: boolean
  /**
   * Take definition and params of this earlier root run as they were, in place of `spec`, `file` or `fileName`. `dagName`
   * overrides its name.
   */
  fromRun?: RunKey
}

export interface StopRequest {
  /** Kill what is running, handlers included; default false. */
  force?: boolean | undefined
}

/** Of whoever brings a text. */
export interface Asked {
  /** Long texts of one caller are read one after another; default: nobody's wait for each other. */
  by?: string
}

export interface RetryRequest {
  dagRunId?: string | undefined
  stepName?: string | undefined
  /** Whatever maxActiveRuns says. */
  unlimited?: boolean | undefined
}

/** Names of the new run; absent: an id is made, and the DAG name stays. */
export interface Rescheduled {
  dagRunId?: string | undefined
  dagName?: string | undefined
}

/** A status that may be set by hand. */
export type SettableStatus = Exclude<NodeStatus, 'partially_succeeded'>

/** One step of a root run, or of a sub DAG run below it. */
export interface StepKey {
  root: RunKey
  subRunId?: string
  step: string
  /** Who asks, for the log of the run; default: nobody is named. */
  by?: string
}

/** A run with its nodes; `nodes[i]` belongs to `plan.steps[i]`. Of a plan that cannot be read there are those that have an entry. */
export interface RunView {
  run: RunRecord
  plan: Plan
  /** What of it cannot be read, as the store is damaged there: `state unreadable: ...` for each part. Absent: all of it can. */
  errors?: string[]
  nodes: HandlerView[]
  handlers: { onSuccess?: HandlerView; onFailure?: HandlerView; onCancel?: HandlerView; onExit?: HandlerView }
  preconditions: { condition: Condition; matched?: boolean; error: string }[]
}
export interface HandlerView {
  step: Step
  node: NodeRecord
  /** Sub DAG runs of its current pass, and of earlier ones; absent: it calls none. */
  calls?: { subRuns: SubRunView[]; subRunsRepeated: SubRunView[] }
  /** What it waits for between two executions, and the epoch ms when that is over. */
  wait?: { for: 'retry' | 'repeat'; until: number }
}
/** A sub DAG run as its node shows it; without a status it was never begun. */
export interface SubRunView extends SubRunRef {
  record?: RunRecord
}

/** A committed transition: what subscribers see. */
export type EngineEvent = JournalRecord

/** A queue with its runs: running ones by start, queued ones in the order in which they will go. Source: http-api "Queue". */
export interface QueueView {
  name: string
  /** maxConcurrency of a configured queue; absent: a dag-based one. */
  maxConcurrency?: number
  running: RunRecord[]
  queued: RunRecord[]
  /** How many of it may run: of a dag-based queue, maxActiveRuns of the DAGs in it; 0: no limit. */
  capacity: number
}

export interface Health {
  healthy: boolean
  error?: string
  version: string
  startedAt: number
  now: number
  /** Whether the scheduler ticks. */
  scheduling: boolean
}

export interface Engine {
  readonly config: Config
  readonly home: string
  /** Aborted when the engine begins to close: what waits for more of it should end. */
  readonly closing: AbortSignal
  /** The engine's clock, epoch ms. */
  now(): number
  /** Its charts, and what can be known of its runs: actors, events, reasons, messages; now and at any event that has passed. */
  readonly facts: Facts
  /** Every actor of a run, now or as of an event: what `facts.run` answers. @throws TroupeError as that does */
  readonly inspect: Facts['run']
  /** Where its page is served to those who debug a host application. @see EngineOptions.inspect */
  readonly inspectedAt?: string
  /** Queued runs wait for another engine: this one lets none go. */
  readonly holdsQueues: boolean
  /**
   * Resolves when every run that was open when the last engine ended is open again, or given up. `createEngine` waits for that itself
   * unless `schedules` is on: then it answers meanwhile, and a stop, a retry or a wait for the end of such a run waits for this.
   */
  readonly resumed: Promise<void>
  /** Starts a run; resolves when it is durable. @throws TroupeError per api-semantics 4.1 */
  start(request: StartRequest): Promise<RunKey>
  /** Puts a run into its queue; resolves when it is durable. @throws TroupeError per api-semantics 4.1, 4.2; bad_request (queues are disabled) */
  enqueue(request: StartRequest): Promise<RunKey>
  /** Takes a queued run out of its queue; one that never ran is gone then. @throws TroupeError not_found */
  dequeue(key: RunKey): Promise<void>
  /** Configured queues, then those with running or queued runs, by name. */
  queues(): QueueView[]
  /** The same, however many wait: others have their turn while they are read. */
  readQueues(): Promise<QueueView[]>
  /**
   * Runs a finished run again: its failed and canceled nodes and all that follows them, or one step alone.
   * Without `dagRunId`, or with the run's own, it is a new attempt of the same run; with another, a new run made from it.
   * Resolves when that is durable. @throws TroupeError not_found, already_running, already_exists, max_run_reached, bad_request
   */
  retry(key: RunKey, options?: RetryRequest): Promise<RunKey>
  /**
   * Starts a fresh run of the text and the params that an earlier run had, whatever has become of the definition. Always
   * a singleton. @throws TroupeError not_found, bad_request, already_exists, max_run_reached
   */
  reschedule(key: RunKey, names?: Rescheduled): Promise<RunKey>
  /**
   * Sets the status of one step of a run that has ended, and nothing else; resolves when that is durable.
   * @throws TroupeError not_found; bad_request: the run is active
   */
  setNodeStatus(step: StepKey, status: SettableStatus): Promise<void>
  /**
   * Asks a running run to stop; resolves when the request is durable. A second stop changes nothing, and no stop cuts a handler short.
   * `force` (default false) kills what is running, handlers included, and no further handler begins. Source: execution-semantics 7.3.6.
   * @throws TroupeError not_found, not_running
   */
  stop(key: RunKey, options?: StopRequest): Promise<void>
  /**
   * Resolves with the run when it has ended; a queued one is waited for. `dagRunId` may be `latest`: the one that is the latest now.
   * @throws TroupeError not_found, also when it is dequeued meanwhile
   */
  result(key: RunKey): Promise<RunView>
  /** The run, or undefined. `dagRunId` may be `latest`. */
  run(key: RunKey): RunView | undefined
  /** A sub DAG run of a root run, at any depth, or of a run that it was retried from under another id. */
  subRun(root: RunKey, subRunId: string): RunView | undefined
  /** Every sub DAG run of a root run, at any depth, by creation. */
  subRuns(root: RunKey): RunRecord[]
  /** The run's record alone: cheaper than `run`. */
  record(key: RunKey): RunRecord | undefined
  /** Root runs, newest first. */
  runs(filter?: RunFilter): RunRecord[]
  /** Root runs with a status. */
  count(status: RunRecord['status']): number
  /** Text of the definition that a run was started with. @throws TroupeError service_unavailable: it is damaged */
  runSpec(key: RunKey): string | undefined
  /** Journal of a run after the record with that `seq`, oldest first. */
  journal(run: RunKey, after: number, limit: number): JournalRecord[]
  /** `seq` of a run's latest journal record; 0: it has none. */
  latestSeq(run: RunKey): number
  /** Latest journal records of all runs after the `after`th, oldest first. */
  feed(after: number, limit: number): FeedPart
  /** Number of the latest record of the feed. */
  fed(): number
  /** A running run of the DAG if there is one, else its newest run. */
  latest(name: string): RunRecord | undefined
  /** All stored definitions by file name; the same array as long as nothing has changed. Reads what has not been read yet. */
  definitions(): readonly StoredDefinition[]
  /**
   * Resolves when that has next to nothing left to read, or with a name `definition` has: to be waited for where others must not
   * wait. Long texts are read in a thread.
   */
  definitionsReady(fileName?: string): Promise<void>
  /** @throws TroupeError not_found, bad_request (name) */
  definition(fileName: string): StoredDefinition
  /** What the scheduler made of scheduled minutes, newest first. @param limit default 100 */
  decisions(limit?: number): ScheduleDecision[]
  /** Exact text of a stored definition. @throws TroupeError not_found */
  spec(fileName: string): string
  /** @throws TroupeError bad_request (details.errors), already_exists */
  createDefinition(name: string, spec?: string, asked?: Asked): Promise<void>
  /** Replaces the text when it is valid. @returns the problems; empty: replaced. @throws TroupeError not_found */
  replaceDefinition(fileName: string, spec: string, asked?: Asked): Promise<string[]>
  /** Removes the file and its suspend flag; runs and history stay. @throws TroupeError not_found */
  removeDefinition(fileName: string): void
  /**
   * Renames the file; the suspend flag goes along, and so does the history when the DAG's name came from the file's.
   * @throws TroupeError not_found, bad_request (the new name; a run is active), already_exists
   */
  renameDefinition(fileName: string, newFileName: string): Promise<void>
  /** Sets or removes the suspend flag. @throws TroupeError not_found */
  suspendDefinition(fileName: string, suspended: boolean): void
  /**
   * Reads a text as a definition; runs nothing. A long one is read in a thread.
   * @param options `files`: whether files that it names, as a schema of its params, are looked at; default: yes. Else it is a problem
   * that one was not. @throws TroupeError bad_request: the thread died of it, or it took more than a minute
   */
  validate(spec: string, name?: string, options?: Asked & { files?: boolean }): Promise<Definition>
  /** Calls `listen` with every committed transition, in order. Returns the way to end it. */
  subscribe(listen: (event: EngineEvent) => void, run?: RunKey): () => void
  health(): Promise<Health>
  /** What the machine had to give, of the last `durationMs` and no longer than it is kept; empty: nobody looks. */
  resources(durationMs: number): ResourceSample[]
  /** Ends the engine. `leave` (default): running steps live on and are found by the next engine on this home; `stop`: runs are stopped first. */
  close(options?: { runs?: 'leave' | 'stop' }): Promise<void>
}
