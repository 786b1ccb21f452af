/** The protocol between a node and one execution of its step: input, and events in both directions. Source: execution-semantics 6, 7. */
import type { Json, MissingCode, NodePlace, RunKey, SecretMark, Thrown } from './vocabulary.ts'

/** What functions of the host application have answered for a step before its first attempt. */
export interface Answers {
  env?: { [name: string]: string }
  params?: Json
  items?: Json[]
  ask?: string
  for?: string
}

export interface AttemptInput {
  run: RunKey
  place: NodePlace
  attempt: number
  runStatus?: string
  /** The execution may have begun before a restart: find it, do not start it twice. */
  resumed?: boolean
  /** The execution may continue after the restart. */
  mayResume?: boolean
  /** The engine that had begun it, or went on with it, has not closed: its process ended while this was at work. */
  died?: true | undefined
  /** The step was asked to stop before that restart: its execution must not be started any more. */
  stopped?: boolean
  /** Absent: nothing was asked. */
  answers?: Answers
  /** The execution has ended: its output is visible to its own step. */
  over?: boolean
}

export type AttemptCommand =
  /** `timedOut`: its time limit is over. */
  | { type: 'attempt.stop'; signal: string; at: number; timedOut?: boolean }
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
  /** When the process ended. */
  at: number
  /** When the engine learned of it, for an end found on record after a restart, or that came late. Absent: at once. */
  heardAt?: number
  /** Exit code of the process; -1: ended by a signal; 1: could not be run; 0: success. */
  exitCode: number
  signal?: string
  /** What a function has thrown. */
  thrown?: Thrown
  /** No retry, whatever the policy of the step says. */
  isFinal?: boolean
  /** Why the execution counts as failed; also set with exit code 0 when the output could not be captured. */
  error?: string
  /** Secrets masked. */
  output?: string
  /** Which secrets the masks of the output stand for. */
  outputMarks?: SecretMark[]
  /** The call succeeded, but a sub DAG run only partially. */
  partial?: boolean
  /** A line in its stdout log matched `continueOn.output`. Checked only where it can matter. */
  outputMatched?: boolean
  /** No further attempt by itself: this one may still be at work where nobody can end it. */
  isLast?: true
  /** No further pass: there are no more pages of items. */
  isOver?: true
  /** Nobody knows whether it has ended: this worker is out of reach. */
  unheard?: { worker: string; home: string }
}

/** The engine lacks code: that of its step, or that of another one, for which the run waits. */
export interface AttemptMissing {
  type: 'attempt.missing'
  at: number
  code: MissingCode
  /** The execution may have begun before a restart: where the code is, it is looked for first. */
  mayHaveBegun: boolean
  /** As in `AttemptInput`, for what was at work in the process itself. */
  died?: true
}
