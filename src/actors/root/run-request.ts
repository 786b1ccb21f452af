/** What a start requests from the queue. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../store/changes.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { Retried } from '../recovery/retried-run.ts'
import type { LoadedEnv } from '../run/run-environment.ts'

/** A run to be started. */
export interface RunRequest {
  record: RunRecord
  plan: StoredPlan
  /** dotenv and DAG `env`, if they had to be evaluated before. */
  env?: LoadedEnv
  singleton: boolean
  /** Refused when another run of the DAG name runs or waits. */
  exclusive?: boolean
  /** The run may wait when its configured queue is full. */
  mayWait?: boolean
  /** The run may also wait when maxActiveRuns is reached. @see StartRequested.waitsWhenFull */
  waitsWhenFull?: boolean
  /** Ignores maxActiveRuns, and never waits. */
  unlimited?: boolean
  /** The run always waits. @see EnqueueRequested.bounded */
  enqueue?: { bounded: boolean }
  /** The run was made from an earlier one. */
  retried?: Retried
  /** Adds to the changes of the transaction in which it is started or queued. */
  note?: (changes: Changes) => void
}
