/** What a typed definition in code is made of. Types only; values are in define-dag.ts. Source: docs/embedding/README.md. */
import type { HandlerKind } from '../../machines/vocabulary.ts'
import type { Call, Fn, Given, Node, Out, Run } from '../executors/function/types.ts'
import type { Collecting, HandlerCall, HandlerWork, Pages, PassCall, Passes } from './flow-types.ts'
import type { Came, Edge, Env, MaySkip, Step, Wait, Work } from './step-types.ts'

/**
 * A definition in code.
 *
 * The three types are its params as a caller writes them, its result, and the payloads of its signals.
 */
export interface Dag<PI = unknown, R = unknown, W = unknown> {
  readonly name: string
  /** As written, or a text that follows from its plan. */
  readonly version: string
  /** Hash of what the text says: the same in code and in YAML. */
  readonly planHash: string
  /** The definition as text: what is stored, shown and sent. */
  toYaml(): string
  readonly types?: { params: PI; result: R; signals: W }
}

/** The result of a run, by what the builder of its DAG returned. */
export type Kept<B> = B extends Node
  ? KeptOf<B>
  : B extends Readonly<Record<string, Node>>
    ? { readonly [K in keyof B]: KeptOf<B[K]> }
    : null
/** Null where the step may be skipped. */
type KeptOf<N> = N extends Node<string, infer R, infer K> ? R | (true extends K ? null : never) : never

/** Makes the steps of a DAG. It is called once, when the DAG is defined; the functions of the steps run when a run reaches them. */
export interface Builder<P, W> {
  /** A function of this process; the result of the step is what it returns, as JSON: null if that is nothing. */
  step<
    const N extends string,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(name: N, options: Work<P, D, F, S, B>, run: Run<Call<P, D>, R>): Step<N, R, F, S, MaySkip<D, B>>
  /** A function that has been defined with `defineFunction`. */
  use<
    const N extends string,
    PI,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    fn: Fn<PI, R>,
    options: Work<P, D, F, S, B> & { params: (given: Given<P, D>) => NoInfer<PI> }
  ): Step<N, R, F, S, MaySkip<D, B>>
  /**
   * A function of this process for each of up to 1,000 items, `maxConcurrent` at a time (default 10). The result is the list of results; if
   * one fails, the step fails, and a retry calls only those without a result. `timeoutSec` and `retryPolicy` are those of the whole step.
   */
  each<
    const N extends string,
    I,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Work<P, D, F, S, B> & { items: (given: Given<P, D>) => readonly I[]; maxConcurrent?: number },
    run: Run<Call<P, D> & { readonly item: NoInfer<I>; readonly index: number }, R>
  ): Step<N, readonly R[], F, S, MaySkip<D, B>>
  /**
   * As `each`, for more items than fit into a list: `items` is asked for one page of up to 1,000 after the other, with its number from 0,
   * until it has no more; there may be `pages` of them (default and most: 100). The result is how many there were, or what
   * `collect` makes of `first` and the results of each page.
   */
  eachPage<
    const N extends string,
    I,
    R,
    T,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Work<P, D, F, S, B> & Pages<P, D, I>,
    run: Run<Call<P, D> & { readonly item: NoInfer<I>; readonly index: number }, R>,
    collecting: Collecting<P, D, R, T>
  ): Step<N, T, F, S, MaySkip<D, B>>
  eachPage<
    const N extends string,
    I,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Work<P, D, F, S, B> & Pages<P, D, I>,
    run: Run<Call<P, D> & { readonly item: NoInfer<I>; readonly index: number }, R>
  ): Step<N, { readonly pages: number; readonly items: number }, F, S, MaySkip<D, B>>
  // D1770: the function comes before what decides, which is asked about its result
  /**
   * A function of this process, called until what it returned is what `passes` waits for, or `limit` is over. Its result is that of the last
   * pass, also of one that `limit` has ended. A pass that fails, its retries included, ends the loop: the step fails.
   */
  repeat<
    const N extends string,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Work<P, D, F, S, B>,
    run: Run<PassCall<P, D> & { readonly last: R }, R>,
    passes: Passes<P, D, R> & { first: R }
  ): Step<N, R, F, S, MaySkip<D, B>>
  repeat<
    const N extends string,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Work<P, D, F, S, B>,
    run: Run<PassCall<P, D>, R>,
    passes: Passes<P, D, R>
  ): Step<N, R, F, S, MaySkip<D, B>>
  /**
   * A function of this process that runs when the run has ended so: `failure`, `success` or `cancel`, and after them `exit`. It reads the
   * results of the steps in `reads`, and in `errors` whatever has failed.
   */
  handler<R, const D extends readonly Node[] = []>(
    kind: HandlerKind,
    options: HandlerWork<P, D>,
    run: Run<HandlerCall<P, D>, R>
  ): void
  /** A command of the shell; its result is what it printed on stdout, without blanks at the ends. `env`: variables of the step. */
  shell<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(name: N, command: string, options?: Work<P, D, F, S, B> & Env<P, D>): Step<N, string, F, S, MaySkip<D, B>>
  /** A step of any other executor, with the fields of the definition format; its result is its output. `env`: variables of the step. */
  yaml<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(name: N, fields: object, options?: Work<P, D, F, S, B> & Env<P, D>): Step<N, string, F, S, MaySkip<D, B>>
  /** Runs another DAG, or a stored definition by its name. Its result is that of the run; of a stored one its `result`, else null. */
  call<
    const N extends string,
    PI,
    R,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    dag: Dag<PI, R, unknown> | string,
    options: Work<P, D, F, S, B> & { params: (given: Given<P, D>) => NoInfer<PI> }
  ): Step<N, R, F, S, MaySkip<D, B>>
  /**
   * Runs another DAG for each of up to 1,000 items, with the params that are made of it, `maxConcurrent` at a time (default 10). The result is
   * the list of their results, in the order of the items. If one of them fails the step does, and a retry starts those alone; where
   * `continueOn` lets others go on, they read null in its place.
   */
  callEach<
    const N extends string,
    PI,
    R,
    I,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    dag: Dag<PI, R, unknown>,
    options: Work<P, D, F, S, B> & {
      items: (given: Given<P, D>) => readonly I[]
      params: (given: Given<P, D> & { readonly item: NoInfer<I>; readonly index: number }) => NoInfer<PI>
      maxConcurrent?: number
    }
  ): Step<N, readonly (R | (true extends F ? null : never))[], F, S, MaySkip<D, B>>
  /** Waits for the payload of one of `signals` of the DAG. `onTimeout`: what the end of `timeoutSec` does; default: `fail`. */
  signal<
    const N extends keyof W & string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never,
    const T extends 'fail' | 'skip' | 'succeed' = 'fail'
  >(
    name: N,
    options?: Wait<P, D, F, S, B> & { onTimeout?: T }
  ): Step<N, Came<Out<W[N]>> | (T extends 'succeed' ? null : never), F, S, MaySkip<D, T extends 'skip' ? true : B>>
  /** Waits for a yes or no: a signal with the payload `{ approved, note? }`. `onRefusal`: whether a no fails the step; default: `fail`. */
  approval<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options?: Wait<P, D, F, S, B> & { onRefusal?: 'fail' | 'succeed' }
  ): Step<N, Came<{ approved: boolean; note?: string }>, F, S, MaySkip<D, B>>
  /** Waits for a duration such as `PT2H`, or until an instant: a `Date`, or its ISO text. */
  sleep<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Edge<P, D, F, S, B> & { for: string | Date | ((given: Given<P, D>) => string | Date) }
  ): Step<N, null, F, S, MaySkip<D, B>>
}

/** The names of a DAG, its params and signals, and what happens to runs of another version. */
export interface DagNames<S, W> {
  /** At most 40 letters, digits, dots, dashes and underscores. */
  name: string
  /** Names the version for `onDrift`. Default: it follows from the plan */
  version?: string
  /** The schema of its params, which each start is checked by. Default: it takes none */
  params?: S
  /** The payloads of its signals, by the name of the step. */
  signals?: W
  /** Treatment of open runs of another version. Default: `continue`, with the functions of today; `fail`: they wait for theirs */
  onDrift?: 'continue' | 'fail'
}
