/** The options, commands and answers of the system. */
import type { EngineInput } from '../../../machines/engine.ts'
import type { AdmissionResult } from '../../../machines/queue.ts'
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import type {
  JournalRecord,
  Plan,
  RunKey,
  RunRecord,
  Stopper,
  SubRunRef,
  WorkerNeeds
} from '../../../machines/vocabulary.ts'
import type { Executor } from '../../executors/executor.ts'
import type { Meters } from '../../platform/meters.ts'
import type { WriteAhead } from '../../store/disk/write-ahead.ts'
import type { Store } from '../../store/open.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { Notices } from '../notify/notices.ts'
import type { ReleaseOf } from '../recovery/superseded-runs.ts'
import type { EnvironmentInput } from '../run/run-environment.ts'
import type { Runner } from '../runner/runner.ts'
import type { Scheduling } from '../schedule/scheduling.ts'
import type { SubRunParams } from '../sub-runs/sub-runs.ts'
import type { WorkerNews } from '../workers/workers.ts'
import type { LateEndOf } from './late-end.ts'
import type { OpenRun } from './open-run.ts'
import type { PlacedRuns } from './placed-runs.ts'
import type { QueueLength } from './root-state.ts'
import type { RunRequest } from './run-request.ts'
import type { AskedSignal, SignalAnswer } from './send-signal.ts'
import type { Services } from './services.ts'

/** Members that invoked actors get as they are are those of their services. */
export interface SystemParts
  extends EnvironmentInput,
    Pick<
      Services,
      | 'clock'
      | 'logs'
      | 'refused'
      | 'functions'
      | 'secretProviders'
      | 'capture'
      | 'containers'
      | 'workflow'
      | 'sendMail'
      | 'makeFolder'
      | 'logFolders'
    > {
  store: Store
  /** The previous engine of the home has not closed it: its process ended. */
  hasDied?: boolean
  ahead: WriteAhead
  executors: Map<string, Executor>
  /** Params of a sub DAG run. @throws TroupeError bad_request */
  paramsOf(
    plan: Plan,
    key: RunKey,
    item: Pick<SubRunRef, 'params' | 'written'>,
    context: Pick<EnvironmentInput, 'environment' | 'data'>
  ): Promise<SubRunParams>
  releaseOf?: ReleaseOf
  dataDir: string
  /** Effects wait until changes are flushed to disk. */
  strict: boolean
  /** maxConcurrency of the configured queues. */
  queues?: Record<string, number>
  /** Runs can be placed on workers: those that need one wait for it. Absent: they wait until there is an engine with workers. */
  fleet?: NonNullable<EngineInput['fleet']> & {
    /** A coordinator may come, or not: until it is there, a call of a workflow that needs a worker fails at once. */
    maybe?: boolean
    /** Time for a coordinator to come, for steps on workers that are to be killed. Default: 0 */
    lostAfterMs?: number
  }
  /** Queued runs stay where they are. */
  holdQueues?: boolean
  /** Services of schedules; absent: this engine starts nothing by itself. */
  scheduling?: Scheduling
  /** Stores the events that transitions cause; absent: nobody wants any. */
  notices?: Notices
  /** Told how long things take; absent: nobody is. */
  meters?: Meters
  /** Called with each committed transition. */
  publish(record: JournalRecord): void
  /** Called once with the reason why nothing can be stored, and with undefined when it can be again. */
  stalled?(reason: string | undefined): void
  /** Called with errors that the engine survives, but that should not have happened. */
  fault(error: unknown): void
}

export interface System {
  transactions: Transactions
  /** Why runs do not proceed at the moment; undefined: they do. */
  readonly stalled: string | undefined
  /** Resolves with the admission result: a run that was admitted or queued is on disk. */
  start(runRequest: RunRequest): Promise<AdmissionResult>
  /** Whether a run has an actor, or gets it back after a restart. */
  isOpen(key: RunKey): boolean
  /** The part of a run that is in memory; undefined: it has ended, waits in a queue, or is not open again yet. */
  openRun(key: RunKey): Readonly<Pick<OpenRun, 'record' | 'plan'>> | undefined
  /** Whether the id belongs to a run that readers may not see yet. */
  isTaken(key: RunKey): boolean
  /** Resolves when that is on disk. While runs are being restored, a stop of one of them waits until all are. */
  stop(key: RunKey, options?: { force?: boolean; from?: Stopper }): Promise<void>
  /** What becomes of a signal for a step; what was taken, now or before, is on disk. */
  signal(key: RunKey, signal: AskedSignal): Promise<SignalAnswer>
  /**
   * A worker is new, or what placements depend on has changed. Not before `recover`: runs of the previous engine hold slots.
   * @param home id of its home folder @param latest what is known of it then; undefined: it is lost, refused or forgotten
   */
  workerChanged(home: string, latest: () => FleetWorker | undefined): void
  /** Tells the runs on a worker what has become of it. While runs are being restored, those that are not open yet hear nothing. */
  tellRuns(news: WorkerNews): void
  /** By home of a worker: the open runs that were placed on it, and the number of its slots that they hold. */
  placements(): ReadonlyMap<string, { runs: RunRecord[]; taken: number }>
  /** The run in whose place on a worker another one goes on: itself, or one that it is called from. Undefined: it is not held back so. */
  heldBackWith(key: RunKey): RunKey | undefined
  /** A worker is lost or back: the event is stored. Resolves when it survives a crash. */
  noticeWorker(notice: 'worker.lost' | 'worker.back', worker: { id: string; runs: number }): Promise<void>
  /** Whether a run of it would wait for a worker now. */
  lacksWorker(workflow: { plan: Plan }): boolean
  /** Runs that lack a worker and nothing else, by what they need and by queue. */
  waitingForWorkers(): { needs: WorkerNeeds; count: number }[]
  /** From now on the handlers of open runs have a time limit. */
  limitHandlers(): void
  /** From now on no queued run is started. */
  holdQueues(): void
  /** Dequeues a run, and resolves when that is on disk; false: it was not queued. */
  dequeue(key: RunKey): Promise<boolean>
  /** Resolves when the run has ended or was dequeued, and that is on disk; at once when it is neither open nor queued. */
  ended(key: RunKey): Promise<void>
  /**
   * Resumes every run that was open when the previous engine ended. When it returns, they hold their slots again and starts may be
   * requested; it resolves when each has its actor or was failed by the engine. @throws Error when the open runs cannot be read
   */
  recover(): Promise<void>
  /** Has the work of placed runs done by workers. Called once, when there is a coordinator. */
  serveWorkers(runnerFor: (parts: PlacedRuns & { services: Services }) => Runner): void
  /** Notes the end of an execution that was given up; nothing follows. Resolves when on disk. @throws Error when it cannot be noted now */
  noteLateEnd(found: LateEndOf): Promise<void>
  /** Whether every run that was open when the previous engine ended is open again. */
  isComplete(): boolean
  /** Queues that have runs now. */
  queueLengths(): QueueLength[]
  /** Why schedules may not be followed; undefined: they are. Public, so without paths and error texts. */
  schedulerFault(): string | undefined
  /** Why only a restart of the process helps; undefined: it needs none. Public, too. */
  failed(): string | undefined
  /** Stops every actor; processes continue. */
  close(): Promise<void>
}
