/**
 * One scheduled restart: the old run ends, a pause, a new run. The pause is counted from the end of the old run, which is on
 * record, so a restart of the engine does not move it. Source: execution-semantics 11.11.
 *
 * state     waits for                  goes to
 * stopping  the end of the old run     waiting (it has ended)
 * waiting   the end of restartWaitSec  starting (it is over)
 * starting  the new run                over (it has begun, or cannot)
 * over      the end
 */
import { assign, setup } from 'xstate'
import { type AlarmInput, type AlarmRang, alarm, invokedActor } from './slots.ts'
import type { RunKey } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export interface RestartInput {
  /** The run that is stopped. */
  key: RunKey
  /** `restartWaitSec`. */
  waitMs: number
}
export interface RestartContext extends RestartInput {
  /** When the new run starts, epoch ms; 0 until the old one has ended. */
  dueAt: number
}
export type RestartEvent =
  | AlarmRang
  /** The old run ended at this instant, or it no longer exists. */
  | { type: 'run.over'; at: number }
  /** The new run has started, or could not be started. */
  | { type: 'run.restarted'; at: number }

// D808: a scheduled restart takes the newest running run
export const restartMachine = setup({
  types: {} as { input: RestartInput; context: RestartContext; events: RestartEvent },
  actors: {
    alarm,
    /** Reports the end of a run. */
    ending: invokedActor<{ type: 'ending.stop' }, RunKey>('ending'),
    restart: invokedActor<{ type: 'restart.stop' }, RunKey>('restart')
  },
  actions: { planStart: assign({ dueAt: ({ context }, { at }: { at: number }) => at + context.waitMs }) }
}).createMachine({
  id: 'restart',
  description: 'A restart requested by a schedule.',
  context: ({ input }) => ({ ...input, dueAt: 0 }),
  initial: 'stopping',
  states: {
    stopping: {
      description: 'The old run has been asked to stop and is ending.',
      invoke: { src: 'ending', input: ({ context: { key } }) => key },
      on: { 'run.over': { target: 'waiting', actions: withEvent('planStart') } }
    },
    waiting: {
      description: 'Until restartWaitSec has passed since the end of the old run.',
      invoke: { src: 'alarm', input: ({ context: { dueAt } }): AlarmInput => ({ dueAt }) },
      on: { 'alarm.rang': 'starting' }
    },
    starting: {
      description: 'A new run of the same definition with the same params starts, whatever the limits.',
      invoke: { src: 'restart', input: ({ context: { key } }) => key },
      on: { 'run.restarted': 'over' }
    },
    over: { description: 'The new run no longer depends on the restart.', type: 'final' }
  }
})
