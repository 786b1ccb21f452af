/** Words every room shares: statuses and labels, what a plan and its records hold. No logic. Source: http-api "Resources", definition-format "Fields". */

/** Status of a DAG run, as its label. Numbers exist at the API's edge only. Source: http-api "Run status". */
export type RunStatus =
  | 'not_started'
  | 'running'
  | 'failed'
  | 'canceled'
  | 'succeeded'
  | 'queued'
  | 'partially_succeeded'

/** Status of a node, as its label. Source: execution-semantics 5.1. */
export type NodeStatus =
  | 'not_started'
  | 'running'
  | 'failed'
  | 'canceled'
  | 'succeeded'
  | 'skipped'
  | 'partially_succeeded'

/** One `env` entry, in written order; the value is unexpanded. */
export interface EnvEntry {
  key: string
  value: string
}

/** A declared parameter. A positional one is named by its 1-based position. The value is unexpanded. Source: execution-semantics 2.1. */
export interface Param {
  name: string
  value: string
  positional: boolean
}

/** A precondition. Without `expected`, `condition` is a command that must exit 0. Source: execution-semantics 5.6. */
export interface Condition {
  condition: string
  expected?: string
  /** The author's message for a condition that does not hold. */
  error?: string
  negate?: boolean
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
  /** Milliseconds, or text with variables that evaluates to seconds. */
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
  interval: number
}

/** One step of a plan: all defaults filled in, texts unexpanded. Source: definition-format "Step fields". */
export interface Step {
  name: string
  id?: string
  description: string
  /** A one-line command for the shell, as written. Exclusive with `argv`. */
  command?: string
  /** A list command: program, then arguments. */
  argv?: string[]
  args: string[]
  /** Script body; a multi-line `command` arrives here too. */
  script?: string
  /** Program and flags, when the step names a shell. */
  shell?: string[]
  /** Working directory as written. */
  dir?: string
  stdout?: string
  stderr?: string
  /** Variable that captures stdout. */
  output?: string
  /** Names of steps, chain dependencies included. */
  depends: string[]
  preconditions: Condition[]
  continueOn: ContinueOn
  retry: Retry
  env: EnvEntry[]
  /** Limit of one execution; 0: none. */
  timeoutMs: number
  /** Signal name sent on stop; absent: SIGTERM. */
  signalOnStop?: string
}

export type HandlerKind = 'success' | 'failure' | 'cancel' | 'exit'

/** A definition ready to run. JSON only: it is stored with each run it starts. Source: definition-format "DAG-level fields". */
export interface Plan {
  name: string
  group: string
  description: string
  tags: string[]
  type: 'chain' | 'graph'
  /** Program and flags, when the DAG names a shell. */
  shell?: string[]
  /** As written; absent: the directory of the definition file, or the run's own for an inline spec. */
  workingDir?: string
  /** Directory of the definition file; absent for an inline spec. */
  sourceDir?: string
  env: EnvEntry[]
  params: Param[]
  preconditions: Condition[]
  /** Runs of this name at a time; negative: no limit. */
  maxActiveRuns: number
  /** Running nodes of one run; 0: no limit. */
  maxActiveSteps: number
  /** Limit of one run; 0: none. */
  timeoutMs: number
  /** From stop to SIGKILL. */
  cleanUpMs: number
  /** Bytes of captured output per step. */
  maxOutputSize: number
  handlers: Partial<Record<HandlerKind, Step>>
  /** In definition order; names unique, no cycles. */
  steps: Step[]
  /** The later documents of the file. */
  locals: Plan[]
}

/** A parameter of a run, evaluated. */
export interface RunParam {
  name: string
  value: string
}

/** What tells one run from another: run ids are unique per DAG name. */
export interface RunKey {
  name: string
  dagRunId: string
}

/** A precondition's result. `error` is empty when it held and all others too. Source: execution-semantics 5.6.6. */
export interface ConditionResult {
  matched: boolean
  error: string
}

/** The stored summary of one run. Source: http-api "DAG run summary". Instants in epoch ms; absent: not yet. */
export interface RunRecord extends RunKey {
  status: RunStatus
  /** 1 for the first attempt of the run. */
  attempt: number
  createdAt: number
  queuedAt?: number
  startedAt?: number
  finishedAt?: number
  params: RunParam[]
  /** Absolute path of the run log. */
  log: string
  /** Folder that holds the logs of this attempt's nodes. */
  nodeLogs: string
  /** Content hash under which plan and spec text are stored. */
  plan: string
  error?: string
  conditions?: ConditionResult[]
}

/** The stored state of one node of one run. Handlers are nodes too. Source: http-api "Node". */
export interface NodeRecord {
  step: string
  status: NodeStatus
  startedAt?: number
  finishedAt?: number
  retryCount: number
  doneCount: number
  exitCode?: number
  /** Name of the signal that ended the last execution, e.g. `terminated`. */
  signal?: string
  error?: string
  /** Absolute paths; absent for a node that never started. */
  stdout?: string
  stderr?: string
  /** Value of the step's `output` variable. */
  output?: string
  conditions?: ConditionResult[]
  /** A failed or skipped node whose dependents may run all the same (`continueOn`). */
  continues?: boolean
}

/** One transition of one actor. `run` is absent for the engine's own actors. Source: architecture 1. */
export interface JournalRecord {
  run?: RunKey
  /** Counts from 1 per run. */
  seq: number
  at: number
  /** `run/<name>/<id>/node/<step>/attempt/<n>`: stable across restarts. */
  actor: string
  event: string
  /** State path such as `attempting.executing`; empty: the actor came into being. */
  from: string
  to: string
  /** `seq` of the transition that sent the event; absent: it came from outside. */
  cause?: number
}
