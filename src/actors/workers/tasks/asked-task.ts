/** A task as the engine asks it of a worker, and what is told of it. Source: distribution 3. */
import type { Placement } from '../../../../machines/vocabulary.ts'
import type { TaskKind } from '../../../bus/jobs.ts'
import type { Offer, PartRead, Progress, Reply, TaskEvent } from '../../../bus/tasks.ts'

export interface TaskRequest {
  placement: Placement
  what: TaskKind
  task: string
  /** Hash of the run that it belongs to. */
  run: string
  /** For people. */
  name: string
  /** JSON only. */
  job: object
  /** It may have been offered before. */
  again?: Pick<Offer, 'resumed' | 'mayResume' | 'stopped'>
  /** It goes on, however long this engine is silent. */
  unfenced?: true
}

/** Who waits for a task. */
export interface Waiting {
  /** The worker has it on record. Called once. */
  claimed(): void
  /** It has begun, was found at work after a restart of the worker, or has ended; an end is said until it is settled. */
  heard(event: TaskEvent): void
  /** Its logs have grown. */
  grown(progress: Progress): void
  /** It is not taken now, and will be offered again. Called once for each reason in a row. */
  postponed?(reply: Extract<Reply, { kind: 'refused' }>): void
  /** It will not be taken: a refusal that no waiting mends. */
  refused(reply: Extract<Reply, { kind: 'refused' }>): void
}

export interface Task {
  /** Asks it to end; repeated until the worker answers. A kill after a stop, too. */
  stop(signal: string, kill?: 'kill' | 'force'): void
  /** A part of its logs or of its result. @throws Unanswered, Unreadable */
  read(stream: 'stdout' | 'stderr' | 'result', from: number): Promise<PartRead>
  /** What came of it is on record: the worker need not say it any more. */
  settled(): void
  /** Nobody waits for it any more; it goes on. */
  leave(): void
  /** The same, and it shall end: its worker is told as soon as it is heard. */
  giveUp(): void
}
