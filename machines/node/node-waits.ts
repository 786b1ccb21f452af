/**
 * Guards and actions of the node chart: what a step waits for in place of an execution: a signal, an approval, an instant, or code that
 * this engine lacks. Source: embedding 2.5; execution-semantics 13.5; docs/executors/signal.md, docs/executors/function.md.
 */
import { assign, enqueueActions, stopChild } from 'xstate'
import type { AttemptMissing } from '../attempt.ts'
import { continuesAfterFailure, countsAsSuccess } from '../policy/continue-on.ts'
import { awaitsSignal, hasOpenTexts, wakeAt } from '../policy/waits.ts'
import type { Step, WaitTexts } from '../vocabulary.ts'
import { type NodeContext, type NodeLacking, nodeTopic, type SignalGiven } from './node-context.ts'
import { TIMED_OUT } from './node-stops.ts'

/** The wait has neither preconditions nor texts to evaluate. */
const isReady = ({ wait, preconditions, functions }: Step): boolean =>
  wait !== undefined && preconditions.length === 0 && functions === undefined && !hasOpenTexts(wait)
const sleeps = ({ wait }: Step): boolean => wait?.kind === 'sleep'

/** A refusal that fails the step. */
const refusalOf = ({ step: { wait }, given }: NodeContext): string | undefined =>
  wait?.onRefusal === 'succeed' ? undefined : given?.refusal

const lateText = ({ step: { wait, timeoutMs } }: NodeContext): string =>
  `step timed out: no ${wait?.kind} came within ${timeoutMs / 1_000}s`

/** A payload may have been there before the step. */
const takenAt = ({ given, decidedAt, startedAt }: NodeContext): number =>
  Math.max(given?.at ?? 0, decidedAt ?? startedAt)

export const waits = nodeTopic({
  guards: {
    sleepsAtOnce: ({ context: { step } }) => isReady(step) && sleeps(step),
    awaitsAtOnce: ({ context: { step } }) => isReady(step) && awaitsSignal(step),
    metAndSleeps: ({ context: { step } }, { met }: { met: boolean }) => met && sleeps(step),
    metAndAwaits: ({ context: { step } }, { met }: { met: boolean }) => met && awaitsSignal(step),
    isGiven: ({ context: c }) => c.given !== undefined,
    isRefused: ({ context: c }) => refusalOf(c) !== undefined && !countsAsSuccess(c.step.continueOn, 1, false),
    timeoutSucceeds: ({ context: c }) => c.step.wait?.onTimeout === 'succeed',
    timeoutSkips: ({ context: c }) => c.step.wait?.onTimeout === 'skip',
    timeoutCountsAsSuccess: ({ context: c }) => countsAsSuccess(c.step.continueOn, TIMED_OUT, false),
    // D1472: an executor that is not allowed is a problem of the definition, and fails a step that comes later
    /** The lacking code is the step's own, not that of another step for which its run waits. Nothing waits for what is not allowed. */
    failsWithout: ({ context: { step } }, { code }: NodeLacking | AttemptMissing) =>
      (step.onMissing === 'fail' || code.refused !== undefined) && code.step === step.name,
    holdsPass: ({ context: c }) => c.held === 'pass',
    /** An attempt is on hold; otherwise the node was about to be prepared. */
    holdsAttempt: ({ context: c }) => c.held !== undefined
  },
  actions: {
    /** The texts of the wait, as they were evaluated, and the instant from which it counts. */
    noteTexts: assign((_, { at, wait }: { at: number; wait?: WaitTexts }) => ({
      decidedAt: at,
      ...(wait?.ask === undefined ? {} : { ask: wait.ask }),
      ...(wait?.for === undefined ? {} : { sleepFor: wait.for })
    })),
    planDeadline: assign(({ context: { step, decidedAt, startedAt } }) => ({
      dueAt: step.timeoutMs === 0 ? 0 : (decidedAt ?? startedAt) + step.timeoutMs
    })),
    /** A text that says no time was refused before: by the reader of the definition, or when it was evaluated. */
    planWake: assign(({ context: { step, sleepFor, decidedAt, startedAt } }) => {
      const from = decidedAt ?? startedAt
      return { dueAt: wakeAt(sleepFor ?? step.wait?.for ?? '', from) ?? from }
    }),
    armDeadline: enqueueActions(({ context: { dueAt }, enqueue }) => {
      if (dueAt > 0) enqueue.spawnChild('alarm', { id: 'deadline', input: { dueAt } })
    }),
    disarmDeadline: stopChild('deadline'),
    noteGiven: assign((_, { at, by, id, refusal, output, outputMarks }: SignalGiven) => ({
      given: {
        at,
        ...(by === undefined ? {} : { by }),
        ...(id === undefined ? {} : { id }),
        ...(refusal === undefined ? {} : { refusal })
      },
      output,
      ...(outputMarks ? { outputMarks } : {})
    })),
    noteTaken: assign(({ context: c }) => ({
      finishedAt: takenAt(c),
      exitCode: refusalOf(c) === undefined ? 0 : 1,
      doneCount: c.doneCount + 1
    })),
    noteRefusal: assign(({ context: c }) => {
      const { by, refusal } = c.given ?? {}
      return {
        finishedAt: takenAt(c),
        exitCode: 1,
        doneCount: c.doneCount + 1,
        error: `refused${by ? ` by ${by}` : ''}${refusal ? `: ${refusal}` : ''}`
      }
    }),
    /** The time is over, and that is no failure. */
    noteOver: assign(({ context: c }, { at }: { at: number }) => ({
      finishedAt: at,
      exitCode: 0,
      doneCount: c.doneCount + 1
    })),
    noteOverSkipped: assign(({ context: c }, { at }: { at: number }) => ({
      finishedAt: at,
      error: lateText(c),
      continues: c.step.continueOn.skipped
    })),
    noteOverFailed: assign(({ context: c }, { at }: { at: number }) => ({
      finishedAt: at,
      exitCode: TIMED_OUT,
      error: lateText(c),
      doneCount: c.doneCount + 1,
      continues: continuesAfterFailure(c.step.continueOn, TIMED_OUT, false)
    })),
    noteLack: assign((_, { code }: NodeLacking) => ({ missing: code })),
    noteMissing: assign((_, { code, mayHaveBegun }: AttemptMissing) => ({
      missing: code,
      held: mayHaveBegun ? 'begun' : 'open'
    })),
    holdPass: assign({ held: 'pass' }),
    releasePass: assign({ held: undefined }),
    noteFound: assign({ missing: undefined }),
    noteFailedWithout: assign(({ context: { step } }, { at, code }: NodeLacking | AttemptMissing) => ({
      finishedAt: at,
      exitCode: 1,
      error: code.refused ?? `the ${code.kind} "${code.name}" is not registered with this engine (onMissing: fail)`,
      continues: continuesAfterFailure(step.continueOn, 1, false)
    }))
  }
})
