/** What the actions of the root actor and the recovery of runs share. */
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

/** What the root actor is surrounded by. */
export interface Room {
  parts: SystemParts
  transactions: Transactions
  /** Open runs by `runId`. */
  runs: ChurnMap<OpenRun>
  /** Runs that were open when the last engine ended, by `runId`, until all of them are open again, or parked. */
  resuming: Set<string>
  makeScope: ScopeMaker
  retention: Retention
  ends: RunEnds
  /** Runs that were put into a queue, by `runId`, until readers see their records. */
  arriving: ChurnMap<true>
  /** Who asked for a start, by `runId`. */
  answers: ChurnMap<{
    told(admission: AdmissionResult): void
    note: RunRequest['note']
    retried: RunRequest['retried']
  }>
  /** Who asked to take a run out of its queue, by `runId`. */
  dequeued: ChurnMap<(removed: boolean) => void>
  /** To the root actor, within a turn. */
  send(event: EngineEvent): void
}
