/**
 * Guards and actions of the node chart: preparation, executions, retries. Those for stops and time limits are in
 * `node-setup-stopping.ts`, those for passes in `node-setup-repeating.ts`, those for waits in `node-setup-waits.ts`, those for a lost
 * worker in `node-setup-lost.ts`, those for missing code in `node-setup-missing.ts`.
 * Source: definition-format "Step fields", execution-semantics 5.2, 5.4, 6.1.
 */
import { assign, enqueueActions, stopChild } from 'xstate'
import type { Answers, AttemptEnded } from '../attempt.ts'
import { continuesAfterFailure, countsAsSuccess } from '../policy/continue-on.ts'
import { hasFailed } from '../policy/repeat.ts'
import { retryDue, retryWaitMs } from '../policy/retry.ts'
import type { ConditionResult, RetryPlan, Thrown } from '../vocabulary.ts'
import { begunAttempt, callOf, eachOf, heard, lastPass, matchSeen } from './node-context.ts'
import { lostSetup } from './node-setup-lost.ts'

const noRetry: RetryPlan = { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 }

export const nodeSetup = lostSetup.extend({
  guards: {
    nothingToPrepare: ({ context: { step } }) =>
      step.wait === undefined &&
      step.preconditions.length === 0 &&
      step.functions === undefined &&
      typeof step.retry.limit === 'number' &&
      typeof step.retry.interval === 'number',
    conditionsMet: (_, { met }: { met: boolean }) => met,
    ok: (_, result: AttemptEnded) => !hasFailed(result),
    okInPart: (_, result: AttemptEnded) => !hasFailed(result) && result.partial === true,
    retryDue: ({ context: c }, result: AttemptEnded) =>
      !c.ignoresRetry && !result.isLast && hasFailed(result) && retryDue(c.retry ?? noRetry, c.retryCount, result),
    marksSuccess: ({ context: c }, { exitCode, outputMatched }: AttemptEnded) =>
      countsAsSuccess(c.step.continueOn, exitCode, (outputMatched || c.outputMatched) ?? false)
  },
  actions: {
    takeRetryAsWritten: assign({ retry: ({ context: { step } }) => step.retry as RetryPlan }), // `nothingToPrepare`: it contains no texts
    notePreparation: assign(
      (_, { retry, conditions, answers }: { retry: RetryPlan; conditions: ConditionResult[]; answers?: Answers }) => ({
        retry,
        conditions,
        ...(answers === undefined ? {} : { answers })
      })
    ),
    noteSkip: assign(({ context: c }, { at, error }: { at: number; error?: string }) => ({
      finishedAt: at,
      continues: c.step.continueOn.skipped,
      ...(error ? { error } : {})
    })),
    noteFault: assign(({ context: c }, { at, error, thrown }: { at: number; error: string; thrown?: Thrown }) => ({
      finishedAt: at,
      error,
      ...(thrown === undefined ? {} : { thrown }),
      exitCode: 1,
      continues: continuesAfterFailure(c.step.continueOn, 1, false)
    })),
    // D1224
    /** One that waited for its code goes on under its number. What the engine does in place of an execution is given to no worker. */
    beginAttempt: assign(({ context: { attempt, held, placement, step } }) => ({
      attempt: held === undefined ? attempt + 1 : attempt,
      ...(placement && step.call === undefined && step.each === undefined ? { worker: placement } : {})
    })),
    /** A step that calls a sub workflow, or a function for each item, has a chart in place of an executor; all exchange the same events. */
    startAttempt: enqueueActions(({ context: c, enqueue }) => {
      if (c.step.each !== undefined) enqueue.spawnChild('each', { id: 'attempt', input: eachOf(c) })
      else if (c.step.call === undefined) enqueue.spawnChild('attempt', { id: 'attempt', input: begunAttempt(c) })
      else enqueue.spawnChild('call', { id: 'attempt', input: callOf(c) })
      if (c.held !== undefined) enqueue.assign({ held: undefined })
    }),
    dropAttempt: stopChild('attempt'),
    /** Only the last execution counts: what it did not report is cleared. */
    noteEnd: assign(({ context: c }, ended: AttemptEnded) => ({
      exitCode: ended.exitCode,
      partial: ended.partial,
      signal: ended.signal,
      error: ended.error,
      thrown: ended.thrown,
      output: ended.output,
      outputMarks: ended.outputMarks,
      ...heard(ended),
      ...matchSeen(c, ended.outputMatched)
    })),
    noteDone: assign(({ context: c }, { at }: { at: number }) => ({ finishedAt: at, doneCount: c.doneCount + 1 })),
    clearError: assign({ error: undefined, thrown: undefined, signal: undefined }),
    /** Decides by the end that has been recorded. */
    noteContinue: assign({
      continues: ({ context: c }) =>
        continuesAfterFailure(c.step.continueOn, lastPass(c).exitCode, c.outputMatched ?? false)
    }),
    planRetry: assign({
      retryCount: ({ context: c }) => c.retryCount + 1,
      dueAt: ({ context: c }, { at }: AttemptEnded) => at + retryWaitMs(c.retry ?? noRetry, c.retryCount + 1)
    })
  }
})
