/** What a system is opened with, what it is asked, and what it answers. */
import type { AdmissionResult } from '../../../machines/queue.ts'
import type { JournalRecord, Plan, RunKey, SubRunRef } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { SharedContainers } from '../../executors/docker/shared-container.ts'
import type { Executor } from '../../executors/executor.ts'
import type { Capture } from '../../executors/launcher/capture.ts'
import type { WriteAhead } from '../../store/disk/write-ahead.ts'
import type { Store } from '../../store/open.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { EnvironmentInput } from '../run/run-environment.ts'
import type { RunLogs } from '../run/run-log.ts'
import type { Scheduling } from '../schedule/scheduling.ts'
import type { SubRunParams } from '../sub-runs/sub-runs.ts'
import type { RunRequest } from './run-request.ts'
import type { Services } from './services.ts'

export interface SystemParts extends EnvironmentInput {
  store: Store
  ahead: WriteAhead
  clock: Clock
  logs: RunLogs
  executors: Map<string, Executor>
  capture: Capture
  containers: SharedContainers
  /** The stored workflow that a step calls. @throws Error when there is none, or it has problems */
  workflow: Services['workflow']
  /** Params of a sub DAG run. @throws TroupeError bad_request */
  paramsOf(
    plan: Plan,
    key: RunKey,
    item: Pick<SubRunRef, 'params' | 'written'>,
    given: Pick<EnvironmentInput, 'environment' | 'data'>
  ): Promise<SubRunParams>
  dataDir: string
  /** Effects wait for the flush to disk. */
  strict: boolean
  /** maxConcurrency of the configured queues. */
  queues?: Record<string, number>
  /** Queued runs stay where they are. */
  holdQueues?: boolean
  /** What schedules need; absent: this engine begins nothing by itself. */
  scheduling?: Scheduling
  /** Told of each committed transition. */
  publish(record: JournalRecord): void
  /** Told once why nothing can be stored, and with undefined when it can again. */
  stalled?(reason: string | undefined): void
  /** Told of what the engine survives but should not have met. */
  fault(error: unknown): void
}

export interface System {
  transactions: Transactions
  /** Why runs do not go on right now; undefined: they do. */
  readonly stalled: string | undefined
  /** Resolves with the queue's admission: a run that was admitted or queued is on disk. */
  start(runRequest: RunRequest): Promise<AdmissionResult>
  /** Whether a run has an actor, or gets it back after a restart. */
  isOpen(key: RunKey): boolean
  /** Whether its id is given to a run that readers may not see yet. */
  isTaken(key: RunKey): boolean
  /** Resolves when that is on disk. While runs of the last engine are not open again, one of them is asked when all are. */
  stop(key: RunKey, options?: { force?: boolean | undefined }): Promise<void>
  /** Handlers of the runs that are open have a time in common from now on. */
  limitHandlers(): void
  /** Lets no queued run go from now on. */
  holdQueues(): void
  /** Takes a queued run out of its queue, and resolves when that is on disk; false: it does not wait. */
  dequeue(key: RunKey): Promise<boolean>
  /** Resolves when the run has ended, or was taken out of its queue, and that is on disk; at once when it neither is open nor waits. */
  ended(key: RunKey): Promise<void>
  /**
   * Goes on with every run that was open when the last engine ended. When it returns, they hold their slots again, and starts may be asked
   * for; it resolves when each has its actor, or is parked. @throws Error when what is open cannot be read
   */
  recover(): Promise<void>
  /** Why schedules may not be followed; undefined: they are. Without paths and texts of failures: everybody may ask for it. */
  schedulerFault(): string | undefined
  /** Ends every actor; what runs on its own goes on. */
  close(): Promise<void>
}
