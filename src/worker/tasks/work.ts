/** What does the tasks of a worker, as seen by those who keep account of them. */
import type { TaskKind } from '../../bus/jobs.ts'
import type { Stopped, TaskRecord } from './record.ts'

export interface Work {
  /** Whether the run is open here. @param run as `runOf` says */
  isOpen(run: string): boolean
  /** Why a task cannot be done here; undefined: it can. @param run as `runOf` says @param job absent: it is not here yet */
  refusal(run: string, what: TaskKind, job?: string): 'run' | 'full' | 'disk' | undefined
  /** The logs of a step. @throws Error when its job makes no sense */
  logsOf(task: TaskRecord): [stdout: string, stderr: string]
  /** Whether something is on record here of what it has begun: it is not begun again. */
  isAtWork(task: TaskRecord): boolean
  /** @param resumed a process before this one may have begun it */
  begin(task: TaskRecord, resumed: boolean, tell: (what: 'began' | 'found', at?: number) => void): Doing
  /** Nothing more comes of a run. @param run whatever its placement was */
  forget(run: string): void
}

export interface Doing {
  /** The result that `RESULTS` wants, and when it was so, epoch ms. Never rejects. */
  ended: Promise<{ result: object; at: number }>
  hear(asked: Stopped): void
  /** The worker ends: a step goes on. */
  leave(): void
}

/** A run of one placement. */
export const runOf = ({ run, lease }: Pick<TaskRecord, 'run' | 'lease'>): string => `${run}-${lease}`
