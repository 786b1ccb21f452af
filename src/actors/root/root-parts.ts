/** State shared by the actions of the root actor and by the recovery of runs. */
import type { EngineEvent } from '../../../machines/engine.ts'
import type { AdmissionResult } from '../../../machines/queue.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { Retention } from '../retention/retention.ts'
import type { ScopeMaker } from '../run/scope-maker.ts'
import type { OpenRun } from './open-run.ts'
import type { RunEnds } from './run-ends.ts'
import type { RunRequest } from './run-request.ts'
import type { SystemParts } from './system-parts.ts'

/** The environment of the root actor. */
export interface RootParts {
  parts: SystemParts
  transactions: Transactions
  /** Open runs by `runId`. */
  runs: ChurnMap<OpenRun>
  /** Runs that were open when the previous engine ended, by `runId`, until all of them are open again or failed by the engine. */
  resuming: Set<string>
  makeScope: ScopeMaker
  retention: Retention
  ends: RunEnds
  /** Runs that were enqueued, by `runId`, until readers see their records. */
  arriving: ChurnMap<true>
  /** Callers that wait for the answer to a start, by `runId`. */
  answers: ChurnMap<{
    resolve(admission: AdmissionResult): void
    note: RunRequest['note']
    retried: RunRequest['retried']
  }>
  /** Callers that wait for the answer to a dequeue, by `runId`. */
  dequeued: ChurnMap<(removed: boolean) => void>
  /** Sends to the root actor, within a transaction. */
  send(event: EngineEvent): void
}
