/** Engine: the only way to the actors. API, command line and host applications all use it. */
import type {
  Awaits,
  JournalRecord,
  NodeRecord,
  RunKey,
  RunRecord,
  ScheduleDecision
} from '../../machines/vocabulary.ts'
import type { Audit } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import type { Definition } from '../definition/definition.ts'
import type { StoredDefinition } from '../definitions/stored-definition.ts'
import type { Facts } from '../inspect/inspection.ts'
import type {
  DefinitionVersion,
  FeedPart,
  PlacedStatus,
  RunCounts,
  RunFilter,
  RunPlace,
  RunsPart
} from '../store/parts.ts'
import type { DeliveriesPart, DeliveryFilter, TargetView } from './delivery-views.ts'
import type { KeyRing } from './keys/key-types.ts'
import type { Metering } from './metering.ts'
import type { Unready } from './readiness.ts'
import type {
  Asked,
  Replaced,
  Rescheduled,
  RetryRequest,
  SettableStatus,
  SignalOptions,
  SignalStep,
  Started,
  StartRequest,
  StepKey,
  StopRequest,
  WaitingFilter
} from './requests.ts'
import type { ResourceSample } from './resources.ts'
import type { QueueView, RunView, WaitingPart, WaitingStep } from './run-views.ts'
import type { BusView, DrainRequest, WorkersView, WorkerView } from './workers/worker-views.ts'

export type { Audit } from '../audit/audit.ts'
export type { CallingStep, Door, NewEntry, Who } from '../audit/entry.ts'
export type * from '../inspect/inspection.ts'
export type * from '../store/parts.ts'
export type * from './delivery-views.ts'
export type * from './keys/key-types.ts'
export type * from './metering.ts'
export type * from './requests.ts'
export type { ResourceSample } from './resources.ts'
export type * from './run-views.ts'
export type * from './workers/worker-views.ts'

/** A committed transition, as seen by subscribers. */
export type EngineEvent = JournalRecord

export interface Health {
  healthy: boolean
  error?: string
  version: string
  startedAt: number
  now: number
  /** Whether the scheduler ticks. */
  scheduling: boolean
  /** Why the engine should get no requests now; absent: it is ready for them. */
  unready?: Unready
  /** Why only a restart of the process helps, as a sentence; absent: it needs none. */
  dead?: string
}

export interface Engine {
  /** All settings as they are in force, defaults included. */
  readonly config: Config
  /** The absolute path of its home. */
  readonly home: string
  /** Aborted when the engine starts to close: whatever waits for the engine should stop waiting. */
  readonly closing: AbortSignal
  /** The engine's clock, epoch ms. */
  now(): number
  /** Inspection of charts and runs: actors, events, reasons, messages; now and as of any past event. */
  readonly facts: Facts
  /** Every actor of a run, now or as of an event, like `facts.run`. @throws TroupeError like `facts.run` */
  readonly inspect: Facts['run']
  /** URL of the page that `inspect` of `createEngine` serves, for debugging a host application. @see EngineOptions.inspect */
  readonly inspectedAt?: string
  /** Numbers about the engine itself, for metrics. Absent: it does not own the home, or has none on disk. */
  readonly metering?: Metering
  /** API keys of the home, with which callers of its servers are let in. */
  readonly keys: KeyRing
  /** The audit log. Absent: none is kept, or the engine does not own the home. */
  readonly audit?: Audit
  /** Queued runs wait for another engine: this one starts none. */
  readonly holdsQueues: boolean
  /**
   * Resolves when every run that was open when the previous engine ended is open again, or was failed by the engine. `createEngine`
   * waits for it unless `schedules` is on: then the engine is available earlier, and a stop or retry of such a run, or a wait for its
   * end, waits for this.
   */
  readonly resumed: Promise<void>
  /** Starts a run; resolves when it is durable. @throws TroupeError per api-semantics 4.1 */
  start(request: StartRequest): Promise<Started>
  /** Puts a run into its queue; resolves when it is durable. @throws TroupeError per api-semantics 4.1, 4.2; bad_request (no queues) */
  enqueue(request: StartRequest): Promise<Started>
  /** Removes a run from its queue; a run that never ran is deleted. @throws TroupeError not_found */
  dequeue(key: RunKey): Promise<void>
  /** Configured queues, then other queues with running or queued runs, by name. */
  queues(): QueueView[]
  /** Reads `queues` without blocking the event loop, however many runs are queued. */
  readQueues(): Promise<QueueView[]>
  /**
   * Runs a finished run again: its failed and canceled nodes and everything downstream of them, or a single step, alone
   * or with everything downstream of it. Without `dagRunId`, or with that of the run, it is a new attempt of the same run; with another id, a new run.
   * Resolves when that is durable. @throws TroupeError not_found, already_running, already_exists, max_run_reached, bad_request
   */
  retry(key: RunKey, options?: RetryRequest): Promise<RunKey>
  /**
   * Starts a new run with the definition text and params of an earlier run, even if the definition has changed since; `params`
   * changes some of them, which a DAG in code does not take. A singleton, unless it is `unlimited`. @throws TroupeError not_found,
   * bad_request, already_exists, max_run_reached
   */
  reschedule(key: RunKey, names?: Rescheduled): Promise<RunKey>
  /**
   * Sets the status of one step of a run that has ended, with `succeeded` also what it captures, and nothing else; resolves when that
   * is durable. `output` is masked; that of a function is JSON.
   * @throws TroupeError not_found; bad_request: the run is active, or the step captures nothing
   */
  setNodeStatus(step: StepKey, status: SettableStatus, output?: string): Promise<void>
  /**
   * Asks a running run to stop; resolves when the request is durable. A second stop has no effect, and a stop does not cut handlers
   * short. `force` (default false) kills everything that is running, handlers included, and no further handler starts. Source:
   * execution-semantics 7.3.6.
   * @throws TroupeError not_found, not_running
   */
  stop(key: RunKey, options?: StopRequest): Promise<void>
  /**
   * Gives a step what it waits for, or its run keeps it until the step waits; resolves when that is durable. An approval takes
   * `{approved, note?}`. @throws SignalRefused not_found (no such run or step), bad_request (the step waits for no signal, or `issues`),
   * already_given, ended, not_running (the run is queued)
   */
  signal(step: SignalStep, payload: unknown, options?: SignalOptions): Promise<void>
  /** Every step that waits for a signal or an approval, by DAG name and run id. */
  waiting(filter?: WaitingFilter): readonly WaitingStep[]
  /** The members of `waiting` in parts of at most `limit`. @param after `next` of the part before @throws TroupeError bad_request */
  waitingPart(filter: WaitingFilter, limit: number, after?: string): WaitingPart
  /**
   * What a running run waits for outside: an approval or a signal if one of its steps, or of the runs that these have called, waits for
   * one; time if nothing of it does anything but sleep; undefined: nothing. `until` is the first limit of such steps, epoch ms.
   */
  awaitedBy(run: RunRecord): Awaits | undefined
  /**
   * Resolves with the run when it has ended, also if it is still queued. `dagRunId` may be `latest`: the run that is the latest now.
   * @throws TroupeError not_found, also when it is dequeued in the meantime
   */
  result(key: RunKey): Promise<RunView>
  /** The run, or undefined. `dagRunId` may be `latest`. */
  run(key: RunKey): RunView | undefined
  /** A step or handler as it was at the end of an earlier attempt of its run. Undefined: it was not there, or is not on record. */
  earlierNode(key: RunKey, attempt: number, step: string): NodeRecord | undefined
  /** A sub DAG run of a root run, at any depth, or of a run that the root run retries under another id. */
  subRun(root: RunKey, subRunId: string): RunView | undefined
  /** Every sub DAG run of a root run, at any depth, by creation time. */
  subRuns(root: RunKey): RunRecord[]
  /** The run's record alone: cheaper than `run`. */
  record(key: RunKey): RunRecord | undefined
  /** Root runs, newest first. */
  runs(filter?: RunFilter): RunRecord[]
  /**
   * What `runs` has, in parts, so that a filter that few of very many runs match does not hold up others.
   * @param after `next` of the part before @param isEnough asked after each run that was looked at, with how many were found
   */
  runsPart(filter: RunFilter, after: RunPlace | undefined, isEnough: (found: number) => boolean): RunsPart
  /** Numbers of root runs by status that were created in `[from, to)`, epoch ms. */
  countsIn(from: number, to: number): RunCounts
  /** Places and statuses of root runs of such a period, newest first, at most `most`. @param before the last one of the part before */
  statusesPart(
    filter: { name?: string; from: number; to: number },
    before: RunPlace | undefined,
    most: number
  ): PlacedStatus[]
  /** Number of root runs with a status. */
  count(status: RunRecord['status']): number
  /** The definition text that a run was started with. @throws TroupeError service_unavailable: it is damaged */
  runSpec(key: RunKey): string | undefined
  /** Journal of a run after the record with that `seq`, oldest first. */
  journal(run: RunKey, after: number, limit: number): JournalRecord[]
  /** `seq` of a run's latest journal record; 0: it has none. */
  latestSeq(run: RunKey): number
  /** Latest journal records of all runs after number `after`, oldest first. */
  feed(after: number, limit: number): FeedPart
  /** Number of the latest record of the feed. */
  fed(): number
  /** A running run of the DAG if there is one, otherwise its newest run. */
  latest(name: string): RunRecord | undefined
  /** All stored definitions by file name; the same array as long as nothing has changed. Parses definitions that were not parsed yet. */
  definitions(): readonly StoredDefinition[]
  /**
   * Resolves when `definitions` has next to nothing left to parse, or, with a name, `definition`. Await it where the event loop must
   * not be blocked. Long texts are parsed in a thread.
   */
  definitionsReady(fileName?: string): Promise<void>
  /** A stored definition, with its problems and whether it is suspended. @throws TroupeError not_found, bad_request (name) */
  definition(fileName: string): StoredDefinition
  /** Decisions of the scheduler, newest first. @param limit default 100 */
  decisions(limit?: number): ScheduleDecision[]
  /** Exact text of a stored definition. @throws TroupeError not_found */
  spec(fileName: string): string
  /** The texts that a stored definition has had, newest first. */
  versions(fileName: string): DefinitionVersion[]
  /** Stores a new definition; without a text, one with an example step. @throws TroupeError bad_request (details.errors), already_exists */
  createDefinition(name: string, spec?: string, asked?: Asked): Promise<void>
  /** Replaces the text if it is valid. @returns the errors; empty: replaced. @throws TroupeError not_found, changed_meanwhile */
  replaceDefinition(fileName: string, spec: string, asked?: Replaced): Promise<string[]>
  /** Removes the file and its suspend flag; runs and history stay. @throws TroupeError not_found */
  removeDefinition(fileName: string): void
  /**
   * Renames the file with its suspend flag, and moves the history if the DAG is named after the file.
   * @throws TroupeError not_found, bad_request (the new name; a run is active), already_exists
   */
  renameDefinition(fileName: string, newFileName: string): Promise<void>
  /** Sets or removes the suspend flag. @throws TroupeError not_found */
  suspendDefinition(fileName: string, suspended: boolean): void
  /**
   * Parses a text as a definition; runs nothing. A long text is parsed in a thread.
   * @param options `files`: whether referenced files, such as a schema of the params, are read; default true. Otherwise each such
   * reference is reported as an error. @throws TroupeError bad_request: the thread crashed, or took more than a minute
   */
  validate(spec: string, name?: string, options?: Asked & { files?: boolean }): Promise<Definition>
  /** Calls `listen` with every committed transition, in order. Returns a function that unsubscribes. */
  subscribe(listen: (event: EngineEvent) => void, run?: RunKey): () => void
  /** Whether the engine works, and whether it is ready for requests. */
  health(): Promise<Health>
  /** Workers that take part or were refused. @throws TroupeError service_unavailable: there is no coordinator, or it was never reached */
  workers(): Promise<WorkersView>
  /**
   * Asks a worker to drain: it gets no further run, and its program ends when it has none. Resolves with the worker when that is durable.
   * `drain: false` takes it back. @throws TroupeError not_found; already_leaving; service_unavailable as `workers`
   */
  drainWorker(id: string, request?: DrainRequest): Promise<WorkerView>
  /** The message bus between the engine and its workers; undefined: there is no coordinator. */
  bus(): Promise<BusView | undefined>
  /** Events for targets that wait or are dead letters. @param after `next` of the part before @throws TroupeError bad_request */
  deliveries(filter: DeliveryFilter, limit: number, after?: string): DeliveriesPart
  /** Targets of `notify`, and others that something is stored for. */
  targets(): TargetView[]
  /**
   * Has dead letters of a target delivered again: the one of this id, or all. Resolves with their number when that is durable.
   * @throws TroupeError not_found; bad_request: `notify` does not have the target any more
   */
  retryDeliveries(target: string, id?: string): Promise<number>
  /** Removes dead letters of a target: the one of this id, or all. Resolves with their number. @throws TroupeError not_found */
  removeDeliveries(target: string, id?: string): Promise<number>
  /** Resource usage of the machine in the last `durationMs`, as far as it is kept; empty: monitoring is off. */
  resources(durationMs: number): ResourceSample[]
  /** Closes the engine. `leave` (default): running steps go on, and the next engine here finds them; `stop`: runs are stopped first. */
  close(options?: { runs?: 'leave' | 'stop' }): Promise<void>
}
