/** What a docker step has at work: a container of its own, or a command in somebody's. */
import type { Writable } from 'node:stream'

export interface TargetEnd {
  exitCode: number
  /** A sentence for stderr: what the exit code does not say. */
  remark?: string
  /** What is said of a failure instead of `exit status <n>`. */
  cause?: string
  /** Of one that an engine before this one has started: when it ended, epoch ms by the clock of the Docker engine. */
  at?: number
}

export interface Target {
  /** Sends a signal to the process inside. One that has ended will do. */
  signal(name: string): Promise<void>
  /** Copies the output and resolves with the end. @throws Error when it cannot be known */
  follow(output: { stdout: Writable; stderr: Writable }, closing: AbortSignal): Promise<TargetEnd>
  /** After the end, or when it was given up. */
  tidy(): Promise<void>
}

/** Exit code of a process that was killed, as when the memory is used up. */
export const KILLED = 137
