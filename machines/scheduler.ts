/** Turns time into messages: one tick a minute, on the minute. Source: execution-semantics 11.5, api-semantics 3.1 (health). */
import { assign, setup } from 'xstate'
import { type AlarmInput, type AlarmRang, alarm } from './slots.ts'

export interface SchedulerInput {
  at: number
}
export interface SchedulerContext {
  /** The latest tick, epoch ms; health looks at its age. */
  tickedAt: number
}

const MINUTE_MS = 60_000

export const schedulerMachine = setup({
  types: {} as { input: SchedulerInput; context: SchedulerContext; events: AlarmRang },
  actors: { alarm },
  actions: { tick: assign({ tickedAt: (_, { at }: AlarmRang) => at }) }
}).createMachine({
  id: 'scheduler',
  description: 'One tick a minute. A minute that nobody was awake for is not made up.',
  context: ({ input }) => ({ tickedAt: input.at }),
  initial: 'waiting',
  states: {
    waiting: {
      description: 'Until second 0 of the next minute.',
      invoke: {
        src: 'alarm',
        input: ({ context }): AlarmInput => ({ dueAt: (Math.floor(context.tickedAt / MINUTE_MS) + 1) * MINUTE_MS })
      },
      on: {
        'alarm.rang': { target: 'waiting', reenter: true, actions: { type: 'tick', params: ({ event }) => event } }
      }
    }
  }
})
