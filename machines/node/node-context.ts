/** The input, context and output of a node, and the input of the actors it invokes. */
import type { Answers, AttemptEnded, AttemptInput } from '../attempt.ts'
import type { CallInput } from '../call.ts'
import type { EachInput } from '../each.ts'
import { type Death, hasDiedTwice, type Interruption } from '../policy/deaths.ts'
import type { Pass } from '../policy/repeat.ts'
import type {
  ConditionResult,
  Given,
  GivenUp,
  MissingCode,
  NodePlace,
  NodeStatus,
  OnWorkerLost,
  PlacedOn,
  RetryPlan,
  RunKey,
  SecretMark,
  Step,
  Thrown
} from '../vocabulary.ts'
import type { WorkerLost } from './node-events.ts'

export interface NodeInput {
  run: RunKey
  place: NodePlace
  step: Step
  /** From stop to SIGKILL. */
  cleanUpMs: number
  /** When the node was picked up, epoch ms. */
  at: number
  /** What a handler gets as `DAG_RUN_STATUS`. */
  runStatus?: string
  /** What happens to an execution that a restart interrupted; absent: `resume`. */
  onInterrupt?: Interruption
  /** A retry of this step alone: its own retryPolicy is ignored. */
  ignoresRetry?: boolean
  /** A signal that was there before its step; its payload is `output`. */
  given?: Given
  output?: string | undefined
  outputMarks?: SecretMark[] | undefined
  /** What happens to it when its worker is lost; absent: `fail`. */
  onWorkerLost?: OnWorkerLost
  /** The worker of its run. */
  placement?: PlacedOn
  /** That is lost. */
  loss?: Loss | undefined
}

/** A worker is lost. @see WorkerLost */
export type Loss = Omit<WorkerLost, 'type' | 'at'>
export const lossOf = ({ worker, home, silentMs, fencedAt }: Loss): Loss => ({
  worker,
  ...(home === undefined ? {} : { home }),
  silentMs,
  ...(fencedAt === undefined ? {} : { fencedAt })
})

export interface NodeContext extends NodeInput {
  startedAt: number
  finishedAt?: number
  /** Executions started so far; the attempt's number. */
  attempt: number
  retryCount: number
  doneCount: number
  retry?: RetryPlan
  conditions?: ConditionResult[]
  exitCode?: number
  signal?: string | undefined
  error?: string | undefined
  thrown?: Thrown | undefined
  /** What functions have answered for it; the journal has it, so that nothing asks them twice. */
  answers?: Answers
  /** What it waits for in `missing`. */
  missing?: MissingCode | undefined
  /** The latest end of the process while it was at work in it; absent: that has not happened. */
  died?: Death | undefined
  /** The attempt that waits for its code: it may have begun before a restart, or has not. Absent: none waits. */
  held?: 'begun' | 'open' | undefined
  /** The last execution succeeded, but a sub DAG run only partially. */
  partial?: boolean | undefined
  /** A line in the stdout log, of any execution so far, matched `continueOn.output`. */
  outputMatched?: boolean
  continues: boolean
  /** When the engine learned of the latest end that was found after a restart or came late: what follows starts then, not before it was known. */
  heardAt?: number
  /** What a wait asks, and how long it sleeps: texts that had variables, evaluated. */
  ask?: string
  sleepFor?: string
  /** When the latest pass of a repeating step ended, its condition was checked, or a stop ended the loop; or a wait was prepared. */
  decidedAt?: number
  /** End of the wait before the next attempt, for a signal or of a sleep; 0: none. */
  dueAt: number
  /** The worker that the latest execution was given to. */
  worker?: PlacedOn
  /** How often it was begun anew because a worker was lost, without counting as a retry. */
  requeues?: number
  /** Executions on workers that were out of reach: their ends change nothing any more. */
  givenUp?: GivenUp[]
  /** When the current execution times out; 0: no limit. */
  timeoutAt: number
  /** When a stopped execution gets the next signal, and when it is killed. */
  remindAt: number
  killAt: number
}

export interface NodeOutput {
  place: NodePlace
  status: NodeStatus
  continues: boolean
  at: number
}

/** The latest execution, once its end is recorded. */
export const lastPass = ({ exitCode = 1, error }: NodeContext): Pass => ({ exitCode, error })

/** `continueOn.output` looks at the log of all executions. Source: execution-semantics 5.4.2. */
export const matchSeen = ({ outputMatched: before }: NodeContext, now: boolean | undefined) =>
  before || now ? { outputMatched: true } : {}

/** Absent for an end that the engine learned of at once. */
export const heard = ({ heardAt }: Pick<AttemptEnded, 'heardAt'>) => (heardAt === undefined ? {} : { heardAt })

/** Input of the actors that a node invokes. */
export const attemptOf = ({ run, place, attempt, runStatus, answers }: NodeContext): AttemptInput => ({
  run,
  place,
  attempt,
  ...(runStatus === undefined ? {} : { runStatus }),
  ...(answers === undefined ? {} : { answers })
})

/** Of an attempt that begins, or that goes on when its code is here again: what had begun is looked for. */
export const begunAttempt = (c: NodeContext): AttemptInput => ({
  ...attemptOf(c),
  ...(c.held === 'begun' ? { resumed: true, ...(mayResume(c) ? { mayResume: true } : {}) } : {})
})

/** Input of the call chart. */
export const callOf = (c: NodeContext): CallInput => ({
  ...attemptOf(c),
  at: c.finishedAt ?? c.startedAt,
  pass: c.doneCount,
  parallel: c.step.parallel !== undefined
})

/** Input of the chart of a step with `each`. @param after what a restart says of it */
export const eachOf = (c: NodeContext, after: Pick<AttemptInput, 'died' | 'stopped'> = {}): EachInput => ({
  ...begunAttempt(c),
  at: c.finishedAt ?? c.startedAt,
  ...after,
  ...(hasDiedTwice(c, after.died) ? { isSpent: true } : {})
})

/** Whether an interrupted execution may continue after a restart. */
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
