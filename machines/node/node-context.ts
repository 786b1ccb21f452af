/** Types of a node: input, context, output, events, actors; what follows from them. Source: execution-semantics 5.2, 6, 7, 13.5.3. */
import type { Answers, AttemptCommand, AttemptEnded, AttemptInput, AttemptMissing } from '../attempt.ts'
import { callMachine } from '../call.ts'
import { eachMachine } from '../each.ts'
import type { Death, Interruption } from '../policy/deaths.ts'
import type { Pass } from '../policy/repeat.ts'
import { type AlarmRang, alarm, invokedActor } from '../slots.ts'
import { topicOf } from '../topic.ts'
import type {
  ConditionResult,
  Given,
  GivenUp,
  LateEnd,
  MissingCode,
  NodePlace,
  NodeStatus,
  OnWorkerLost,
  PlacedOn,
  RetryPlan,
  RunKey,
  SecretMark,
  Step,
  Thrown,
  WaitTexts
} from '../vocabulary.ts'

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
  /** What happens to an execution when its worker is lost; absent: `fail`. */
  onWorkerLost?: OnWorkerLost
  /** The worker of its run. */
  placement?: PlacedOn
  /** The loss of that worker. */
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
  /** What functions have answered for the step; the journal has it, so that nothing asks them twice. */
  answers?: Answers
  /** The code that a node in `missing` waits for. */
  missing?: MissingCode | undefined
  /** The latest end of the process while it was at work in it; absent: that has not happened. */
  died?: Death | undefined
  /** The attempt that waits for its code: it may have begun before a restart, or has not; or the pass that has ended. Absent: none waits. */
  held?: 'begun' | 'open' | 'pass' | undefined
  /** The last execution succeeded, but a sub DAG run only partially. */
  partial?: boolean | undefined
  /** A line in the stdout log, of any execution so far, matched `continueOn.output`. */
  outputMatched?: boolean
  continues: boolean
  /** No pass follows the one that has ended: there are no more pages of items. */
  isOver?: true
  /** When the engine learned of the latest end that was found after a restart or came late: what follows starts then, not before. */
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
  /** How often the node was begun again because a worker was lost, without counting as a retry. */
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

export interface NodeStop {
  type: 'node.stop'
  at: number
  /** A repeating step ends at once, without finishing its pass. */
  atOnce?: boolean
}

export interface NodeKill {
  type: 'node.kill'
  at: number
  /** Sub DAG runs of the node end at once, too, without their handlers. */
  force?: boolean
}

/** A step that waits gets what it waits for, or its run keeps that for it. */
export interface SignalGiven extends Given {
  type: 'signal.given'
  /** Name of the step. */
  step: string
  /** The payload as JSON, secrets masked. */
  output: string
  outputMarks?: SecretMark[]
}

/**
 * A worker has been silent for so long that nothing is expected of it.
 * @param worker its id @param home that of its home folder; absent: stored by an earlier release @param silentMs for how long @param
 * fencedAt when it is certain that nothing of it is at work; absent: only its own word makes that certain
 */
export interface WorkerLost {
  type: 'worker.lost'
  at: number
  worker: string
  home?: string
  silentMs: number
  fencedAt?: number
}
/** What becomes of a lost worker: it was heard again; nothing of it is at work for certain; the run goes on on another one. */
export type WorkerNews = { type: 'worker.back'; at: number } | { type: 'worker.fenced'; at: number } | WorkerReplaced
export interface WorkerReplaced {
  type: 'worker.replaced'
  at: number
  placement?: PlacedOn
}

/** A worker says after all how an execution ended that was given up. */
export interface AttemptLate {
  type: 'attempt.late'
  at: number
  attempt: number
  late: LateEnd
}

export interface NodePrepared {
  type: 'node.prepared'
  at: number
  retry: RetryPlan
  conditions: ConditionResult[]
  met: boolean
  error?: string
  answers?: Answers
  /** The texts of a wait that have variables, evaluated. */
  wait?: WaitTexts
}

/** This engine lacks code, which the step needs before its first attempt, or another step of its run. */
export interface NodeLacking {
  type: 'node.lacking'
  at: number
  code: MissingCode
}

export type NodeEvent =
  | WorkerLost
  | WorkerNews
  | NodeStop
  /** Follows a stop when the caller's grace period is over. */
  | NodeKill
  | NodePrepared
  | { type: 'node.unprepared'; at: number; error: string; thrown?: Thrown }
  | NodeLacking
  /** `died`: of what goes on under its number, as one call for each item does. */
  | { type: 'attempt.began'; at: number; died?: true }
  /** After a restart: the execution had started and its end is not on record. It may still be running. */
  | { type: 'attempt.found'; at: number }
  /** In place of it: what was found was at work in the process of an engine, and that has ended without closing. */
  | { type: 'attempt.died'; at: number }
  | AttemptMissing
  /** After a restart: functions were asked before the first attempt, and the process has ended without closing. They are asked again. */
  | { type: 'preparation.died'; at: number }
  /** What was missing is here. */
  | { type: 'function.registered'; at: number }
  /** The step was offered to the worker that its run was placed on; the worker has it on record, or refuses it, as its end tells. */
  | { type: 'attempt.offered'; at: number }
  | { type: 'attempt.answered'; at: number }
  | AttemptEnded
  | AttemptLate
  | { type: 'condition.checked'; at: number; met: boolean }
  /** The function that decides about another pass has thrown, or its answer cannot be used. */
  | { type: 'condition.failed'; at: number; error: string; thrown?: Thrown }
  /** The process ended while that function was asked. */
  | { type: 'condition.died'; at: number }
  | SignalGiven
  | AlarmRang

/** The actors that a node invokes or spawns. */
export const nodeActors = {
  attempt: invokedActor<AttemptCommand, AttemptInput>('attempt'),
  call: callMachine,
  each: eachMachine,
  preparation: invokedActor<{ type: 'questions.stop' }, AttemptInput>('preparation'),
  repetition: invokedActor<{ type: 'questions.stop' }, AttemptInput>('repetition'),
  registration: invokedActor<{ type: 'registration.stop' }, AttemptInput>('registration'),
  alarm
}

/** Guards and actions of a node about one topic: `node-setup.ts` spreads them. */
export const nodeTopic = topicOf<NodeContext, NodeEvent, typeof nodeActors>()

/** The latest execution, once its end is recorded. */
export const lastPass = ({ exitCode = 1, error }: NodeContext): Pass => ({ exitCode, error })

/** `continueOn.output` looks at the log of all executions. Source: execution-semantics 5.4.2. */
export const matchSeen = ({ outputMatched: before }: NodeContext, now: boolean | undefined) =>
  before || now ? { outputMatched: true } : {}

// D1771: an attempt of a function in a loop that fails leaves the result of the pass before, which the next attempt gets
/** What the end of an execution changes of the output. */
export const captured = (
  { step }: NodeContext,
  { output, outputMarks }: Pick<AttemptEnded, 'output' | 'outputMarks'>,
  isFailed: boolean
): Pick<NodeContext, 'output' | 'outputMarks'> =>
  step.repeat !== undefined && step.executor.type === 'function' && isFailed ? {} : { output, outputMarks }

/** Absent for an end that the engine learned of at once. */
export const heard = ({ heardAt }: Pick<AttemptEnded, 'heardAt'>) => (heardAt === undefined ? {} : { heardAt })

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
