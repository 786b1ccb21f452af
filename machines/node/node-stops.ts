/**
 * Guards and actions of the node chart: how an execution is stopped by a request, by its time limit, or after a restart that must not
 * resume it. Source: execution-semantics 7.1, 7.3, 13.5.3.
 */
import { assign, enqueueActions, sendTo, stopChild } from 'xstate'
import type { AttemptEnded } from '../attempt.ts'
import { DIED_TWICE, deathOf, hasDiedTwice } from '../policy/deaths.ts'
import { hasFailed } from '../policy/repeat.ts'
import type { AlarmRang } from '../slots.ts'
import { captured, heard, matchSeen, mayResume, type NodeContext, nodeTopic } from './node-context.ts'

/** SIGTERM is repeated at this interval until the grace period is over. Source: execution-semantics 7.3.2. */
const REMIND_MS = 5_000
const remindMs = ({ cleanUpMs }: NodeContext) => Math.min(REMIND_MS, cleanUpMs)
/** Exit code of a step that timed out, whatever its process returned. Source: execution-semantics 7.1.4. */
export const TIMED_OUT = 124
/** Prefix of the error of an execution that a restart interrupted. Source: execution-semantics 13.5.3. */
const INTERRUPTED = 'interrupted: '

export const stops = nodeTopic({
  guards: {
    mayNotResume: ({ context }) => !mayResume(context),
    diesAgain: ({ context }) => hasDiedTwice(context, true),
    preparationDiesAgain: ({ context }) => hasDiedTwice(context, true, true),
    mayRerun: ({ context: c }) => c.onInterrupt === 'rerun' || (c.onInterrupt === 'again' && !hasDiedTwice(c)),
    /** The end was found on record after a restart, or came late. Nothing is known of a limit that an earlier release recorded. */
    endedInTime: ({ context: c }, { heardAt, at }: AttemptEnded) => heardAt !== undefined && at < c.timeoutAt,
    // D1642: the engine was too busy to hear of the limit, such as with a function that held its event loop
    outlived: ({ context: c }, { at }: AttemptEnded) => c.timeoutAt > 0 && at > c.timeoutAt,
    endedWellBefore: ({ context: c }, ended: AttemptEnded) =>
      ended.heardAt !== undefined &&
      ended.at < c.killAt - c.cleanUpMs &&
      !hasFailed(ended) &&
      c.step.repeat === undefined,
    /** False for an earlier alarm that was still on its way. */
    reminderDue: ({ context: c }, { at }: AlarmRang) => at >= c.remindAt,
    killDue: ({ context: c }, { at }: AlarmRang) => at >= c.killAt
  },
  actions: {
    // D12: a step timeout counts from the start of its process
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
    /** The instant at which the limit passed is still needed. */
    dropTimeout: stopChild('timeout'),
    /** The end of the attempt again, by the rules of the state that is entered. */
    hearAgain: enqueueActions(({ enqueue }, ended: AttemptEnded) => enqueue.raise(ended)),
    noteExpiry: assign(({ context: c }, { outputMatched, ...ended }: AttemptEnded) => {
      const expiredAt = c.timeoutAt || c.killAt - c.cleanUpMs // earlier releases stored no other instant
      const ranMs = ended.at - expiredAt + c.step.timeoutMs
      return {
        ...heard(ended),
        exitCode: TIMED_OUT,
        signal: undefined,
        error: `step timed out after ${seconds(ranMs)} (timeout: ${seconds(c.step.timeoutMs)})`,
        thrown: ended.thrown,
        output: ended.output, // the output of a failed step is visible, too (3.4.4)
        outputMarks: ended.outputMarks,
        ...matchSeen(c, outputMatched)
      }
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
    askToStop: sendTo('attempt', ({ context: { step }, event: { at, type } }) => ({
      type: 'attempt.stop',
      signal: step.signalOnStop ?? 'SIGTERM',
      at,
      ...(type === 'alarm.rang' ? { timedOut: true } : {})
    })),
    askAgain: sendTo('attempt', ({ event: { at } }) => ({ type: 'attempt.stop', signal: 'SIGTERM', at })),
    kill: sendTo('attempt', ({ event }) => ({
      type: 'attempt.kill',
      at: event.at,
      ...(event.type === 'node.kill' && event.force ? { force: true } : {})
    })),
    noteDeath: assign(({ context }) => ({ died: deathOf(context, true) })),
    notePreparationDeath: assign(({ context }) => ({ died: deathOf(context, true, true) })),
    noteDeathIfAny: assign(({ context }, told: { died?: true }) =>
      told.died ? { died: deathOf(context, told.died) } : {}
    ),
    noteCancel: assign((_, { at }: { at: number }) => ({ finishedAt: at })),
    noteInterruption: assign(({ context: c }, { exitCode, signal, error, outputMatched, ...ended }: AttemptEnded) => ({
      ...heard(ended),
      exitCode: exitCode === 0 ? 1 : exitCode, // it ended by itself just as it was killed
      signal,
      error: hasDiedTwice(c)
        ? DIED_TWICE
        : error?.startsWith(INTERRUPTED)
          ? error
          : `${INTERRUPTED}killed after a restart of the engine`,
      thrown: undefined,
      ...captured(c, ended, true),
      ...matchSeen(c, outputMatched)
    }))
  }
})

const seconds = (ms: number) => `${Math.round(ms / 100) / 10}s`
