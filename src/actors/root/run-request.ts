/** What a start asks of the queue. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../store/changes.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { Retried } from '../recovery/retried-run.ts'
import type { LoadedEnv } from '../run/run-environment.ts'

/** A run that asks to be started. */
export interface RunRequest {
  record: RunRecord
  plan: StoredPlan
  /** dotenv and DAG `env`, when they had to be evaluated already. */
  env?: LoadedEnv
  singleton: boolean
  /** Refused when another run of the DAG name runs or waits. */
  exclusive?: boolean
  /** A run that finds its configured queue full may wait. */
  mayWait?: boolean
  /** One that finds all of its maxActiveRuns taken may wait, too. @see StartRequested.waitsWhenFull */
  waitsWhenFull?: boolean
  /** maxActiveRuns does not count, and it never waits. */
  unlimited?: boolean
  /** It waits in any case. @see EnqueueRequested.bounded */
  enqueue?: { bounded: boolean; needsWorker: boolean }
  /** It was made from an earlier run. */
  retried?: Retried
  /** Adds to the changes of the turn in which it is started or queued. */
  note?: (changes: Changes) => void
}
