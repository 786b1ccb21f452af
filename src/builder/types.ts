/** What a typed definition in code is made of. Types only; values are in define-dag.ts. Source: docs/embedding/README.md. */
import type { Call, Fn, Given, Node, Out, Storable } from '../executors/function/types.ts'

/**
 * What lets a step begin, and what its dependents may do without it.
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
  /** Handles of steps of the same DAG; their results are `results` of the call. */
  depends?: D
  /** Skips the step, and those that depend on it, when its answer is false. Asked once: a retry or a restart uses the answer. */
  preconditions?: (given: Given<P, D>) => B | Promise<B>
  /**
   * Lets the steps that depend on it run although it has failed (`failure`) or was skipped (`skipped`); they read `null` as its result
   * then. The run ends `partially_succeeded` after such a failure, or `succeeded` with `markSuccess`. Default: none of them.
   */
  continueOn?: { failure?: F; skipped?: S; markSuccess?: boolean }
}

// D1640: the types say null where a result may be missing, and nowhere else
/** The result of a step as its dependents read it. `K`: it may be skipped. */
type Seen<R, F extends boolean, S extends boolean, K extends boolean> =
  | R
  | (true extends F ? null : never)
  | (true extends S & K ? null : never)

/** Whether a step may be skipped: by its preconditions, or with a step that it depends on. */
type MaySkip<D extends readonly Node[], B extends boolean> = [B] extends [never] ? Skipping<D[number]> : true
type Skipping<N> = true extends (N extends Node<string, unknown, infer K> ? K : never) ? true : false

/** A step by what its options say. `B` is never where it has no preconditions. */
type Step<
  N extends string,
  R,
  D extends readonly Node[],
  F extends boolean,
  S extends boolean,
  B extends boolean,
  K extends boolean = MaySkip<D, B>
> = Node<N, Seen<R, F, S, K>, K extends true ? ([S] extends [true] ? false : true) : false>

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
  >(
    name: N,
    options: Work<P, D, F, S, B>,
    run: (call: Call<P, D>) => Promise<Storable<R>> | Storable<R>
  ): Step<N, R, D, F, S, B>
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
  ): Step<N, R, D, F, S, B>
  /**
   * A function of this process for each of up to 1,000 items, `maxConcurrent` at a time (default 1). The result is the list of results; if
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
    run: (
      call: Call<P, D> & { readonly item: NoInfer<I>; readonly index: number }
    ) => Promise<Storable<R>> | Storable<R>
  ): Step<N, readonly R[], D, F, S, B>
  /** A command of the shell; its result is what it printed on stdout, without blanks at the ends. `env`: variables of the step. */
  shell<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    command: string,
    options?: Work<P, D, F, S, B> & { env?: (given: Given<P, D>) => Record<string, string> }
  ): Step<N, string, D, F, S, B>
  /** A step of any other executor, with the fields of the definition format; its result is its output. */
  yaml<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(name: N, fields: object, options?: Work<P, D, F, S, B>): Step<N, string, D, F, S, B>
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
  ): Step<N, R, D, F, S, B>
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
  ): Step<N, Came<Out<W[N]>> | (T extends 'succeed' ? null : never), D, F, S, T extends 'skip' ? true : B>
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
  ): Step<N, Came<{ approved: boolean; note?: string }>, D, F, S, B>
  /** Waits for a duration such as `2h` or `PT10M`, or until an instant: a `Date`, or its ISO text. */
  sleep<
    const N extends string,
    const D extends readonly Node[] = [],
    F extends boolean = false,
    S extends boolean = false,
    B extends boolean = never
  >(
    name: N,
    options: Edge<P, D, F, S, B> & { for: string | Date | ((given: Given<P, D>) => string | Date) }
  ): Step<N, null, D, F, S, B>
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

type Texts = string | readonly string[]
type Cron = Texts | { start?: Texts; stop?: Texts; restart?: Texts }
/** A step in the fields of the definition format. */
type StepFields = Readonly<Record<string, unknown>>

/** Fields of the definition format for a whole DAG. docs/definition-format.md says what they mean. */
export interface DagFields {
  description?: string
  group?: string
  tags?: Texts
  schedule?: Cron
  restartWaitSec?: number
  skipIfSuccessful?: boolean
  catchup?: 'none' | 'last' | 'all'
  /** The queue of its runs when it is full, or when enqueued; not with a `maxActiveRuns` of 1 or less. Default: one of its name */
  queue?: string
  /** From -1000 to 1000: the highest of the runs that wait in a queue is next. Default: 0 */
  priority?: number
  delaySec?: number
  /** Whole seconds for a run; then it fails. Default: no limit */
  timeoutSec?: number
  maxCleanUpTimeSec?: number
  /** Runs at a time: a start beyond it is refused (`max_run_reached`), an enqueued run waits. Default: no limit, in code; 1 in YAML */
  maxActiveRuns?: number
  /** Steps of a run at a time. Default: no limit */
  maxActiveSteps?: number
  /** Bytes of one result. Default: 1 MiB */
  maxOutputSize?: number
  /** Days that a run is kept after its end. Default: 30 */
  histRetentionDays?: number
  onInterrupt?: 'resume' | 'fail' | 'rerun'
  env?: Readonly<Record<string, string>> | readonly Readonly<Record<string, string>>[]
  dotenv?: Texts
  shell?: Texts
  workingDir?: string
  logDir?: string
  preconditions?: Texts | readonly StepFields[]
  handlerOn?: Readonly<Partial<Record<'success' | 'failure' | 'cancel' | 'exit', StepFields>>>
  secrets?: readonly StepFields[]
  mailOn?: { failure?: boolean; success?: boolean }
  errorMail?: StepFields
  infoMail?: StepFields
  smtp?: StepFields
  workerSelector?: Readonly<Record<string, string>>
  container?: StepFields
  registryAuths?: string | StepFields
  ssh?: StepFields
  otel?: StepFields
  runConfig?: { disableParamEdit?: boolean; disableRunIdEdit?: boolean }
}
