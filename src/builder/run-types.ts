/** A run of a definition in code, as its host sees it. Types only. Source: docs/embedding/README.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { EngineEvent, RunView, SignalOptions, SignalStep } from '../engine/engine.ts'
import type { In } from '../executors/function/types.ts'
import type { Dag } from './types.ts'

/** Made by `engine.start(dag, ...)` and `engine.handle(dag, id)`. It holds nothing but the key: it may be made again at any time. */
export interface Run<R = unknown, W = unknown> extends RunKey {
  /**
   * Resolves with the result of the run when it has ended well (`succeeded` or `partially_succeeded`): what the builder returned. Null
   * stands for a step that was skipped, or failed with `continueOn`.
   * @param options `timeoutMs`: ms to wait at most, default: without limit; `signal` ends the wait, too, with its reason
   * @throws RunFailed, RunCanceled; WaitTimedOut: the run goes on; TroupeError not_found, service_unavailable (the engine was closed)
   */
  result(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<R>
  /**
   * Gives a step its payload; resolves when that is durable. Before the step waits, the run keeps it.
   * @param options `by`: who gives it; `id`: with the same id it may be given again without an error @throws SignalRefused
   */
  signal<K extends keyof W & string>(step: K, payload: In<W[K]>, options?: { by?: string; id?: string }): Promise<void>
  /**
   * Asks the run to stop; resolves when that is durable.
   * @param options `by`: who stops it, kept with the run; `force`: kills what is running, handlers included @throws TroupeError not_found,
   * not_running
   */
  stop(options?: { by?: string; force?: boolean }): Promise<void>
  /** The record of the run, its steps and handlers as they are now. @throws TroupeError not_found */
  view(): RunView
  /**
   * Every transition of the run after the one with the number `after` (its `seq`; default 0: all), earlier ones first; ends with the run.
   * @throws TroupeError not_found; service_unavailable: the engine closes, and the run goes on in the next one; the reason of `signal`
   */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<EngineEvent>
}

/** A run as a process sees it that does not own its home. */
export type ConnectedRun<R = unknown, W = unknown> = Omit<Run<R, W>, 'view'>

export interface StartOptions {
  /** The id of the run: a start with that of a run that is there is refused (`already_exists`). Default: a new one */
  dagRunId?: string
  /** A queue other than that of the DAG. */
  queue?: string
  /** Refuses the start while a run of the DAG is running (`already_running`); with `enqueue`, also while one waits (`max_run_reached`). */
  singleton?: boolean
  /** The run waits in its queue until then: an instant with its offset, or `+` and a duration such as `+10m`. */
  at?: string
  /** From -1000 to 1000: the highest of those that wait in a queue is next. Default: that of the DAG, or 0 */
  priority?: number
  /** The same key again, with the same params, starts nothing and resolves with the first run; kept while that is, and a day at least. */
  idempotencyKey?: string
  /** Puts it into its queue, where it waits for its turn. Default: it starts at once, or is refused (`max_run_reached`) */
  enqueue?: boolean
}

/** What an engine adds for definitions in code. */
export interface TypedRuns {
  /**
   * Starts a run; resolves when it is durable.
   * @param dag one of the `dags` of this engine @param params as its schema takes them; `{}` without a schema
   * @throws TroupeError bad_request (params, with all issues), already_exists (the id), max_run_reached (`maxActiveRuns`), already_running
   */
  start<PI, R, W>(dag: Dag<PI, R, W>, params: NoInfer<PI>, options?: StartOptions): Promise<Run<R, W>>
  /** A run that was started before; it is not looked up. One of another plan is typed by the plan of today, and not checked. */
  handle<PI, R, W>(dag: Dag<PI, R, W>, dagRunId: string): Run<R, W>
}

/** The engine of another process, as `connectEngine` returns it. */
export interface ConnectedEngine {
  /**
   * Starts a run; resolves when it is durable. It is asked again of the next owner where the answer of one was lost, and begins once.
   * @param dag its name says which of the `dags` of the owner is started, with the plan and the schema that the owner has
   * @throws TroupeError as `start` of an engine; service_unavailable: no owner has answered in time, and it says whether the run may have begun
   */
  start<PI, R, W>(dag: Dag<PI, R, W>, params: NoInfer<PI>, options?: StartOptions): Promise<ConnectedRun<R, W>>
  /** A run that was started before; it is not looked up. */
  handle<PI, R, W>(dag: Dag<PI, R, W>, dagRunId: string): ConnectedRun<R, W>
  /**
   * Gives a step what it waits for; resolves when that is durable: also an approval, and a step of a sub DAG run.
   * @param options `by`: who gives it; `id`: with the same id it may be given again without an error @throws SignalRefused
   */
  signal(step: SignalStep, payload: unknown, options?: SignalOptions): Promise<void>
  /** Ends what is waited for (`service_unavailable`); runs go on. */
  close(): void
}
