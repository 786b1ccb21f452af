/** A run of a definition in code, as its host sees it. Types only. Source: docs/embedding/README.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { EngineEvent, RunView } from '../engine/engine.ts'
import type { In } from '../executors/function/types.ts'
import type { Dag } from './types.ts'

export interface Run<R = unknown, W = unknown> extends RunKey {
  /**
   * Resolves with the result of the run when it has ended well.
   * @throws RunFailed, RunCanceled; WaitTimedOut: the run goes on; TroupeError not_found
   */
  result(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<R>
  /** Gives a step its payload; resolves when that is durable. @throws SignalRefused */
  signal<K extends keyof W & string>(step: K, payload: In<W[K]>, options?: { by?: string; id?: string }): Promise<void>
  /**
   * Asks the run to stop; resolves when that is durable.
   * @param options `by`: who stops it, kept with the run @throws TroupeError not_found, not_running
   */
  stop(options?: { by?: string; force?: boolean }): Promise<void>
  /** Its record, steps and handlers as they are now. @throws TroupeError not_found */
  view(): RunView
  /** Every transition of the run after one of them (`seq`), earlier ones first; ends with the run. */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<EngineEvent>
}

export interface StartOptions {
  dagRunId?: string
  queue?: string
  singleton?: boolean
  /** Puts it into its queue, instead of starting it when there is room. */
  enqueue?: boolean
}

/** What an engine adds for definitions in code. */
export interface TypedRuns {
  /** Starts a run; resolves when it is durable. @throws TroupeError bad_request (params, with all issues), and as for any start */
  start<PI, R, W>(dag: Dag<PI, R, W>, params: NoInfer<PI>, options?: StartOptions): Promise<Run<R, W>>
  /** A run that was started before. One of another plan is typed by the plan of today, and not checked. */
  handle<PI, R, W>(dag: Dag<PI, R, W>, dagRunId: string): Run<R, W>
}
