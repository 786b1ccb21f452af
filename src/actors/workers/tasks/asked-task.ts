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
  /** The task may have been offered before. */
  again?: Pick<Offer, 'resumed' | 'mayResume' | 'stopped'>
  /** The task goes on, however long this engine is silent. */
  unfenced?: true
}

/** The one who waits for a task. */
export interface Waiting {
  /** The worker has it on record. Called once. */
  claimed(): void
  /** The task has begun, was found at work after a restart of the worker, or has ended; an end is said until it is settled. */
  heard(event: TaskEvent): void
  /** The logs of the task have grown. */
  grown(progress: Progress): void
  /** The task is not taken now, and will be offered again. Called once for each reason in a row. */
  postponed?(reply: Extract<Reply, { kind: 'refused' }>): void
  /** The task will not be taken: waiting does not help against this refusal. */
  refused(reply: Extract<Reply, { kind: 'refused' }>): void
}

export interface Task {
  /** Asks it to end; repeated until the worker answers. A kill after a stop, too. */
  stop(signal: string, kill?: 'kill' | 'force'): void
  /** A part of its logs or of its result. @throws Unanswered, Unreadable */
  read(stream: 'stdout' | 'stderr' | 'result', from: number): Promise<PartRead>
  /** The result of the task is on record: the worker need not say it any more. */
  settled(): void
  /** Nobody waits for it any more; it goes on. */
  leave(): void
  /** Leaves the task, which shall end: its worker is told as soon as it is heard. */
  giveUp(): void
}
