/** One execution of a step, as the chart of the node and whoever executes it see it: what they tell each other. Source: execution-semantics 6, 7. */
import type { RunKey, SecretMark } from './vocabulary.ts'

/** Where a node stands in its run: the index of its step, or the handler it is. */
export type NodePlace = number | 'onSuccess' | 'onFailure' | 'onCancel' | 'onExit'

export interface AttemptInput {
  run: RunKey
  place: NodePlace
  attempt: number
  runStatus?: string
  /** The execution may have begun before a restart: find it, do not start it twice. */
  resumed?: boolean
  /** The restart may let it go on. */
  mayResume?: boolean
  /** It was asked to end before that restart: it is not started any more. */
  stopped?: boolean
  /** It waited for an engine that has its executor. */
  unsupported?: boolean
  /** It is over: what it wrote is visible to its own step. */
  over?: boolean
}

export type AttemptCommand =
  | { type: 'attempt.stop'; signal: string; at: number }
  /** `force`: sub DAG runs end at once, without their handlers. */
  | { type: 'attempt.kill'; at: number; force?: boolean }

/** How one execution ended. */
export interface AttemptEnded {
  type: 'attempt.ended'
  /** When its process ended. */
  at: number
  /** When the engine learned of it, for an end that a restart has found on record. Absent: at once. */
  heardAt?: number
  /** The process's code; -1: ended by a signal; 1: could not be run; 0: success. */
  exitCode: number
  signal?: string
  /** Why it counts as failed; given with exit code 0 too, when the output could not be captured. */
  error?: string
  /** Secrets masked. */
  output?: string
  /** Which secrets its masks stand for. */
  outputMarks?: SecretMark[]
  /** It went well, but a sub DAG run only partially. */
  partial?: boolean
  /** A line that it wrote to the stdout log matched `continueOn.output`. Looked up where that may come to matter. */
  outputMatched?: boolean
}
