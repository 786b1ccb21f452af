/** What the room of the workers needs, and what it can be asked. Source: distribution 2, 4. */
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import type { DrainAsked } from '../../../machines/worker.ts'
import type { Enrolment } from '../../bus/enrolment.ts'
import type { Store } from '../../store/open.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { BeaconParts } from './beacon.ts'
import type { WorkerView } from './known-worker.ts'
import type { WorkerNews } from './run-news.ts'
import type { Dispatcher, DispatcherParts } from './tasks/dispatcher.ts'

export interface WorkersParts extends BeaconParts {
  store: Store
  transactions: Transactions
  lostAfterMs: number
  fenceAfterMs: number
  /** Workers that have a key, at this moment; absent: none. */
  enrolment?(): Enrolment | undefined
  /** Whether every run that was open when the previous engine ended is open again. */
  isComplete(): boolean
  /** Runs that were placed on a worker and are open, each as `<run>-<lease>`. */
  openRuns(home: string): ReadonlySet<string>
  /** Executions of open runs that an engine before this one has given up, and of which no end was heard. Absent: none. */
  givenUp?: NonNullable<DispatcherParts['givenUp']>
  /** Whether any run holds a slot of a worker. */
  hasRuns(home: string): boolean
  /** Asks every run that was placed on a worker to stop. */
  stopRuns(home: string): void
  /**
   * Called when something that placements depend on has changed, never for a mere heartbeat.
   * @param worker absent: it serves nobody now
   * @param latest the same, as it is when it is called: what is looked up before a transaction may have changed it
   */
  changed?(home: string, worker: FleetWorker | undefined, latest: () => FleetWorker | undefined): void
  /** Takes news of an execution that nobody waits for. Resolves when they need not be said again. */
  late?: NonNullable<DispatcherParts['late']>
  /** Stores an event about a worker. Resolves when it survives a crash. Absent: nobody wants any. */
  noticed?(notice: 'worker.lost' | 'worker.back', worker: { id: string; runs: number }): Promise<void>
  /** Tells the runs that were placed on a worker what has become of it. */
  tellRuns(news: WorkerNews): void
  /** Homes of workers that open runs were placed on. */
  neededHomes(): Iterable<string>
  /** Called with errors that the engine survives, but that should not have happened. */
  fault(error: unknown): void
}

export interface Workers {
  /** Workers that serve or are refused, by id. */
  list(): WorkerView[]
  /** Another engine that uses the same cluster, as a sentence; undefined: there is none. */
  rival(): string | undefined
  /** Tasks that this engine asks of them. */
  dispatcher: Dispatcher
  /** Whether the bus has been away for so long that who cannot wait does not wait for it. */
  isAway(): boolean
  /** How many were lost, and how many of those were certain to have ended, since the engine was opened. */
  losses(): { lost: number; fenced: number }
  /** Resolves when that is stored. @param drain absent: it shall take runs again */
  drain(home: string, drain?: DrainAsked): Promise<void>
  /** Somebody was enrolled or revoked: a worker that was revoked gets no further run. */
  enrolmentChanged(): void
  close(): Promise<void>
}
