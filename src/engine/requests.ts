/** What callers ask of an engine. Types only. */
import type { Hold } from '../../machines/policy/admission.ts'
import type { NodeStatus, RunKey, StarterRights } from '../../machines/vocabulary.ts'

/** A start request. Set `spec` (inline text), `file` (a path, command line and hosts only) or `fileName` (stored definition). */
export interface StartRequest extends Requested {
  spec?: string
  file?: string
  fileName?: string
  /** Name for an inline spec that has none. */
  name?: string
  /** Overrides the DAG name of the definition. */
  dagName?: string
  /** Parameters in the grammar of execution-semantics 2.1.1. */
  params?: string
  /** Evaluate `params` like defaults, with variables and backticks. For users who may run commands here anyway. */
  evaluateParams?: boolean
  dagRunId?: string
  /** Refuse when a run of this DAG name is running; an enqueue also when one is queued. */
  singleton?: boolean
  /** Overrides the queue of the definition. */
  queue?: string
  /** Check only, without starting a run: returns what a start would return now. */
  dryRun?: boolean
  /** Run at once even if its queue is full; turns an enqueue into a start. */
  noQueue?: boolean
  /** Wait in the queue when maxActiveRuns, if above 1, is reached; absent: refuse. */
  waitWhenFull?: boolean
  /** Ignore maxActiveRuns and queues. */
  unlimited?: boolean
  /**
   * Use the definition and params of this earlier root run, unchanged, instead of `spec`, `file` or `fileName`. `dagName`
   * overrides its name.
   */
  fromRun?: RunKey
  /** An instant with its offset, or `+` and a duration such as `+10m`: the run waits in its queue until then. */
  at?: string | undefined
  /** From -1000 to 1000: the highest of those that wait in a queue is next. Default: that of the definition, or 0 */
  priority?: number | undefined
  /**
   * The same key again, with the same text and params of the same DAG name, starts nothing and is answered like the first start. Kept
   * as long as that run, and a day at least. 1 to 255 printable ASCII characters.
   */
  idempotencyKey?: string | undefined
}

/** What a start has come to. */
export interface Started extends RunKey {
  /** An earlier start with the same idempotency key has made the run. */
  replayed?: true
  /** What would hold the run now, after a dry run; absent: nothing. */
  waitsFor?: Hold[]
}

/** `by` and `via` are kept with the run: who has stopped it. */
export interface StopRequest extends Requested {
  /** Kill everything that is running, handlers included; default false. */
  force?: boolean | undefined
}

/** Identifies the caller. */
export interface Asked {
  /** Name of a user or token. Long texts with the same value are parsed one after another; default: independently. */
  by?: string | undefined
}

/** Which text of a definition is replaced. */
export interface Replaced extends Asked {
  /** The `revision` of the text, as the API has it; absent: whatever is there. */
  revision?: string | undefined
}

/** The part of a request that the `trigger` of a run says. */
export interface Requested extends Asked {
  /** Default: the application that embeds the engine. */
  via?: 'api' | 'cli' | undefined
  /** Rights of a caller who must not hear of every definition: the run calls none that is hidden from them. */
  starter?: StarterRights | undefined
  /** The id of the API request, which is logged with what follows from it. */
  requestId?: string | undefined
}

export interface RetryRequest extends Requested {
  dagRunId?: string | undefined
  stepName?: string | undefined
  /** Run everything that depends on that step, too, whatever its status. */
  includeDownstream?: boolean | undefined
  /** Ignore maxActiveRuns. */
  unlimited?: boolean | undefined
}

/** Id and name of the new run; absent: a new id, and the same DAG name. */
export interface Rescheduled extends Requested {
  dagRunId?: string | undefined
  dagName?: string | undefined
  /** Params that are other ones than those of the earlier run, as for a start. */
  params?: string | undefined
  /** Ignore maxActiveRuns, queues, and other runs of the DAG. */
  unlimited?: boolean | undefined
}

/** A status that can be set by hand. */
export type SettableStatus = Exclude<NodeStatus, 'partially_succeeded'>

/** One step of a root run, or of a sub DAG run below it. */
export interface StepKey {
  root: RunKey
  subRunId?: string
  step: string
  /** The user, for the log of the run; default: no user is logged. */
  by?: string
}

/** A step of a run, or of a sub DAG run below it. */
export interface SignalStep extends RunKey {
  subRunId?: string
  step: string
}

export interface SignalOptions {
  /** The name of the one who gives the signal; default: nobody is named. */
  by?: string
  /** A signal with the same id again is answered like the first. */
  id?: string
}

export interface WaitingFilter {
  /** DAG name of the run that waits. */
  dag?: string
  step?: string
}
