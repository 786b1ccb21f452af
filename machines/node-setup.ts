/**
 * What the words of the node chart mean: its messages, guards and actions. When they apply is read in `node.ts`.
 * Source: definition-format "Step fields", execution-semantics 5.2, 6.1, 7.
 */
import { assign, enqueueActions, sendTo, setup } from 'xstate'
import { continuesAfterFailure, countsAsSuccess } from './policy/continue-on.ts'
import { retryDue, retryWait } from './policy/retry.ts'
import { type AlarmRang, alarm, companion } from './slots.ts'
import type { ConditionResult, NodeStatus, RetryPlan, RunKey, SecretMark, Step } from './vocabulary.ts'

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
  outputMarks?: SecretMark[] | undefined
  continues: boolean
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
  at: number
  /** The process's code; -1: ended by a signal; 1: could not be run; 0: success. */
  exitCode: number
  signal?: string
  /** Why it counts as failed; given with exit code 0 too, when the output could not be captured. */
  error?: string
  /** Secrets masked. */
  output?: string
  /** Which secrets its masks stand for. */
  outputMarks?: SecretMark[]
  /** A line of the stdout log matched `continueOn.output`. Looked up only for a failure. */
  outputMatched?: boolean
}

export type NodeEvent =
  | { type: 'node.stop'; at: number }
  | { type: 'node.prepared'; at: number; retry: RetryPlan; conditions: ConditionResult[]; met: boolean; error?: string }
  | { type: 'node.unprepared'; at: number; error: string }
  | { type: 'attempt.began'; at: number }
  | AttemptEnded
  | AlarmRang

export interface AttemptInput {
  run: RunKey
  place: NodePlace
  attempt: number
  runStatus?: string
  /** The execution may have begun before a restart: find it, do not start it twice. */
  resumed?: boolean
}
export type AttemptCommand = { type: 'attempt.stop'; signal: string } | { type: 'attempt.kill' }

export interface NodeOutput {
  place: NodePlace
  status: NodeStatus
  continues: boolean
  at: number
}

/** SIGTERM is sent again at this distance until the clean-up time is over. Source: execution-semantics 7.3.2. */
const REMIND_MS = 5_000
/** Exit code of a step that ran out of time, whatever its process said. Source: execution-semantics 7.1.4. */
export const TIMED_OUT = 124
const noRetry: RetryPlan = { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 }
const failed = (result: AttemptEnded) => result.exitCode !== 0 || result.error !== undefined
/** What a companion of a node is told. */
export const attemptOf = ({ run, place, attempt, runStatus }: NodeContext): AttemptInput => ({
  run,
  place,
  attempt,
  ...(runStatus === undefined ? {} : { runStatus })
})

export const nodeSetup = setup({
  types: {} as { input: NodeInput; context: NodeContext; events: NodeEvent; output: NodeOutput; tags: NodeStatus },
  actors: {
    attempt: companion<AttemptCommand, AttemptInput>('attempt'),
    preparation: companion<{ type: 'preparation.stop' }, AttemptInput>('preparation'),
    alarm
  },
  guards: {
    nothingToPrepare: ({ context: { step } }) =>
      step.preconditions.length === 0 &&
      typeof step.retry.limit === 'number' &&
      typeof step.retry.interval === 'number',
    conditionsMet: (_, { met }: { met: boolean }) => met,
    ok: (_, result: AttemptEnded) => !failed(result),
    retryDue: ({ context: c }, result: AttemptEnded) => retryDue(c.retry ?? noRetry, c.retryCount, result),
    marksSuccess: ({ context: c }, { exitCode, outputMatched = false }: AttemptEnded) =>
      countsAsSuccess(c.step.continueOn, exitCode, outputMatched),
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
    /** The last execution is what counts: what it did not say, an earlier one has not said either. */
    noteEnd: assign((_, { exitCode, signal, error, output, outputMarks }: AttemptEnded) => ({
      exitCode,
      signal,
      error,
      output,
      outputMarks
    })),
    noteDone: assign(({ context: c }, { at }: { at: number }) => ({ finishedAt: at, doneCount: c.doneCount + 1 })),
    clearError: assign({ error: undefined, signal: undefined }),
    noteContinue: assign({
      continues: ({ context: c }, { exitCode, outputMatched = false }: AttemptEnded) =>
        continuesAfterFailure(c.step.continueOn, exitCode, outputMatched)
    }),
    planRetry: assign({
      retryCount: ({ context: c }) => c.retryCount + 1,
      dueAt: ({ context: c }, { at }: AttemptEnded) => at + retryWait(c.retry ?? noRetry, c.retryCount + 1)
    }),
    planKill: assign({
      killAt: ({ context: c }, { at }: { at: number }) => at + c.cleanUpMs,
      remindAt: ({ context: c }, { at }: { at: number }) => at + Math.min(REMIND_MS, c.cleanUpMs)
    }),
    planReminder: assign({
      remindAt: ({ context: c }, { at }: { at: number }) =>
        at < c.killAt ? Math.min(at + REMIND_MS, c.killAt) : at + REMIND_MS
    }),
    askToStop: sendTo('attempt', ({ context: { step } }) => ({
      type: 'attempt.stop',
      signal: step.signalOnStop ?? 'SIGTERM'
    })),
    askAgain: sendTo('attempt', { type: 'attempt.stop', signal: 'SIGTERM' }),
    kill: sendTo('attempt', { type: 'attempt.kill' }),
    noteCancel: assign((_, { at }: { at: number }) => ({ finishedAt: at })),
    noteExpiry: assign(({ context: c }, { at, outputMatched = false }: AttemptEnded) => {
      const ran = at - (c.killAt - c.cleanUpMs) + c.step.timeoutMs
      return {
        finishedAt: at,
        exitCode: TIMED_OUT,
        error: `step timed out after ${seconds(ran)} (timeout: ${seconds(c.step.timeoutMs)})`,
        continues: continuesAfterFailure(c.step.continueOn, TIMED_OUT, outputMatched)
      }
    })
  }
})

const seconds = (ms: number) => `${Math.round(ms / 100) / 10}s`
