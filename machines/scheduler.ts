/**
 * The scheduler: one tick a minute, on the minute. What is due then is started, stopped or restarted, or skipped for a reason.
 * Source: execution-semantics 11, api-semantics 6.4, 3.1 (health).
 *
 * state      waits for             goes to
 * serving    what is due, answers  waiting (first); serving (a look has failed: the timetable is opened again)
 *   waiting  the next minute       waiting (it has asked what is due: policy/due.ts decides)
 */
import { type AnyActorRef, assign, enqueueActions, sendTo, setup, stopChild } from 'xstate'
import { type Due, decide, type Facts, inOrder, waitsInstead } from './policy/due.ts'
import { restartMachine } from './restart.ts'
import { type AlarmInput, type AlarmRang, alarm, invokedActor } from './slots.ts'
import type { RunKey, ScheduleDecision } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export interface SchedulerContext {
  /** The latest tick, epoch ms. */
  tickedAt: number
  /** The latest minute that was processed, epoch ms; the health check uses its age. */
  lookedAt: number
  /** Processing the latest minute failed; the next one starts again from `lookedAt`. */
  hasFailed: boolean
}
export interface TimetableInput {
  /** Minutes after this one (epoch ms) have not been processed; absent: the engine has just started. */
  after?: number
}

/** The result of a requested start. */
export interface StartAnswered {
  type: 'start.answered'
  due: Due
  how: 'start' | 'enqueue'
  at: number
  /** `full`: the limit of the DAG or of its queue is reached. */
  outcome: 'begun' | 'full' | 'failed'
  /** maxActiveRuns. */
  limit: number
  /** Queues are enabled. */
  queues: boolean
  error?: string
}
export type SchedulerEvent =
  | AlarmRang
  /** What is due in the requested minute; never empty. */
  | { type: 'minute.looked'; at: number; facts: Facts[] }
  /** The lookup for a minute (epoch ms) has ended, whether or not anything is due. */
  | { type: 'look.ended'; minute: number }
  /** The lookup has failed. */
  | { type: 'look.failed' }
  | StartAnswered
  /** A restart that a previous engine or scheduler had begun. */
  | { type: 'restart.found'; key: RunKey; waitMs: number }
  | { type: `xstate.done.actor.${string}`; actorId: string }
  | { type: `xstate.error.actor.${string}`; actorId: string; error: unknown }

/** Commands to the timetable actor, which knows definitions and runs. */
export type TimetableEvent =
  /** Asks for `look.ended` or `look.failed`, and for `minute.looked`. @param minute epoch ms */
  | { type: 'timetable.look'; minute: number }
  /** Asks for `start.answered`. */
  | { type: 'timetable.start'; due: Due; how: 'start' | 'enqueue' }
  /** A run is being restarted; this outlives the engine. */
  | { type: 'timetable.restart'; key: RunKey; due: Due }
  | { type: 'timetable.note'; decision: ScheduleDecision }

const MINUTE_MS = 60_000
const minuteOf = (at: number) => Math.floor(at / MINUTE_MS) * MINUTE_MS
const restartId = ({ name, dagRunId }: RunKey) => `restart/${name}/${dagRunId}`

const noted = (
  { fileName, name, kind, slot, catchup }: Due,
  at: number,
  outcome: Pick<ScheduleDecision, 'outcome' | 'reason' | 'error'>
): TimetableEvent => ({
  type: 'timetable.note',
  decision: { fileName, name, kind, slot, at, ...(catchup ? { catchup } : {}), ...outcome }
})

// D890: a scheduler that fails opens its timetable again
export const schedulerMachine = setup({
  types: {} as { input: { at: number }; context: SchedulerContext; events: SchedulerEvent },
  actors: { alarm, timetable: invokedActor<TimetableEvent, TimetableInput>('timetable'), restart: restartMachine },
  guards: {
    mayWait: (_, { how, outcome, limit, queues }: StartAnswered) =>
      how === 'start' && outcome === 'full' && waitsInstead(limit, queues),
    isRestart: (_, { actorId }: { actorId: string }) => actorId.startsWith('restart/')
  },
  actions: {
    tick: assign({ tickedAt: (_, { at }: AlarmRang) => at }),
    noteLook: assign({ lookedAt: (_, { minute }: { minute: number }) => minute, hasFailed: false }),
    noteFailure: assign({ hasFailed: true }),
    look: sendTo('timetable', (_, { at }: AlarmRang) => ({ type: 'timetable.look', minute: minuteOf(at) })),
    /** Choice: a start is decided without waiting for the end of a run that is stopped or restarted in the same minute. */
    decideAll: enqueueActions(
      ({ enqueue, self }, { at, facts }: Extract<SchedulerEvent, { type: 'minute.looked' }>) => {
        const engine = self._parent as AnyActorRef // it is never the root
        const note = (due: Due, outcome: Parameters<typeof noted>[2]) =>
          enqueue.sendTo('timetable', noted(due, at, outcome))
        for (const due of inOrder(facts)) {
          const decision = decide(due)
          if (decision.act === 'skip') note(due, { outcome: 'skipped', reason: decision.reason })
          else if (decision.act === 'stop') {
            for (const key of decision.runs)
              enqueue.sendTo(engine, { type: 'run.stop', key, at, from: { type: 'schedule' } })
            note(due, { outcome: 'fired' })
          } else if (decision.act === 'restart') {
            enqueue.sendTo('timetable', { type: 'timetable.restart', key: decision.run, due })
            enqueue.sendTo(engine, { type: 'run.stop', key: decision.run, at, from: { type: 'schedule' } })
            note(due, { outcome: 'fired' })
          } else enqueue.sendTo('timetable', { type: 'timetable.start', due, how: decision.act })
        }
      }
    ),
    enqueueInstead: sendTo('timetable', (_, { due }: StartAnswered) => ({
      type: 'timetable.start',
      due,
      how: 'enqueue'
    })),
    noteAnswer: sendTo('timetable', (_, { due, at, outcome, error }: StartAnswered) => {
      if (outcome === 'begun') return noted(due, at, { outcome: 'fired' })
      const reason = outcome === 'full' ? ('limit' as const) : ('invalid' as const)
      return noted(due, at, { outcome: 'skipped', reason, ...(error === undefined ? {} : { error }) })
    }),
    openRestart: enqueueActions(({ enqueue, self }, { key, waitMs }: { key: RunKey; waitMs: number }) => {
      if (restartId(key) in self.getSnapshot().children) return
      enqueue.spawnChild('restart', { id: restartId(key), input: { key, waitMs } })
    }),
    drop: stopChild((_, { actorId }: { actorId: string }) => actorId)
  }
}).createMachine({
  id: 'scheduler',
  description:
    'One tick a minute. A minute that no engine was running for is backfilled only if a definition asks for that.',
  context: ({ input: { at } }) => ({ tickedAt: at, lookedAt: minuteOf(at), hasFailed: false }),
  initial: 'serving',
  states: {
    serving: {
      description: 'What is due is decided as it is found; restarts continue by themselves.',
      invoke: {
        id: 'timetable',
        src: 'timetable',
        input: ({ context: { lookedAt, hasFailed } }) => (hasFailed ? { after: lookedAt } : {})
      },
      initial: 'waiting',
      on: {
        'look.ended': { actions: withEvent('noteLook') },
        'look.failed': {
          description:
            'The timetable is opened again, and the next minute catches up on this one; the health check reports the failure.',
          target: 'serving',
          reenter: true,
          actions: 'noteFailure'
        },
        'minute.looked': { actions: withEvent('decideAll') },
        'start.answered': [
          {
            description: 'Its limit is reached, but more than one run may be active: it waits in its queue.',
            guard: withEvent('mayWait'),
            actions: withEvent('enqueueInstead')
          },
          { actions: withEvent('noteAnswer') }
        ],
        'restart.found': { actions: withEvent('openRestart') },
        'xstate.done.actor.*': { actions: withEvent('drop') },
        'xstate.error.actor.*': {
          description: 'A restart has thrown: it is on record, and the next scheduler continues it.',
          guard: withEvent('isRestart'),
          actions: withEvent('drop')
        }
      },
      states: {
        waiting: {
          description: 'Until second 0 of the next minute.',
          invoke: {
            src: 'alarm',
            input: ({ context }): AlarmInput => ({ dueAt: minuteOf(context.tickedAt) + MINUTE_MS })
          },
          on: {
            'alarm.rang': { target: 'waiting', reenter: true, actions: [withEvent('tick'), withEvent('look')] }
          }
        }
      }
    }
  }
})
