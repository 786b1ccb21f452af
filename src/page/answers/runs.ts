/** Answers of the API about runs, as far as the page reads them. Source: http-api "Resources and their fields". */

/** What somebody may do with a definition and its runs. */
export type Permission = 'read' | 'run' | 'write'

export type RunLabel =
  | 'not_started'
  | 'running'
  | 'failed'
  | 'canceled'
  | 'succeeded'
  | 'queued'
  | 'partially_succeeded'

export type NodeLabel = Exclude<RunLabel, 'queued'> | 'skipped'

export type Label = RunLabel | NodeLabel

/** The integer of a status is its index. */
export const RUN_LABELS: readonly RunLabel[] = [
  'not_started',
  'running',
  'failed',
  'canceled',
  'succeeded',
  'queued',
  'partially_succeeded'
]

/** Statuses that a user may set on a node, by their integer. */
export const SETTABLE: readonly NodeLabel[] = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped']

/** What asked for a run, or for its latest attempt. */
export interface Trigger {
  type: 'schedule' | 'api' | 'cli' | 'host' | 'import' | 'parent'
  again?: 'retry' | 'reschedule' | 'restart'
  by?: string
  slot?: string
  of?: { name: string; dagRunId: string }
}

/** Who or what stopped a run. */
export interface Stopper {
  type: 'schedule' | 'api' | 'cli' | 'host' | 'engine'
  by?: string
}

export interface RunSummary {
  name: string
  dagRunId: string
  rootDAGRunName: string
  rootDAGRunId: string
  parentDAGRunName: string
  parentDAGRunId: string
  statusLabel: RunLabel
  queuedAt: string
  startedAt: string
  finishedAt: string
  params: string
  /** `local`: it runs in the server. */
  workerId?: string
  attempt: number
  /** Missing in runs of earlier releases. */
  trigger?: Trigger
  /** Missing in runs that were not stopped. */
  stoppedBy?: Stopper
  /** What the visitor may do with it, in lists; missing: as on the server. */
  permissions?: Permission[]
}

export interface SubRun {
  name: string
  dagRunId: string
  params: string
  statusLabel: RunLabel
}

export interface Step {
  name: string
  description?: string
  cmdWithArgs?: string
  script?: string
  output?: string
  depends?: string[]
  call?: string
  executor?: { type: string }
  retryPolicy?: { limit: number | string; intervalSec: number | string }
  repeatPolicy?: { interval: number }
  preconditions?: ConditionShape[]
}

export interface ConditionShape {
  condition: string
  expected: string
  error: string
  matched?: boolean
}

export interface NodeShape {
  step: Step
  stdout: string
  stderr: string
  startedAt: string
  finishedAt: string
  statusLabel: NodeLabel
  retryCount: number
  doneCount: number
  subRuns: SubRun[]
  subRunsRepeated: SubRun[]
  error: string
  waitingFor?: WaitingFor
  given?: { by: string; at: string; payload: string }
  thrown?: ThrownShape[]
  /** The worker that its latest execution was given to, and the number of that placement; absent: the server itself. */
  workerId?: string
  lease?: number
}

/** What a step waits for; an empty `until`: it has no limit. */
export interface WaitingFor {
  for: 'signal' | 'approval' | 'sleep'
  ask: string
  since: string
  until: string
  payloadSchema?: object
}

/** What a function has thrown, or a cause of it. */
export interface ThrownShape {
  name: string
  message: string
  code?: string
  stack?: string
}

export const HANDLER_NAMES = ['onSuccess', 'onFailure', 'onCancel', 'onExit'] as const

export type HandlerName = (typeof HANDLER_NAMES)[number]

export interface RunDetails extends RunSummary, Record<HandlerName, NodeShape | null> {
  error: string
  nodes: NodeShape[]
  preconditions: ConditionShape[]
  warnings?: string[]
}

export interface LogChunk {
  content: string
  lineCount: number
  totalLines: number
  hasMore: boolean
  isEstimate: boolean
  /** Number of the first line in the whole log, from 1 on. Absent: not known. */
  firstLine?: number
  /** From which of these lines on, counted from 1, they were begun in which second; empty: not known. */
  times?: { line: number; at: string }[]
}

/** What was found in a part of a log. */
export interface LogFinds {
  /** Numbers of the lines, from 1 on. */
  lines: number[]
  nextOffset: number
  hasMore: boolean
}
