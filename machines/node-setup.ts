/**
 * What the words of the node chart mean: its messages, guards and actions. When they apply is read in `node.ts`.
 * One file, so that a word is looked up in one place.
 * Source: definition-format "Step fields", execution-semantics 5.2, 6.1, 7.
 */
import { assign, enqueueActions, sendTo, setup, stopChild } from 'xstate'
import { type CallInput, callMachine } from './call.ts'
import { continuesAfterFailure, countsAsSuccess } from './policy/continue-on.ts'
import { goesOn, heldByCode, type Pass, passesLeft, repeatWait } from './policy/repeat.ts'
import { retryDue, retryWait } from './policy/retry.ts'
import { type AlarmRang, alarm, companion } from './slots.ts'
import type {
  ConditionResult,
  NodeStatus,
  OnInterrupt,
  Repeat,
  RetryPlan,
  RunKey,
  SecretMark,
  Step
} from './vocabulary.ts'

/** Where a node stands in its run: the index of its step, or the handler it is. */
export type NodePlace = number | 'onSuccess' | 'onFailure' | 'onCancel' | 'onExit'

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

/** Asks a node to end. */
export interface NodeStop {
  type: 'node.stop'
  at: number
  /** A repeating step is ended like any other: it does not finish its pass. */
  atOnce?: boolean
}

/** Kills what a node is running. */
export interface NodeKill {
  type: 'node.kill'
  at: number
  /** Its sub DAG runs end at once as well, without their handlers. */
  force?: boolean
}

export type NodeEvent =
  | NodeStop
  /** Follows a stop whose asker has no time left. */
  | NodeKill
  | { type: 'node.prepared'; at: number; retry: RetryPlan; conditions: ConditionResult[]; met: boolean; error?: string }
  | { type: 'node.unprepared'; at: number; error: string }
  | { type: 'attempt.began'; at: number }
  /** After a restart: the execution had begun, and how it ended is not on record. It may be alive. */
  | { type: 'attempt.found'; at: number }
  /** This engine has no executor of the step's type; or, after a restart, the next one has. */
  | { type: 'attempt.unsupported'; at: number }
  | { type: 'attempt.supported'; at: number }
  | AttemptEnded
  | { type: 'condition.checked'; at: number; met: boolean }
  | AlarmRang

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

export interface NodeOutput {
  place: NodePlace
  status: NodeStatus
  continues: boolean
  at: number
}

/** SIGTERM is sent again at this distance until the clean-up time is over. Source: execution-semantics 7.3.2. */
const REMIND_MS = 5_000
const remindMs = ({ cleanUpMs }: NodeContext) => Math.min(REMIND_MS, cleanUpMs)
/** Exit code of a step that ran out of time, whatever its process said. Source: execution-semantics 7.1.4. */
export const TIMED_OUT = 124
const noRetry: RetryPlan = { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 }
/** What a step without a policy would have; the chart asks only of those that have one. */
const once: Repeat = { mode: 'while', exitCodes: [], intervalMs: 0, limit: 1, backoff: 1, maxIntervalMs: 0 }
/** How the error of an execution begins that a restart has cut off. Source: execution-semantics 13.5.3. */
const INTERRUPTED = 'interrupted: '
const failed = (result: Pass) => result.exitCode !== 0 || result.error !== undefined
/** The latest execution, once its end is noted. */
const lastPass = ({ exitCode = 1, error }: NodeContext): Pass => ({ exitCode, error })
/** `continueOn.output` is about the log of all executions. Source: execution-semantics 5.4.2. */
const matchSeen = ({ outputMatched: before }: NodeContext, now: boolean | undefined) =>
  before || now ? { outputMatched: true } : {}
/** Nothing is said of an end that was learned of at once. */
const heard = ({ heardAt }: Pick<AttemptEnded, 'heardAt'>) => (heardAt === undefined ? {} : { heardAt })
/** What a companion of a node is told. */
export const attemptOf = ({ run, place, attempt, runStatus }: NodeContext): AttemptInput => ({
  run,
  place,
  attempt,
  ...(runStatus === undefined ? {} : { runStatus })
})

/** Whether a restart lets an execution go on that it has cut off. */
export const mayResume = ({ onInterrupt = 'resume' }: NodeContext): boolean => onInterrupt === 'resume'

/** What the chart of a call is told. */
export const callOf = (c: NodeContext): CallInput => ({
  ...attemptOf(c),
  at: c.finishedAt ?? c.startedAt,
  pass: c.doneCount,
  parallel: c.step.parallel !== undefined
})

export const nodeSetup = setup({
  types: {} as { input: NodeInput; context: NodeContext; events: NodeEvent; output: NodeOutput; tags: NodeStatus },
  actors: {
    attempt: companion<AttemptCommand, AttemptInput>('attempt'),
    call: callMachine,
    preparation: companion<{ type: 'preparation.stop' }, AttemptInput>('preparation'),
    repetition: companion<{ type: 'repetition.stop' }, AttemptInput>('repetition'),
    alarm
  },
  guards: {
    nothingToPrepare: ({ context: { step } }) =>
      step.preconditions.length === 0 &&
      typeof step.retry.limit === 'number' &&
      typeof step.retry.interval === 'number',
    conditionsMet: (_, { met }: { met: boolean }) => met,
    ok: (_, result: AttemptEnded) => !failed(result),
    okInPart: (_, result: AttemptEnded) => !failed(result) && result.partial === true,
    retryDue: ({ context: c }, result: AttemptEnded) =>
      !c.ignoresRetry && failed(result) && retryDue(c.retry ?? noRetry, c.retryCount, result),
    marksSuccess: ({ context: c }, { exitCode, outputMatched }: AttemptEnded) =>
      countsAsSuccess(c.step.continueOn, exitCode, (outputMatched || c.outputMatched) ?? false),
    repeats: ({ context: c }) => c.step.repeat !== undefined,
    passesUsedUp: ({ context: c }) => !passesLeft(c.step.repeat ?? once, c.doneCount),
    hasRepeatCondition: ({ context: c }) => c.step.repeat?.condition !== undefined,
    repeatsByCode: ({ context: c }) => {
      const repeat = c.step.repeat ?? once
      return goesOn(repeat, heldByCode(repeat, lastPass(c)))
    },
    repeatsByCondition: ({ context: c }, { met }: { met: boolean }) => goesOn(c.step.repeat ?? once, met),
    endedInPart: ({ context: c }) => !failed(lastPass(c)) && c.partial === true,
    endedWell: ({ context: c }) => !failed(lastPass(c)),
    endedAsSuccess: ({ context: c }) =>
      countsAsSuccess(c.step.continueOn, lastPass(c).exitCode, c.outputMatched ?? false),
    finishesPass: ({ context: c }, { atOnce }: NodeStop) => c.step.repeat !== undefined && !atOnce,
    stopsAtOnce: (_, { atOnce }: NodeStop) => atOnce === true,
    /** A restart has found it on record. Of a limit that an earlier release has noted nothing is known. */
    endedInTime: ({ context: c }, { heardAt, at }: AttemptEnded) => heardAt !== undefined && at < c.timeoutAt,
    endedWellBefore: ({ context: c }, ended: AttemptEnded) =>
      ended.heardAt !== undefined && ended.at < c.killAt - c.cleanUpMs && !failed(ended) && c.step.repeat === undefined,
    mayNotResume: ({ context }) => !mayResume(context),
    mayRerun: ({ context: c }) => c.onInterrupt === 'rerun',
    /** Not the ring of an alarm before it that was on its way. */
    reminderDue: ({ context: c }, { at }: AlarmRang) => at >= c.remindAt,
    killDue: ({ context: c }, { at }: AlarmRang) => at >= c.killAt
  },
  actions: {
    takeRetryAsWritten: assign({ retry: ({ context: { step } }) => step.retry as RetryPlan }), // `nothingToPrepare`: no texts in it
    notePreparation: assign((_, p: { retry: RetryPlan; conditions: ConditionResult[] }) => p),
    noteSkip: assign(({ context: c }, { at, error }: { at: number; error?: string }) => ({
      finishedAt: at,
      continues: c.step.continueOn.skipped,
      ...(error ? { error } : {})
    })),
    noteFault: assign(({ context: c }, { at, error }: { at: number; error: string }) => ({
      finishedAt: at,
      error,
      exitCode: 1,
      continues: continuesAfterFailure(c.step.continueOn, 1, false)
    })),
    beginAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    /** A step that calls a sub workflow has a chart where others have an executor; both are told and tell the same. */
    startAttempt: enqueueActions(({ context: c, enqueue }) => {
      if (c.step.call === undefined) enqueue.spawnChild('attempt', { id: 'attempt', input: attemptOf(c) })
      else enqueue.spawnChild('call', { id: 'attempt', input: callOf(c) })
    }),
    dropAttempt: stopChild('attempt'),
    armTimeout: enqueueActions(({ context: c, enqueue }, { at }: { at: number }) => {
      if (c.step.timeoutMs === 0 || c.timeoutAt > 0) return // none, or armed before a restart
      const dueAt = at + c.step.timeoutMs
      enqueue.assign({ timeoutAt: dueAt })
      enqueue.spawnChild('alarm', { id: 'timeout', input: { dueAt } })
    }),
    disarmTimeout: enqueueActions(({ context: c, enqueue }) => {
      if (c.timeoutAt === 0) return
      enqueue.stopChild('timeout')
      enqueue.assign({ timeoutAt: 0 })
    }),
    /** By the rules of an execution that is at work. */
    hearInTime: enqueueActions(({ enqueue }, ended: AttemptEnded) => enqueue.raise(ended)),
    /** When the limit was over is still to be known. */
    dropTimeout: stopChild('timeout'),
    /** The last execution is what counts: what it did not say, an earlier one has not said either. */
    noteEnd: assign(({ context: c }, ended: AttemptEnded) => ({
      exitCode: ended.exitCode,
      partial: ended.partial,
      signal: ended.signal,
      error: ended.error,
      output: ended.output,
      outputMarks: ended.outputMarks,
      ...heard(ended),
      ...matchSeen(c, ended.outputMatched)
    })),
    noteDone: assign(({ context: c }, { at }: { at: number }) => ({ finishedAt: at, doneCount: c.doneCount + 1 })),
    clearError: assign({ error: undefined, signal: undefined }),
    /** Looks at the end that has been noted. */
    noteContinue: assign({
      continues: ({ context: c }) =>
        continuesAfterFailure(c.step.continueOn, lastPass(c).exitCode, c.outputMatched ?? false)
    }),
    /** A pass is over, the step may not be. */
    notePass: assign(({ context: c }, { at }: { at: number }) => ({ decidedAt: at, doneCount: c.doneCount + 1 })),
    noteDecision: assign((_, { at }: { at: number }) => ({ decidedAt: at })),
    noteLastPass: assign({ finishedAt: ({ context: c }) => c.decidedAt ?? c.at }),
    planRepeat: assign({
      dueAt: ({ context: c }) => (c.decidedAt ?? c.at) + repeatWait(c.step.repeat ?? once, c.doneCount)
    }),
    noteInterruption: assign(({ context: c }, { exitCode, signal, error, outputMatched, ...ended }: AttemptEnded) => ({
      ...heard(ended),
      exitCode: exitCode === 0 ? 1 : exitCode, // it ended by itself in the moment in which it was killed
      signal,
      error: error?.startsWith(INTERRUPTED) ? error : `${INTERRUPTED}killed after a restart of the engine`,
      output: ended.output,
      outputMarks: ended.outputMarks,
      ...matchSeen(c, outputMatched)
    })),
    planRetry: assign({
      retryCount: ({ context: c }) => c.retryCount + 1,
      dueAt: ({ context: c }, { at }: AttemptEnded) => at + retryWait(c.retry ?? noRetry, c.retryCount + 1)
    }),
    planKill: assign({
      killAt: ({ context: c }, { at }: { at: number }) => at + c.cleanUpMs,
      remindAt: ({ context: c }, { at }: { at: number }) => at + remindMs(c)
    }),
    planKillNow: assign(({ context: c }, { at }: { at: number }) => ({ killAt: at, remindAt: at + remindMs(c) })),
    planReminder: assign({
      remindAt: ({ context: c }, { at }: { at: number }) =>
        at < c.killAt ? Math.min(at + REMIND_MS, c.killAt) : at + remindMs(c)
    }),
    askToStop: sendTo('attempt', ({ context: { step }, event: { at } }) => ({
      type: 'attempt.stop',
      signal: step.signalOnStop ?? 'SIGTERM',
      at
    })),
    askAgain: sendTo('attempt', ({ event: { at } }) => ({ type: 'attempt.stop', signal: 'SIGTERM', at })),
    kill: sendTo('attempt', ({ event }) => ({
      type: 'attempt.kill',
      at: event.at,
      ...(event.type === 'node.kill' && event.force ? { force: true } : {})
    })),
    noteCancel: assign((_, { at }: { at: number }) => ({ finishedAt: at })),
    noteExpiry: assign(({ context: c }, { outputMatched, ...ended }: AttemptEnded) => {
      const expiredAt = c.timeoutAt || c.killAt - c.cleanUpMs // an earlier release kept no other instant
      const ran = ended.at - expiredAt + c.step.timeoutMs
      return {
        ...heard(ended),
        exitCode: TIMED_OUT,
        signal: undefined,
        error: `step timed out after ${seconds(ran)} (timeout: ${seconds(c.step.timeoutMs)})`,
        output: ended.output, // a failed step's is seen like any other (3.4.4)
        outputMarks: ended.outputMarks,
        ...matchSeen(c, outputMatched)
      }
    })
  }
})

const seconds = (ms: number) => `${Math.round(ms / 100) / 10}s`
