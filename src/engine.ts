/** Engine: the only door to the actors; API, command line and host applications all come in here. */
import type {
  Condition,
  JournalRecord,
  NodeRecord,
  Plan,
  RunKey,
  RunRecord,
  ScheduleDecision,
  Step,
  SubRunRef
} from '../machines/vocabulary.ts'
import type { Config } from './config.ts'
import type { Definition } from './spec/definition.ts'
import type { RunFilter } from './store/history.ts'

export type { RunFilter } from './store/history.ts'

/** What a start needs. Give `spec` (inline text), `file` (a path, command line and hosts only) or `fileName` (stored). */
export interface StartRequest {
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
  /** Refuse when a run of this DAG name is running. */
  singleton?: boolean
  /** Overrides the queue that the definition names. */
  queue?: string
}

/** A stored definition as the list shows it. */
export interface StoredDefinition {
  fileName: string
  definition: Definition
  suspended: boolean
}

/** A run with its nodes; `nodes[i]` belongs to `plan.steps[i]`. */
export interface RunView {
  run: RunRecord
  plan: Plan
  nodes: HandlerView[]
  handlers: { onSuccess?: HandlerView; onFailure?: HandlerView; onCancel?: HandlerView; onExit?: HandlerView }
  preconditions: { condition: Condition; matched?: boolean; error: string }[]
}
export interface HandlerView {
  step: Step
  node: NodeRecord
  /** Sub DAG runs of its current pass, and of earlier ones; absent: it calls none. */
  calls?: { subRuns: SubRunView[]; subRunsRepeated: SubRunView[] }
}
/** A sub DAG run as its node shows it; without a status it was never begun. */
export interface SubRunView extends SubRunRef {
  record?: RunRecord
}

/** A committed transition, with the status it left behind: what subscribers see. */
export interface EngineEvent extends JournalRecord {
  /** Set when the record is a run's or a node's: its status after it. */
  status?: RunRecord['status'] | NodeRecord['status']
  /** Name of the step, when the actor is a node. */
  step?: string
}

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
}

export interface Engine {
  readonly config: Config
  readonly home: string
  /** Starts a run; resolves when it is durable. @throws TroupeError per api-semantics 4.1 */
  start(request: StartRequest): Promise<RunKey>
  /** Puts a run into its queue; resolves when it is durable. @throws TroupeError per api-semantics 4.1, 4.2; bad_request (queues are disabled) */
  enqueue(request: StartRequest): Promise<RunKey>
  /** Takes a queued run out of its queue; one that never ran is gone then. @throws TroupeError not_found */
  dequeue(key: RunKey): Promise<void>
  /** Configured queues, then those with running or queued runs, by name. */
  queues(): QueueView[]
  /**
   * Runs a finished run again: its failed and canceled nodes and all that follows them, or one step alone.
   * Without `dagRunId`, or with the run's own, it is a new attempt of the same run; with another, a new run made from it.
   * Resolves when that is durable. @throws TroupeError not_found, already_running, already_exists, max_run_reached, bad_request
   */
  retry(key: RunKey, options?: { dagRunId?: string | undefined; stepName?: string | undefined }): Promise<RunKey>
  /** Asks a running run to stop; resolves when the request is durable. @throws TroupeError not_found, not_running */
  stop(key: RunKey): Promise<void>
  /** Resolves with the run when it has ended. @throws TroupeError not_found */
  result(key: RunKey): Promise<RunView>
  /** The run, or undefined. `dagRunId` may be `latest`. */
  run(key: RunKey): RunView | undefined
  /** A sub DAG run of a root run, at any depth. */
  subRun(root: RunKey, subRunId: string): RunView | undefined
  /** Every sub DAG run of a root run, at any depth, by creation. */
  subRuns(root: RunKey): RunRecord[]
  /** The run's record alone: cheaper than `run`. */
  record(key: RunKey): RunRecord | undefined
  /** Root runs, newest first. */
  runs(filter?: RunFilter): RunRecord[]
  /** A running run of the DAG if there is one, else its newest run. */
  latest(name: string): RunRecord | undefined
  /** All stored definitions by file name. */
  definitions(): StoredDefinition[]
  /** @throws TroupeError not_found, bad_request (name) */
  definition(fileName: string): StoredDefinition
  /** What the scheduler made of scheduled minutes, newest first. @param limit default 100 */
  decisions(limit?: number): ScheduleDecision[]
  /** Exact text of a stored definition. @throws TroupeError not_found */
  spec(fileName: string): string
  /** @throws TroupeError bad_request (details.errors), already_exists */
  createDefinition(name: string, spec?: string): void
  /** Replaces the text when it is valid. @returns the problems; empty: replaced. @throws TroupeError not_found */
  replaceDefinition(fileName: string, spec: string): string[]
  /** Reads a text as a definition; runs nothing. */
  validate(spec: string, name?: string): Definition
  /** Calls `listen` with every committed transition, in order. Returns the way to end it. */
  subscribe(listen: (event: EngineEvent) => void, run?: RunKey): () => void
  health(): Promise<Health>
  /** Ends the engine. `leave` (default): running steps live on and are found by the next engine on this home; `stop`: runs are stopped first. */
  close(options?: { runs?: 'leave' | 'stop' }): Promise<void>
}
