/** The closed lists of the vocabulary, from which types and checks are made. Source: http-api "Run status", execution-semantics 5.1. */

/** Statuses of a DAG run. The integer of a status is its index. */
export const RUN_STATUSES = [
  'not_started',
  'running',
  'failed',
  'canceled',
  'succeeded',
  'queued',
  'partially_succeeded'
] as const

export const RUN_ENDS = ['failed', 'canceled', 'succeeded', 'partially_succeeded'] as const

/** Statuses of a node. The integer of a status is its index. */
export const NODE_STATUSES = [
  'not_started',
  'running',
  'failed',
  'canceled',
  'succeeded',
  'skipped',
  'partially_succeeded'
] as const

export const NODE_ENDS = ['failed', 'canceled', 'succeeded', 'skipped', 'partially_succeeded'] as const

/**
 * What asks for a run: the scheduler; a request to the API; the command line; the application that embeds the engine; an import, of a run
 * that ended elsewhere.
 */
export const TRIGGER_TYPES = ['schedule', 'api', 'cli', 'host', 'import'] as const

/** What was asked for: a retry of the same run or under a new id, or a run of the same text and params. */
export const TRIGGER_REPEATS = ['retry', 'reschedule', 'restart'] as const

/** Why an engine should get no requests now. Source: docs/operating/watching.md. */
export const UNREADY_REASONS = ['closing', 'failed', 'home', 'storage', 'recovering', 'scheduler', 'workers'] as const

/** What stops a run: the scheduler, a request to the API, the command line, the embedding application, or the engine as it closes. */
export const STOPPER_TYPES = ['schedule', 'api', 'cli', 'host', 'engine'] as const

/** What a step can wait for outside, in the order in which a run that waits for several says it: a person comes before the time. */
export const WAITS = ['approval', 'signal', 'sleep'] as const

/** What holds a run that waits, in the order in which it is said. */
export const HOLDS = ['not_before', 'queue_full', 'max_active_runs', 'no_worker'] as const
