/**
 * The slots of one DAG name: what may start, and why not. Check and reservation are one event, so races do not exist.
 * Source: api-semantics 4.2, execution-semantics 7.2.
 */
import { assign, sendParent, setup } from 'xstate'
import type { RunKey } from './vocabulary.ts'

export interface QueueInput {
  name: string
  /** Slots that are taken when it opens, because an earlier queue of this name has thrown; default 0. */
  running?: number
}
export interface QueueContext {
  name: string
  running: number
}

/** Asks for a slot. */
export interface StartRequested {
  type: 'start.requested'
  key: RunKey
  /** maxActiveRuns; negative: no limit. */
  limit: number
  singleton: boolean
  at: number
}
/** Why a start is refused. */
export type Refusal = 'already_running' | 'max_run_reached' | 'queue_faulted'
/** What the queue decided. */
export type Verdict =
  | { type: 'start.admitted'; key: RunKey; at: number }
  | { type: 'start.refused'; key: RunKey; reason: Refusal; limit: number; running: number }

export type QueueEvent =
  | StartRequested
  /** A run that held a slot before a restart holds it again, whatever the limits. */
  | { type: 'slot.retaken' }
  | { type: 'slot.freed' }

export const queueMachine = setup({
  types: {} as { input: QueueInput; context: QueueContext; events: QueueEvent },
  guards: {
    singletonBlocked: ({ context }, { singleton }: StartRequested) => singleton && context.running > 0,
    full: ({ context }, { limit }: StartRequested) => limit > 0 && context.running >= limit,
    lastSlot: ({ context }) => context.running === 1
  },
  actions: {
    takeSlot: assign({ running: ({ context }) => context.running + 1 }),
    freeSlot: assign({ running: ({ context }) => context.running - 1 }),
    admit: sendParent((_, { key, at }: StartRequested): Verdict => ({ type: 'start.admitted', key, at })),
    refuse: sendParent(
      ({ context: { running } }, { key, limit, reason }: StartRequested & { reason: Refusal }): Verdict => ({
        type: 'start.refused',
        key,
        reason,
        limit,
        running
      })
    )
  }
}).createMachine({
  id: 'queue',
  description: 'The slots of one DAG name. It exists while one of its runs does.',
  context: ({ input: { name, running = 0 } }) => ({ name, running }),
  initial: 'serving',
  states: {
    serving: {
      description: 'Slots are handed to those who ask and taken back from runs that ended.',
      on: {
        'start.requested': [
          {
            guard: { type: 'singletonBlocked', params: ({ event }) => event },
            actions: { type: 'refuse', params: ({ event }) => ({ ...event, reason: 'already_running' as const }) }
          },
          {
            guard: { type: 'full', params: ({ event }) => event },
            actions: { type: 'refuse', params: ({ event }) => ({ ...event, reason: 'max_run_reached' as const }) }
          },
          { actions: ['takeSlot', { type: 'admit', params: ({ event }) => event }] }
        ],
        'slot.retaken': { actions: 'takeSlot' },
        'slot.freed': [{ guard: 'lastSlot', target: 'drained' }, { actions: 'freeSlot' }]
      }
    },
    drained: { description: 'The last run has ended; a new request makes a new queue.', type: 'final' }
  }
})
