/** The protocol between a node and one execution of its step: the input and the events in both directions. Source: execution-semantics 6, 7. */
import type { NodePlace, RunKey, SecretMark } from './vocabulary.ts'

export interface AttemptInput {
  run: RunKey
  place: NodePlace
  attempt: number
  runStatus?: string
  /** The execution may have begun before a restart: find it, do not start it twice. */
  resumed?: boolean
  /** It may continue after the restart. */
  mayResume?: boolean
  /** It was asked to stop before that restart: it must not be started any more. */
  stopped?: boolean
  /** It was waiting for an engine that has its executor. */
  unsupported?: boolean
  /** It has ended: its output is visible to its own step. */
  over?: boolean
}

export type AttemptCommand =
  | { type: 'attempt.stop'; signal: string; at: number }
  /** `force`: sub DAG runs end at once, without their handlers. */
  | { type: 'attempt.kill'; at: number; force?: boolean }

/** The worker that evaluates the texts of a call is lost: the call fails. */
export interface AttemptLost {
  type: 'attempt.lost'
  at: number
  error: string
}

/** How one execution ended. */
export interface AttemptEnded {
  type: 'attempt.ended'
  /** When its process ended. */
  at: number
  /** When the engine learned of it, for an end found on record after a restart. Absent: at once. */
  heardAt?: number
  /** Exit code of the process; -1: ended by a signal; 1: could not be run; 0: success. */
  exitCode: number
  signal?: string
  /** Why it counts as failed; also set with exit code 0 when the output could not be captured. */
  error?: string
  /** Secrets masked. */
  output?: string
  /** Which secrets its masks stand for. */
  outputMarks?: SecretMark[]
  /** It succeeded, but a sub DAG run only partially. */
  partial?: boolean
  /** A line in its stdout log matched `continueOn.output`. Checked only where it can matter. */
  outputMatched?: boolean
  /** It must not be tried again by itself: it may still be at work where nobody can end it. */
  isLast?: true
}
