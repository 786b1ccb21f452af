/**
 * The setup of the node chart. Its own guards and actions are about preparation, executions, retries and passes; `node-stops.ts`,
 * `node-waits.ts` and `node-losses.ts` have those of their topics.
 * Source: definition-format "Step fields", execution-semantics 5.2, 5.4, 6, 7.3.5.
 */
import { assign, enqueueActions, setup, stopChild } from 'xstate'
import type { Answers, AttemptEnded, AttemptInput } from '../attempt.ts'
import type { CallInput } from '../call.ts'
import type { EachInput } from '../each.ts'
import { continuesAfterFailure, countsAsSuccess } from '../policy/continue-on.ts'
import { hasDiedTwice } from '../policy/deaths.ts'
import { endsByFailure, goesOn, hasFailed, heldByCode, isAsked, passesLeft, repeatWaitMs } from '../policy/repeat.ts'
import { retryDue, retryWaitMs } from '../policy/retry.ts'
import type { ConditionResult, NodeStatus, Repeat, RetryPlan, Thrown } from '../vocabulary.ts'
import {
  captured,
  heard,
  lastPass,
  matchSeen,
  mayResume,
  type NodeContext,
  type NodeEvent,
  type NodeInput,
  type NodeOutput,
  type NodeStop,
  nodeActors,
  nodeTopic
} from './node-context.ts'
import { losses } from './node-losses.ts'
import { stops } from './node-stops.ts'
import { waits } from './node-waits.ts'

const noRetry: RetryPlan = { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 }
/** Stands in for a missing policy; the chart only asks for steps that have one. */
const once: Repeat = { mode: 'while', exitCodes: [], intervalMs: 0, limit: 1, backoff: 1, maxIntervalMs: 0 }

/** Input of the actors that a node invokes. */
export const attemptOf = ({ run, place, attempt, runStatus, answers }: NodeContext): AttemptInput => ({
  run,
  place,
  attempt,
  ...(runStatus === undefined ? {} : { runStatus }),
  ...(answers === undefined ? {} : { answers })
})

/** An attempt that begins, or goes on when its code is here again: what had begun is looked for. */
const begunAttempt = (c: NodeContext): AttemptInput => ({
  ...attemptOf(c),
  ...(c.held === 'begun' ? { resumed: true, ...(mayResume(c) ? { mayResume: true } : {}) } : {})
})

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

const attempts = nodeTopic({
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
      countsAsSuccess(c.step.continueOn, exitCode, (outputMatched || c.outputMatched) ?? false),
    repeats: ({ context: c }) => c.step.repeat !== undefined,
    passesUsedUp: ({ context: c }) => c.isOver === true || !passesLeft(c.step.repeat ?? once, c.doneCount),
    passFailed: ({ context: c }) => endsByFailure(c.step.repeat ?? once, lastPass(c)),
    hasRepeatCondition: ({ context: c }) => isAsked(c.step.repeat ?? once),
    repeatsByCode: ({ context: c }) => {
      const repeat = c.step.repeat ?? once
      return goesOn(repeat, heldByCode(repeat, lastPass(c)))
    },
    repeatsByCondition: ({ context: c }, { met }: { met: boolean }) => goesOn(c.step.repeat ?? once, met),
    finishesPass: ({ context: c }, { atOnce }: NodeStop) => c.step.repeat !== undefined && !atOnce,
    stopsAtOnce: (_, { atOnce }: NodeStop) => atOnce === true,
    endedInPart: ({ context: c }) => !hasFailed(lastPass(c)) && c.partial === true,
    endedWell: ({ context: c }) => !hasFailed(lastPass(c)),
    endedAsSuccess: ({ context: c }) =>
      countsAsSuccess(c.step.continueOn, lastPass(c).exitCode, c.outputMatched ?? false)
  },
  actions: {
    takeRetryAsWritten: assign({ retry: ({ context: { step } }) => step.retry as RetryPlan }), // `nothingToPrepare`: it contains no texts
    notePreparation: assign(
      (
        { context: { died } },
        { retry, conditions, answers }: { retry: RetryPlan; conditions: ConditionResult[]; answers?: Answers }
      ) => ({
        retry,
        conditions,
        ...(answers === undefined ? {} : { answers }),
        ...(died === undefined ? {} : { died: undefined }) // it counts for the attempts from the start
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
    // D1224: a step names the worker and the placement of its latest execution
    /** An attempt that waited for its code keeps its number. What the engine does in place of an execution is given to no worker. */
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
      ...captured(c, ended, hasFailed(ended)),
      ...(ended.isOver ? { isOver: true as const } : {}),
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
    }),
    /** A pass has ended; the step may go on. */
    notePass: assign(({ context: c }, { at }: { at: number }) => ({ decidedAt: at, doneCount: c.doneCount + 1 })),
    noteDecision: assign((_, { at }: { at: number }) => ({ decidedAt: at })),
    noteLastPass: assign({ finishedAt: ({ context: c }) => c.decidedAt ?? c.at }),
    planRepeat: assign({
      dueAt: ({ context: c }) => (c.decidedAt ?? c.at) + repeatWaitMs(c.step.repeat ?? once, c.doneCount)
    })
  }
})

export const nodeSetup = setup({
  types: {} as { input: NodeInput; context: NodeContext; events: NodeEvent; output: NodeOutput; tags: NodeStatus },
  actors: nodeActors,
  guards: {
    ...attempts.guards,
    ...stops.guards,
    ...waits.guards,
    ...losses.guards
  },
  actions: {
    ...attempts.actions,
    ...stops.actions,
    ...waits.actions,
    ...losses.actions
  }
})
