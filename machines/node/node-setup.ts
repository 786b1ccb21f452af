/**
 * Guards and actions of the node chart: preparation, executions, retries. Those for stops and time limits are in
 * `node-setup-stopping.ts`, those for passes in `node-setup-repeating.ts`.
 * Source: definition-format "Step fields", execution-semantics 5.2, 5.4, 6.1.
 */
import { assign, enqueueActions, stopChild } from 'xstate'
import type { AttemptEnded } from '../attempt.ts'
import { continuesAfterFailure, countsAsSuccess } from '../policy/continue-on.ts'
import { hasFailed } from '../policy/repeat.ts'
import { retryDue, retryWaitMs } from '../policy/retry.ts'
import type { ConditionResult, RetryPlan } from '../vocabulary.ts'
import { attemptOf, callOf, heard, lastPass, matchSeen } from './node-context.ts'
import { lostSetup } from './node-setup-lost.ts'

const noRetry: RetryPlan = { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 }

export const nodeSetup = lostSetup.extend({
  guards: {
    nothingToPrepare: ({ context: { step } }) =>
      step.preconditions.length === 0 &&
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
    /** A step that calls a sub workflow has a chart in place of an executor; both exchange the same events. */
    startAttempt: enqueueActions(({ context: c, enqueue }) => {
      if (c.step.call === undefined) enqueue.spawnChild('attempt', { id: 'attempt', input: attemptOf(c) })
      else enqueue.spawnChild('call', { id: 'attempt', input: callOf(c) })
    }),
    dropAttempt: stopChild('attempt'),
    /** Only the last execution counts: what it did not report is cleared. */
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
