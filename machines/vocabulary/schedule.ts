/** What was decided about a slot of a schedule. Source: execution-semantics 11. No logic. */

/** The kinds of `schedule`. Source: definition-format "DAG-level fields". */
export type ScheduleKind = 'start' | 'stop' | 'restart'

/** Why a scheduled minute was skipped. Source: execution-semantics 11. */
export type SkipReason =
  | 'suspended'
  /** The newest run is running. */
  | 'running'
  /** The newest run started in that minute or later. */
  | 'started'
  /** `skipIfSuccessful`: it has succeeded since the previous scheduled time. */
  | 'succeeded'
  | 'nothing_running'
  | 'restarting'
  /** The clock was set back, and that minute was decided before. */
  | 'decided'
  /** No engine was running then. */
  | 'missed'
  /** maxActiveRuns or the limit of the queue is reached. */
  | 'limit'
  /** The start itself failed, because of the definition, its params or its log folder. */
  | 'invalid'

/** How the scheduler decided one kind of schedule of one definition for one minute. */
export interface ScheduleDecision {
  fileName: string
  /** DAG name. */
  name: string
  kind: ScheduleKind
  /** The scheduled minute, epoch ms. */
  slot: number
  /** When the slot was decided, epoch ms. */
  at: number
  outcome: 'fired' | 'skipped'
  reason?: SkipReason
  error?: string
  /** The missed minute was backfilled. */
  catchup?: 'last' | 'all'
  /** The run that was started, queued or restarted. */
  dagRunId?: string
}
