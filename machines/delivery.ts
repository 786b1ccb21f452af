/**
 * The delivery of one event to one target of `notify`. It is stored while it waits, and only in memory while it is sent: a restart in
 * between sends it again, with the same id. Source: docs/notifications.md "When a target does not accept".
 *
 * state      waits for                     goes to
 * waiting    its time, a free place        sending; dead (its time is over, it gives way, its target is gone)
 * sending    the answer, or a time limit   delivered (accepted); dead (refused, or this was the last attempt); waiting
 * delivered  the end
 * dead       somebody who asks for it      waiting (it is to be tried again)
 */
import { assign, setup } from 'xstate'
import { faultOf, type PostOutcome, verdictOf, waitAfter } from './policy/delivery.ts'
import { invokedActor } from './slots.ts'
import { withEvent } from './with-event.ts'

export interface DeliveryInput {
  /** When the event was written, epoch ms. */
  at: number
  /** Attempts that it gets. */
  maxAttempts: number
  /** Time from the beginning to the last attempt, ms. */
  giveUpAfterMs: number
}
export interface DeliveryContext extends DeliveryInput {
  /** Attempts that have failed since it was written, or since somebody asked for it again. */
  attempts: number
  /** Earliest instant of the next attempt, epoch ms. */
  dueAt: number
  /** No attempt begins later, except the first. Epoch ms. */
  giveUpAt: number
  /** When the latest attempt ended; absent: there was none. Epoch ms. */
  triedAt?: number
  /** Why the event was not accepted, or is given up: a sentence. */
  error?: string
}

export interface PostEnded {
  type: 'post.ended'
  at: number
  outcome: PostOutcome
  /** From 0 to 1. */
  random: number
}
export type DeliveryEvent =
  /** The time of the delivery has come, and its target has a place for it. */
  | { type: 'delivery.due'; at: number }
  | PostEnded
  /** Too many wait for its target, and it is the oldest. */
  | { type: 'delivery.displaced'; at: number; most: number }
  /** No target of its name is configured any more. */
  | { type: 'target.gone'; at: number }
  /** Somebody wants it to be tried again. */
  | { type: 'delivery.retried'; at: number }

// D1517: an event is written with its transition, for each target; a chart decides its attempts
export const deliveryMachine = setup({
  types: {} as {
    input: DeliveryInput
    context: DeliveryContext
    events: DeliveryEvent
    tags: 'waiting' | 'sending' | 'delivered' | 'dead'
  },
  actors: {
    post: invokedActor<{ type: 'post.stop' }, Record<string, never>>('post')
  },
  guards: {
    isAccepted: (_, { outcome }: PostEnded) => verdictOf(outcome) === 'accepted',
    isRefused: (_, { outcome }: PostEnded) => verdictOf(outcome) === 'refused',
    /** The next attempt would be one too many, or too late. */
    wasLast: ({ context: c }, { at, outcome, random }: PostEnded) =>
      c.attempts + 1 >= c.maxAttempts || at + waitAfter(c.attempts + 1, outcome, random) > c.giveUpAt,
    isTooLate: ({ context: { attempts, giveUpAt } }, { at }: { at: number }) => attempts > 0 && at > giveUpAt
  },
  actions: {
    noteFailed: assign({
      attempts: ({ context }) => context.attempts + 1,
      triedAt: (_, { at }: PostEnded) => at,
      error: (_, { outcome }: PostEnded) => faultOf(outcome)
    }),
    planNext: assign({
      dueAt: ({ context }, { at, outcome, random }: PostEnded) => at + waitAfter(context.attempts, outcome, random)
    }),
    noteDisplaced: assign({
      error: ({ context: { error } }, { most }: { most: number }) =>
        `more than ${most} were waiting for this target, and this was the oldest${error === undefined ? '' : `; before: ${error}`}`
    }),
    noteGone: assign({ error: () => 'notify has no target of this name any more' }),
    beginAgain: assign({
      attempts: () => 0,
      dueAt: (_, { at }: { at: number }) => at,
      giveUpAt: ({ context }, { at }: { at: number }) => at + context.giveUpAfterMs
    })
  }
}).createMachine({
  id: 'delivery',
  description: 'One event on its way to one target.',
  context: ({ input }) => ({ ...input, attempts: 0, dueAt: input.at, giveUpAt: input.at + input.giveUpAfterMs }),
  initial: 'waiting',
  states: {
    waiting: {
      description: 'It is stored. It is woken when its time has come and its target has a place for it.',
      tags: 'waiting',
      on: {
        'delivery.due': [
          {
            description: 'It has been tried, and then had to wait behind others for too long.',
            guard: withEvent('isTooLate'),
            target: 'dead'
          },
          { target: 'sending' }
        ],
        'delivery.displaced': { target: 'dead', actions: withEvent('noteDisplaced') },
        'target.gone': { target: 'dead', actions: 'noteGone' }
      }
    },
    sending: {
      description: 'The request is on its way. What comes of it is known only by the answer.',
      tags: 'sending',
      invoke: { src: 'post', input: () => ({}) },
      on: {
        'post.ended': [
          { guard: withEvent('isAccepted'), target: 'delivered' },
          { guard: withEvent('isRefused'), target: 'dead', actions: withEvent('noteFailed') },
          { guard: withEvent('wasLast'), target: 'dead', actions: withEvent('noteFailed') },
          { target: 'waiting', actions: [withEvent('noteFailed'), withEvent('planNext')] }
        ]
      }
    },
    delivered: {
      description: 'Its target has accepted it.',
      type: 'final',
      tags: 'delivered'
    },
    dead: {
      description: 'It is not tried again by itself: it is kept as a dead letter, with the reason.',
      tags: 'dead',
      on: { 'delivery.retried': { target: 'waiting', actions: withEvent('beginAgain') } }
    }
  }
})
