/** The steps of a DAG in code: what is said of them, and how their results are read. Types only. Source: docs/embedding/README.md. */
import type { Given, Node } from '../executors/function/types.ts'

/**
 * What a step is, what lets it begin, and what its dependents may do without it.
 *
 * `F`, `S` and `B` are what is written: `continueOn.failure`, `continueOn.skipped`, and the answer of `preconditions`. They decide whether
 * its result may be null.
 */
export interface Edge<
  P,
  D extends readonly Node[],
  F extends boolean = boolean,
  S extends boolean = boolean,
  B extends boolean = boolean
> {
  /** Says what the step does, for those who see it on the page and in lists. */
  description?: string
  /** Handles of steps of the same DAG; their results are `results` of the call. */
  depends?: D
  /** Skips the step, and those that depend on it, when its answer is false. Asked once: a retry or a restart uses the answer. */
  preconditions?: (given: Given<P, D>) => B | Promise<B>
  /**
   * Lets the steps that depend on it run although it has failed (`failure`) or was skipped (`skipped`); they read `null` as its result
   * then, and in `errors` why it has failed. The run ends `partially_succeeded` after such a failure, or `succeeded` with `markSuccess`. Default: none of them.
   */
  continueOn?: { failure?: F; skipped?: S; markSuccess?: boolean }
}

// D1640: the types say null where a result may be missing, and nowhere else
/** The result of a step as its dependents read it. `K`: it may be skipped. */
type Seen<R, F extends boolean, S extends boolean, K extends boolean> =
  | R
  | (true extends F ? null : never)
  | (true extends S & K ? null : never)

/** Whether a step may be skipped: by its preconditions (`B`, never where it has none), or with a step that it depends on. */
export type MaySkip<D extends readonly Node[], B extends boolean> = [B] extends [never] ? Skipping<D[number]> : true
type Skipping<N> = true extends (N extends Node<string, unknown, infer K> ? K : never) ? true : false

// D1777: a step names none of the steps before it: the compiler would go through all of them for each
/** A step by what its options say. `K`: it may be skipped. */
export type Step<N extends string, R, F extends boolean, S extends boolean, K extends boolean> = Node<
  N,
  Seen<R, F, S, K>,
  K extends true ? ([S] extends [true] ? false : true) : false,
  true extends F ? true : false
>

/** Fields of a step that does something. */
export interface Work<
  P,
  D extends readonly Node[],
  F extends boolean = boolean,
  S extends boolean = boolean,
  B extends boolean = boolean
> extends Edge<P, D, F, S, B> {
  /**
   * Runs a step that has failed again: `limit` more times, `intervalSec` seconds after each failure (default 0), which `backoff` multiplies
   * each time (`true`: doubles), up to `maxIntervalSec`. A `NonRetryable` and a time limit are not tried again. Default: never
   */
  retryPolicy?: { limit: number; intervalSec?: number; backoff?: number | true; maxIntervalSec?: number }
  /**
   * Whole seconds for one execution; then the `signal` of a function is aborted, and a process is sent SIGTERM. The step fails with code
   * 124, without a retry, also when it ends well after that. Default: no limit
   */
  timeoutSec?: number
  /** Whole seconds for its end after a stop or a time limit; then a process is killed, and a function left alone. Default: the DAG's, 5 */
  maxCleanUpTimeSec?: number
  /** What happens to an execution that the end of the process cut off: it is begun again, or fails. Default: `rerun` */
  onInterrupt?: 'rerun' | 'fail'
  /** What the step does while no engine on the home has the function or the executor that it needs. Default: `wait` */
  onMissing?: 'wait' | 'fail'
}

/** Variables of a step: in the words of the definition format, or answered by a function, whose texts are taken as they are. */
export interface Env<P, D extends readonly Node[]> {
  env?: Readonly<Record<string, string>> | ((given: Given<P, D>) => Record<string, string>)
}

/** Fields of a step that waits for somebody. */
export interface Wait<
  P,
  D extends readonly Node[],
  F extends boolean = boolean,
  S extends boolean = boolean,
  B extends boolean = boolean
> extends Edge<P, D, F, S, B> {
  /** Whole seconds that it waits; then it fails, or does what `onTimeout` says. Default: no limit */
  timeoutSec?: number
  /** The question that is shown to those who answer. */
  ask?: string | ((given: Given<P, D>) => string)
}

/** What a step that waited was given. */
export interface Came<T> {
  readonly payload: T
  /** Name of the one who gave the payload; absent: nobody was named. */
  readonly by?: string
  /** When, epoch ms. */
  readonly at: number
}
