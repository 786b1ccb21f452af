/** Policies of a step, every default filled in. Source: definition-format "Step fields". No logic. */

/** A precondition. Without `expected`, `condition` is a command that must exit 0. Source: execution-semantics 5.6. */
export interface Condition {
  condition: string
  expected?: string
  /** The author's message for a condition that does not hold. */
  error?: string
  negate?: boolean
}

/** The result of a precondition. `error` is empty when it and all others held. Source: execution-semantics 5.6.6. */
export interface ConditionResult {
  matched: boolean
  error: string
}

/** `continueOn`, completed. Source: execution-semantics 5.4. */
export interface ContinueOn {
  failure: boolean
  skipped: boolean
  exitCodes: number[]
  /** Texts to find in a line of the stdout log; a `re:` prefix makes it a regular expression. */
  outputs: string[]
  markSuccess: boolean
}

/** `retryPolicy`, completed. `limit` counts retries, not executions. Source: execution-semantics 6.1. */
export interface Retry {
  /** A number, or text with variables that is evaluated when the node is set up. */
  limit: number | string
  /** Milliseconds, or text with variables that evaluates to seconds. Every stored plan has it under this name, which says no unit. */
  interval: number | string
  /** Empty: every non-zero code is retried. */
  exitCodes: number[]
  /** Factor by which the wait grows; 1: none. */
  backoff: number
  /** 0: no cap. */
  maxIntervalMs: number
}

/** A retry policy whose texts have been evaluated. */
export interface RetryPlan extends Retry {
  limit: number
  /** Milliseconds. */
  interval: number
}

/** `repeatPolicy`, completed. Source: execution-semantics 6.2. */
export interface Repeat {
  /** `while`: goes on as long as the test holds; `until`: as long as it does not. */
  mode: 'while' | 'until'
  /** What is tested after each pass; absent: the exit code, when `exitCodes` has any, else whether the pass succeeded. */
  condition?: Condition
  /** The function of the host application that is asked in place of a condition; our addition. */
  function?: string
  exitCodes: number[]
  intervalMs: number
  /** Executions in all; 0: no limit. */
  limit: number
  /** Factor by which the wait grows; 1: none. */
  backoff: number
  /** 0: no cap. */
  maxIntervalMs: number
}

/** What happens to an execution that a restart interrupted. Source: execution-semantics 13.5.3. */
export type OnInterrupt = 'resume' | 'fail' | 'rerun'

/** What happens to what a lost worker had at work. Source: distribution 4. */
export type OnWorkerLost = 'fail' | 'requeue' | 'wait'

/** What happens to a step whose function or executor the engine lacks; our addition. */
export type OnMissing = 'wait' | 'fail'
