/** What holds jobs, and what the launcher hears of them: the native launcher and step supervisors are both used through this. */
import type { Job } from './job.ts'

/** A process that holds jobs: any number of them, or one at a time. */
export interface Holder {
  /** Hands it a job. @returns false: it is gone @throws Error: no process can be started so, or its files cannot be written */
  hand(name: string, job: Job): boolean
  /** Its job has ended, or could not be handed to it. */
  giveBack(): void
  /** It gets no more jobs, and goes when it holds none. */
  drop(): void
  isAlive(): boolean
}

/** What is heard of them. */
export interface Listener {
  began(job: string): void
  ended(job: string, exitCode: number, signaled: boolean): void
  /** Jobs may be handed out again: something has changed, and everything that came together has been reported. */
  quiet(): void
  /** What it holds goes on, and it will report nothing any more. */
  gone(holder: Holder): void
  /** None can be started. */
  spawnFailed(cause: Error): void
}

export interface Holders {
  /** How often those at work are to be looked at, ms. */
  readonly checkMs: number
  /** One that can be handed a job; undefined: nobody is free. */
  take(): Holder | undefined
  /** Asks for more, as far as none are on the way. @param jobs that may begin at once */
  ask(jobs: number): void
  /** Looks for those that do not answer, or have not come. */
  check(): void
  /** Makes the folder again, which somebody has removed. Those at work there are heard on. @throws Error */
  renew(): void
  /** What runs goes on; nothing is reported any more. */
  close(): void
}
