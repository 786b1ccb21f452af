/** What a docker step runs: its own container, or a command in an existing one. */
import type { Writable } from 'node:stream'

export interface TargetEnd {
  exitCode: number
  /** A sentence for stderr that explains the exit code. */
  remark?: string
  /** The error of a failure, instead of `exit status <n>`. */
  cause?: string
  /** For one that an earlier engine has started: its end, epoch ms by the clock of the Docker engine. */
  at?: number
}

export interface Target {
  /** Sends a signal to the process inside. One that has ended is no error. */
  signal(name: string): Promise<void>
  /** Copies the output and resolves with the end. @throws Error when it is unknown */
  follow(output: { stdout: Writable; stderr: Writable }, closing: AbortSignal): Promise<TargetEnd>
  /** Called after the end, or when it was given up. */
  tidy(): Promise<void>
}

/** Exit code of a killed process, for example when out of memory. */
export const KILLED = 137
