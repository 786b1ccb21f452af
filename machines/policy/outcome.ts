/** The final status of a run, from the statuses of its nodes: the first rule that holds. Source: execution-semantics 5.5. */
import type { RUN_ENDS } from '../vocabulary/lists.ts'
import type { HandlerKind } from '../vocabulary.ts'

/** Numbers of nodes by how they ended. */
export interface Tally {
  total: number
  succeeded: number
  partiallySucceeded: number
  skipped: number
  /** Failed, and no `continueOn` matched. */
  failed: number
  /** Failed, and a `continueOn` matched. */
  continued: number
}

export interface Ending {
  tally: Tally
  /** Stopped by request. */
  stopped: boolean
  /** The preconditions of the run did not hold, so nothing has run. */
  unmet: boolean
  timedOut: boolean
  handlerFailed: boolean
}

export type EndStatus = (typeof RUN_ENDS)[number]

export function runOutcome({ tally, stopped, unmet, timedOut, handlerFailed }: Ending): EndStatus {
  const well = tally.succeeded + tally.partiallySucceeded
  if (timedOut) return 'failed'
  if (unmet) return 'canceled'
  if (stopped && well + tally.skipped < tally.total) return 'canceled'
  if (tally.failed === 0 && well > 0 && tally.continued + tally.partiallySucceeded > 0) return 'partially_succeeded'
  if (tally.failed + tally.continued > 0 || handlerFailed) return 'failed'
  return 'succeeded'
}

/** The handler for a status; `exit` always follows. Source: execution-semantics 8.2. */
export const handlerFor: Record<EndStatus, Exclude<HandlerKind, 'exit'>> = {
  succeeded: 'success',
  partially_succeeded: 'success',
  failed: 'failure',
  canceled: 'cancel'
}
