/** The result of a step from the results of the sub DAG runs it called. Source: execution-semantics 9.3.4, 9.4.8. */
import type { RunStatus } from '../vocabulary.ts'

/** Numbers of sub runs by how they ended. */
export interface CallTally {
  succeeded: number
  partiallySucceeded: number
  failed: number
}

/** The sub run that ended last; of a single call, the only one. */
export interface LastEnd {
  dagRunId: string
  status: RunStatus
  /** Why the sub run could not be started. */
  error?: string
}

export interface CallResult {
  /** 0; 1 when a sub run did not succeed. */
  exitCode: number
  error?: string
  /** The sub run succeeded, but only partially. */
  partial: boolean
}

/** Counts one end. A sub run that never started is not counted (9.4.10). */
export function counted(tally: CallTally, status: RunStatus): CallTally {
  if (status === 'succeeded') return { ...tally, succeeded: tally.succeeded + 1 }
  if (status === 'partially_succeeded') return { ...tally, partiallySucceeded: tally.partiallySucceeded + 1 }
  return status === 'not_started' ? tally : { ...tally, failed: tally.failed + 1 }
}

export function callResult(
  parallel: boolean,
  { succeeded, partiallySucceeded, failed }: CallTally,
  total: number,
  last?: LastEnd
): CallResult {
  const partial = partiallySucceeded > 0
  if (succeeded + partiallySucceeded === total) return { exitCode: 0, partial }
  if (parallel)
    return {
      exitCode: 1,
      partial: false,
      error: `parallel execution failed: ${failed} of ${total} child run(s) failed`
    }
  return {
    exitCode: 1,
    partial: false,
    error: last?.error ?? `sub DAG run ${last?.dagRunId ?? ''} failed with status: ${last?.status ?? 'not_started'}`
  }
}
