/** What the scheduler is given. Source: execution-semantics 11. */
import type { RunKey, ScheduleDecision } from '../../../machines/vocabulary.ts'
import type { RunRequest } from '../root/run-request.ts'
import type { Scheduled } from './timetable.ts'

/** What schedules need of the engine. */
export interface Scheduling {
  /** The stored definitions; the same array as long as none of them has changed. */
  definitions(): readonly Scheduled[]
  /** Resolves when that has next to nothing left to read: 10,000 files are read in slices, and nobody waits for a tick. */
  ready(): Promise<void>
  /** File names of suspended ones. */
  suspended(): ReadonlySet<string>
  /** IANA zone of expressions that name none. */
  readonly zone: string
  /** Runs may wait in queues. */
  queues: boolean
  /** A run of a stored definition, as a request for it would make one. @throws TroupeError */
  runRequest(fileName: string): Promise<RunRequest & { bounded: boolean }>
  /** The run that takes the place of one that a schedule restarts: same text, same params, this id. @throws TroupeError */
  restart(key: RunKey, dagRunId: string): Promise<RunRequest>
  /** Told of each decision when it is made. */
  tell(decision: ScheduleDecision): void
  /** Told of each minute that cannot be looked at; without an error: of the first one after it that can. */
  failing(error?: unknown): void
}
