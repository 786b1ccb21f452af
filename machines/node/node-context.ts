/** What a node is given, what it remembers and what it says at its end; and what those who work for it are given. */
import type { AttemptEnded, AttemptInput, NodePlace } from '../attempt.ts'
import type { CallInput } from '../call.ts'
import type { Pass } from '../policy/repeat.ts'
import type { ConditionResult, NodeStatus, OnInterrupt, RetryPlan, RunKey, SecretMark, Step } from '../vocabulary.ts'

export interface NodeInput {
  run: RunKey
  place: NodePlace
  step: Step
  /** From stop to SIGKILL. */
  cleanUpMs: number
  /** When the node was picked up, epoch ms. */
  at: number
  /** What a handler is told as `DAG_RUN_STATUS`. */
  runStatus?: string
  /** What becomes of an execution that a restart has cut off; absent: `resume`. */
  onInterrupt?: OnInterrupt
  /** A retry of this step alone: its own retryPolicy is ignored. */
  ignoresRetry?: boolean
}

export interface NodeContext extends NodeInput {
  startedAt: number
  finishedAt?: number
  /** Executions begun; the attempt's number. */
  attempt: number
  retryCount: number
  doneCount: number
  retry?: RetryPlan
  conditions?: ConditionResult[]
  exitCode?: number
  signal?: string | undefined
  error?: string | undefined
  output?: string | undefined
  /** The last execution went well, but a sub DAG run only partially. */
  partial?: boolean | undefined
  /** A line that an execution so far has written to the stdout log matched `continueOn.output`. */
  outputMatched?: boolean
  outputMarks?: SecretMark[] | undefined
  continues: boolean
  /** When the engine learned of the latest end that a restart has found: what follows begins then, not when no engine was there. */
  heardAt?: number
  /** When the latest pass of a repeating step ended, its condition was checked, or a stop ended the loop. */
  decidedAt?: number
  /** End of the wait before the next attempt. */
  dueAt: number
  /** When an execution that runs out of time must have ended; 0: no limit. */
  timeoutAt: number
  /** When a stopped execution is asked once more, and when it is killed. */
  remindAt: number
  killAt: number
}

export interface NodeOutput {
  place: NodePlace
  status: NodeStatus
  continues: boolean
  at: number
}

/** The latest execution, once its end is noted. */
export const lastPass = ({ exitCode = 1, error }: NodeContext): Pass => ({ exitCode, error })

/** `continueOn.output` is about the log of all executions. Source: execution-semantics 5.4.2. */
export const matchSeen = ({ outputMatched: before }: NodeContext, now: boolean | undefined) =>
  before || now ? { outputMatched: true } : {}

/** Nothing is said of an end that was learned of at once. */
export const heard = ({ heardAt }: Pick<AttemptEnded, 'heardAt'>) => (heardAt === undefined ? {} : { heardAt })

/** What an invoked actor of a node is told. */
export const attemptOf = ({ run, place, attempt, runStatus }: NodeContext): AttemptInput => ({
  run,
  place,
  attempt,
  ...(runStatus === undefined ? {} : { runStatus })
})

/** What the chart of a call is told. */
export const callOf = (c: NodeContext): CallInput => ({
  ...attemptOf(c),
  at: c.finishedAt ?? c.startedAt,
  pass: c.doneCount,
  parallel: c.step.parallel !== undefined
})

/** Whether a restart lets an execution go on that it has cut off. */
export const mayResume = ({ onInterrupt = 'resume' }: NodeContext): boolean => onInterrupt === 'resume'

/** What a node begins with; the journal does not repeat it. */
export const BLANK_NODE = {
  attempt: 0,
  retryCount: 0,
  doneCount: 0,
  continues: false,
  dueAt: 0,
  timeoutAt: 0,
  remindAt: 0,
  killAt: 0
} as const
