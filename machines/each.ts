/**
 * One execution of a step with `each`: its function is called once for each item, at most `maxConcurrent` of them at a time. It stands
 * in for an attempt: it exchanges the same events with the node. Items that have succeeded, before a restart or in an earlier
 * attempt, are not called again. Source: docs/executors/function.md "One call for each item".
 *
 * state      waits for                     goes to
 * resolving  the items, and those done     spreading (they are known); ended (they cannot be); lacking (no such code here); givenUp (stop);
 *                                          refused (they are known, and its process has ended twice)
 * spreading  the ends of its items         reporting (all have ended); stopping (stop)
 * stopping   those that have begun         givenUp (all have ended)
 * reporting  the results, put together     ended (they are); givenUp (kill)
 * refused    the kill of the node          givenUp (kill, stop)
 * lacking, givenUp, ended  the end
 */
import { assign, enqueueActions, sendParent, setup } from 'xstate'
import type { AttemptCommand, AttemptEnded, AttemptInput, AttemptMissing } from './attempt.ts'
import { invokedActor } from './slots.ts'
import type { Json, MissingCode, SecretMark, Thrown } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export interface EachInput extends AttemptInput {
  /** When the execution began, epoch ms. */
  at: number
  /** The process has ended so often during this execution that no item begins. */
  isSpent?: true
}

export interface ResolvedItems {
  items: Json[]
  /** Indexes of those that have not succeeded yet. */
  pending: number[]
  maxConcurrent: number
  /** Bytes that further results may have. */
  room: number
  /** The page is empty: there are no more. */
  isOver?: true
}

export interface EachContext extends EachInput, ResolvedItems {
  /** How many of `pending` have begun. */
  next: number
  active: number
  failed: number
  /** The first item that has failed. */
  first?: { index: number; error: string; thrown?: Thrown }
  /** The end of the step apart from its items. */
  end?: Pick<AttemptEnded, 'error' | 'thrown' | 'isFinal' | 'output' | 'outputMarks'>
  missing?: MissingCode
}

/** Input of the actor that calls the function for one item. */
export interface ItemInput {
  step: EachInput
  index: number
  item: Json
  /** Bytes that its result may have. */
  room: number
}
export interface ItemEnded {
  type: 'item.ended'
  at: number
  index: number
  /** Size of the result. */
  bytes: number
  /** Absent: it has succeeded, and its result is stored. */
  error?: string
  thrown?: Thrown
}

export type EachEvent =
  | ({ type: 'each.resolved'; at: number } & ResolvedItems)
  | { type: 'each.unresolved'; at: number; error: string; thrown?: Thrown; isFinal?: boolean }
  | { type: 'each.lacking'; at: number; code: MissingCode }
  /** The process ended while a page of items was asked for, which happens again. */
  | { type: 'each.died'; at: number }
  | ItemEnded
  | {
      type: 'each.reported'
      at: number
      output?: string
      outputMarks?: SecretMark[]
      error?: string
      thrown?: Thrown
      isFinal?: boolean
    }
  | AttemptCommand

/** Before anything is known. */
export const openEach = (input: EachInput): EachContext => ({
  ...input,
  items: [],
  pending: [],
  maxConcurrent: 1,
  room: 0,
  next: 0,
  active: 0,
  failed: 0
})

export const itemId = (index: number) => `item/${index}`
const eachInput = ({ run, place, attempt, at, runStatus, answers, resumed, mayResume }: EachContext): EachInput => ({
  run,
  place,
  attempt,
  at,
  ...(runStatus === undefined ? {} : { runStatus }),
  ...(answers === undefined ? {} : { answers }),
  ...(resumed === undefined ? {} : { resumed }),
  ...(mayResume === undefined ? {} : { mayResume })
})
const itemInput = (c: EachContext, index: number): ItemInput => ({
  step: eachInput(c),
  index,
  item: c.items[index] ?? null,
  room: c.room
})
const deathIn = ({ died }: EachContext) => (died ? { died } : {})
const summary = ({ failed, items, first }: EachContext): string =>
  `${failed} of ${items.length} items failed; the first, item ${first?.index}: ${first?.error}`

export const eachMachine = setup({
  types: {} as { input: EachInput; context: EachContext; events: EachEvent },
  actors: {
    itemSource: invokedActor<{ type: 'items.stop' }, EachInput>('itemSource'),
    item: invokedActor<AttemptCommand, ItemInput>('item'),
    itemReport: invokedActor<{ type: 'report.stop' }, EachInput & { total: number }>('itemReport')
  },
  guards: {
    isSpent: ({ context }) => context.isSpent === true,
    allEnded: ({ context: { active, next, pending } }) => active === 0 && next >= pending.length,
    someFailed: ({ context: { active, next, pending, failed } }) =>
      active === 0 && next >= pending.length && failed > 0,
    noneActive: ({ context: { active } }) => active === 0
  },
  actions: {
    noteItems: assign((_, { at, items, pending, maxConcurrent, room, isOver }: { at: number } & ResolvedItems) => ({
      at,
      items,
      pending,
      maxConcurrent,
      room,
      ...(isOver ? { isOver } : {})
    })),
    noteFault: assign((_, { type: _type, at, ...end }: Extract<EachEvent, { type: 'each.unresolved' }>) => ({
      at,
      end
    })),
    noteLack: assign((_, { at, code }: { at: number; code: MissingCode }) => ({ at, missing: code })),
    noteTime: assign((_, { at }: { at: number }) => ({ at })),
    noteFailures: assign({
      end: ({ context: c }) => ({ error: summary(c), ...(c.first?.thrown ? { thrown: c.first.thrown } : {}) })
    }),
    sayBegun: sendParent(({ context: c }) => ({ type: 'attempt.began', at: c.at, ...deathIn(c) })),
    /** A death is told once. */
    dropDeath: assign({ died: undefined }),
    sayDied: sendParent(({ context: { at } }) => ({ type: 'attempt.died', at })),
    beginNext: enqueueActions(({ context: c, enqueue }) => {
      const until = Math.min(c.pending.length, c.next + c.maxConcurrent - c.active)
      for (const index of c.pending.slice(c.next, until))
        enqueue.spawnChild('item', { id: itemId(index), input: itemInput(c, index) })
      enqueue.assign({ next: until, active: c.active + until - c.next })
    }),
    /** In place, because `stopChild` copies all the other children. */
    dropItem: ({ self }, { index }: ItemEnded) => {
      delete self.getSnapshot().children[itemId(index)]
    },
    noteEnd: assign(({ context: c }, { at, index, bytes, error, thrown }: ItemEnded) =>
      error === undefined
        ? { at, active: c.active - 1, room: c.room - bytes }
        : {
            at,
            active: c.active - 1,
            failed: c.failed + 1,
            first: c.first ?? { index, error, ...(thrown ? { thrown } : {}) }
          }
    ),
    passOn: enqueueActions(({ context: c, enqueue, self }, command: AttemptCommand) => {
      const { children } = self.getSnapshot()
      for (const index of c.pending.slice(0, c.next)) {
        const item = children[itemId(index)]
        if (item) enqueue.sendTo(item, command)
      }
    }),
    noteReport: assign((_, { type: _type, at, ...end }: Extract<EachEvent, { type: 'each.reported' }>) => ({
      at,
      end
    })),
    sayMissing: sendParent(
      ({ context: c }): AttemptMissing => ({
        type: 'attempt.missing',
        at: c.at,
        code: c.missing as MissingCode, // noted on the way into this state
        mayHaveBegun: c.resumed === true,
        ...deathIn(c)
      })
    ),
    sayEnded: sendParent(
      ({ context: { at, end = {}, isOver } }): AttemptEnded => ({
        ...end,
        type: 'attempt.ended',
        at,
        exitCode: end.error === undefined ? 0 : 1,
        ...(isOver ? { isOver } : {})
      })
    ),
    sayStopped: sendParent(
      ({ context: { at } }): AttemptEnded => ({ type: 'attempt.ended', at, exitCode: -1, error: 'signal: terminated' })
    )
  }
}).createMachine({
  id: 'each',
  description: 'One execution of a step that calls its function once for each item.',
  context: ({ input }) => openEach(input),
  initial: 'resolving',
  states: {
    resolving: {
      description: 'The items are being evaluated, and which of them have succeeded before.',
      invoke: { id: 'itemSource', src: 'itemSource', input: ({ context }) => eachInput(context) },
      on: {
        'each.resolved': [
          { guard: 'isSpent', target: 'refused', actions: [withEvent('noteTime'), 'sayDied'] },
          { target: 'spreading', actions: [withEvent('noteItems'), 'sayBegun'] }
        ],
        'each.died': { actions: [withEvent('noteTime'), 'sayBegun', 'dropDeath'] },
        'each.unresolved': { target: 'ended', actions: withEvent('noteFault') },
        'each.lacking': { target: 'lacking', actions: withEvent('noteLack') },
        'attempt.stop': { target: 'givenUp', actions: withEvent('noteTime') },
        'attempt.kill': { target: 'givenUp', actions: withEvent('noteTime') }
      }
    },
    spreading: {
      description:
        'The function is at work on items, at most maxConcurrent at a time. Every item is called, however the others end.',
      entry: 'beginNext',
      always: [
        { guard: 'someFailed', target: 'ended', actions: 'noteFailures' },
        { guard: 'allEnded', target: 'reporting' }
      ],
      on: {
        'item.ended': { actions: [withEvent('dropItem'), withEvent('noteEnd'), 'beginNext'] },
        'attempt.stop': { target: 'stopping', actions: [withEvent('noteTime'), withEvent('passOn')] },
        'attempt.kill': { target: 'stopping', actions: [withEvent('noteTime'), withEvent('passOn')] }
      }
    },
    stopping: {
      description: 'No further item begins. Those at work have been asked to stop.',
      always: { guard: 'noneActive', target: 'givenUp' },
      on: {
        'item.ended': { actions: [withEvent('dropItem'), withEvent('noteEnd')] },
        'attempt.kill': { actions: withEvent('passOn') }
      }
    },
    reporting: {
      description: 'The stored results of all items are being put together: they are the result of the step.',
      invoke: {
        id: 'itemReport',
        src: 'itemReport',
        input: ({ context }) => ({ ...eachInput(context), total: context.items.length })
      },
      on: {
        'each.reported': { target: 'ended', actions: withEvent('noteReport') },
        'attempt.kill': { target: 'givenUp', actions: withEvent('noteTime') }
      }
    },
    refused: {
      description: 'Its process has ended too often while items were at work: none begins, and the node ends it.',
      on: {
        'attempt.stop': { target: 'givenUp', actions: withEvent('noteTime') },
        'attempt.kill': { target: 'givenUp', actions: withEvent('noteTime') }
      }
    },
    lacking: { description: 'The node waits for the code.', type: 'final', entry: 'sayMissing' },
    givenUp: { description: 'Stopped; what has succeeded is kept.', type: 'final', entry: 'sayStopped' },
    ended: { description: 'The node has been notified.', type: 'final', entry: 'sayEnded' }
  }
})
