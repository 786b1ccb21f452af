/** What the scheduler needs. Source: execution-semantics 11. */
import type { RunKey, ScheduleDecision } from '../../../machines/vocabulary.ts'
import type { RunRequest } from '../root/run-request.ts'
import type { Scheduled } from './timetable.ts'

/** What schedules need from the engine. */
export interface Scheduling {
  /** The stored definitions; the same array as long as none of them has changed. */
  definitions(): readonly Scheduled[]
  /** Resolves when reading them takes next to no time: 10,000 files are read in slices, so that no tick blocks others. */
  ready(): Promise<void>
  /** File names of suspended definitions. */
  suspended(): ReadonlySet<string>
  /** IANA zone of expressions without one. */
  readonly zone: string
  /** Queues are enabled. */
  queues: boolean
  /** A run of a stored definition, as for a request. @throws TroupeError */
  runRequest(fileName: string): Promise<RunRequest & { bounded: boolean }>
  /** The run that replaces one that a schedule restarts: same text, same params, this id. @throws TroupeError */
  restart(key: RunKey, dagRunId: string): Promise<RunRequest>
  /**
   * Waits for the next minute instead of the clock, for one that passes over what needs no look: rings at `dueAt`, or later, but at
   * `next()` at the latest, whose value may change. Returns a function that cancels. Absent: every minute is looked at.
   */
  wait?(dueAt: number, next: () => number, ring: () => void): () => void
  /** Called with each decision. */
  tell(decision: ScheduleDecision): void
  /** Called for each minute that cannot be processed; without an error, for the first minute after it that can. */
  failing(error?: unknown): void
}
