/**
 * One queue: which runs may start now, which wait, and which are refused. Check and reservation are one event, so there is no race.
 * Source: execution-semantics 7.2, 12; api-semantics 4.2, 6.
 *
 * state    waits for                 goes to
 * serving  requests and freed slots  looking (a refusal, a withdrawal, an item that did not start, the last slot freed)
 * looking  nothing                   drained (nobody runs or waits); serving
 * drained  the end
 */
import { type AnyActorRef, assign, enqueueActions, sendParent, setup } from 'xstate'
import { type AlarmRang, alarm } from './slots.ts'
import type { Counts } from './tables/run-counts.ts'
import {
  freeSlot,
  holdSlot,
  isIdle,
  isWaiting,
  join,
  type Line,
  leave,
  openLine,
  overdue,
  type Place,
  started,
  takeNext
} from './tables/waiting-line.ts'
import type { RunKey } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export interface QueueInput {
  name: string
  /** maxConcurrency of a configured queue; absent: each DAG's own maxActiveRuns counts. */
  capacity?: number
  /** Runs that hold its slots when it opens, because an earlier actor for this queue has thrown. */
  holders?: RunKey[]
  /** No waiting run is started: the engine is about to close. */
  held?: boolean
}
export interface QueueContext {
  name: string
  capacity?: number
  held: boolean
  /** Changed in place. */
  line: Line
  /** Runs that were admitted, queued or dispatched so far. */
  moves: number
}

/** Asks for a slot. */
export interface StartRequested {
  type: 'start.requested'
  key: RunKey
  queue: string
  /** maxActiveRuns; negative: no limit. */
  limit: number
  singleton: boolean
  /** It may wait in a full configured queue whatever its limit: a reschedule, which has the limit 1. */
  exclusive: boolean
  /** A run that finds the configured queue full may wait instead. */
  mayWait: boolean
  /** With maxActiveRuns above 1, a run that would exceed it may wait, too. Source: api-semantics 4.2 (CLI start). */
  waitsWhenFull?: boolean
  at: number
  /** Other root runs of the same DAG name, in any queue. */
  active: Counts
}
/** Asks for a place in the line. */
export interface EnqueueRequested {
  type: 'enqueue.requested'
  key: RunKey
  queue: string
  limit: number
  /** maxActiveRuns limits waiting runs, too. */
  bounded: boolean
  /** No other run of its DAG name may run or wait. */
  singleton: boolean
  needsWorker: boolean
  at: number
  active: Counts
}
/** Why a start is refused. */
export type Refusal = 'already_running' | 'max_run_reached' | 'queue_faulted'
/** What the queue decided. */
export type AdmissionResult =
  | { type: 'start.admitted'; key: RunKey; at: number }
  | { type: 'start.queued'; key: RunKey; at: number; order: number }
  | { type: 'start.refused'; key: RunKey; reason: Refusal; limit: number; active: Counts }

/** What the queue reports to its parent about items that wait or waited. */
export type ItemNews =
  /** The item has got a slot. */
  | { type: 'item.due'; key: RunKey; at: number }
  | { type: 'item.expired'; key: RunKey; at: number }
  | { type: 'item.removed'; key: RunKey; at: number }
  | { type: 'item.absent'; key: RunKey; at: number }

export type QueueEvent =
  | StartRequested
  | EnqueueRequested
  /** Runs that held a slot before a restart hold it again, whatever the limits. */
  | { type: 'slots.retaken'; keys: RunKey[]; at: number }
  | { type: 'slot.freed'; key: RunKey; at: number }
  /** A run that was waiting before a restart. */
  | { type: 'item.found'; key: RunKey; limit: number; order: number; needsWorker: boolean; at: number }
  /** The run of a dispatched item has started. */
  | { type: 'item.started'; key: RunKey; at: number }
  | { type: 'item.withdrawn'; key: RunKey; at: number }
  /** From now on no waiting run is started. */
  | { type: 'queue.held' }
  | AlarmRang

// D772
/** A dispatched item whose run has not started within this time is discarded. Source: http-api "Limits". */
const START_WITHIN_MS = 10_000
/** A queue is never the root of its system. */
const engineOf = (self: AnyActorRef): AnyActorRef => self._parent as AnyActorRef
const alarmOf = ({ name, dagRunId }: RunKey) => `start/${name}/${dagRunId}`

// D140
export const queueMachine = setup({
  types: {} as { input: QueueInput; context: QueueContext; events: QueueEvent },
  actors: { alarm },
  guards: {
    singletonBlocked: (_, { singleton, active }: StartRequested) => singleton && active.running > 0,
    mayJoin: (_, { mayWait, waitsWhenFull = false, limit, active }: StartRequested) =>
      mayWait && waitsWhenFull && limit > 1 && active.running + active.queued >= limit,
    full: (_, { limit, active }: StartRequested) => limit > 0 && active.running + active.queued >= limit,
    boundedFull: (_, { bounded, limit, active }: EnqueueRequested) =>
      bounded && limit > 0 && active.running + active.queued >= limit,
    singletonTaken: (_, { singleton, active }: EnqueueRequested) => singleton && active.running + active.queued > 0,
    mustWait: ({ context: { capacity, line } }, { mayWait, limit, singleton, exclusive }: StartRequested) =>
      mayWait && !singleton && (limit > 1 || exclusive) && capacity !== undefined && line.holders.size >= capacity,
    waits: ({ context: { line } }, { key }: { key: RunKey }) => isWaiting(line, key),
    idle: ({ context: { line } }) => isIdle(line),
    /** Nothing waits, and at most one slot is taken. */
    lastOne: ({ context: { line } }) => line.byRun.size === 0 && line.holders.size <= 1
  },
  actions: {
    takeSlot: assign(({ context: { line, moves } }, { key }: { key: RunKey }) => {
      holdSlot(line, key)
      return { moves: moves + 1 }
    }),
    retakeSlots: assign(({ context: { line, moves } }, { keys }: { keys: RunKey[] }) => {
      for (const key of keys) holdSlot(line, key)
      return { moves: moves + keys.length }
    }),
    freeSlot: ({ context: { line } }, { key }: { key: RunKey }) => freeSlot(line, key),
    admit: sendParent((_, { key, at }: StartRequested): AdmissionResult => ({ type: 'start.admitted', key, at })),
    queue: enqueueActions(
      (
        { context: { line, moves }, enqueue, self },
        { key, at, ...place }: (StartRequested | EnqueueRequested) & Place
      ) => {
        const { order } = join(line, key, place)
        enqueue.assign({ moves: moves + 1 })
        enqueue.sendTo(engineOf(self), { type: 'start.queued', key, at, order } satisfies AdmissionResult)
      }
    ),
    refuse: sendParent(
      (
        _,
        { key, limit, active, reason }: (StartRequested | EnqueueRequested) & { reason: Refusal }
      ): AdmissionResult => ({
        type: 'start.refused',
        key,
        reason,
        limit,
        active
      })
    ),
    findItem: ({ context: { line } }, { key, limit, needsWorker, order }: { key: RunKey } & Place) =>
      void join(line, key, { limit, needsWorker, ...(order === undefined ? {} : { order }) }),
    removeItem: ({ context: { line } }, { key }: { key: RunKey }) => void leave(line, key),
    sayRemoved: sendParent(
      (_, { key, at }: { key: RunKey; at: number }): ItemNews => ({ type: 'item.removed', key, at })
    ),
    sayAbsent: sendParent(
      (_, { key, at }: { key: RunKey; at: number }): ItemNews => ({ type: 'item.absent', key, at })
    ),
    /** Gives free slots to the next items. A slot is freed when its run ends, or does not start in time. */
    dispatch: enqueueActions(({ context: { line, capacity, held, moves }, enqueue, self }, { at }: { at: number }) => {
      if (held) return
      const dueAt = at + START_WITHIN_MS
      let count = 0
      for (let item = takeNext(line, capacity, dueAt); item; item = takeNext(line, capacity, dueAt)) {
        count++
        enqueue.spawnChild('alarm', { id: alarmOf(item.key), input: { dueAt } })
        enqueue.sendTo(engineOf(self), { type: 'item.due', key: item.key, at } satisfies ItemNews)
      }
      if (count > 0) enqueue.assign({ moves: moves + count })
    }),
    hold: assign({ held: true }),
    noteStarted: enqueueActions(({ context: { line }, enqueue }, { key }: { key: RunKey }) => {
      if (started(line, key)) enqueue.stopChild(alarmOf(key))
    }),
    expire: enqueueActions(({ context: { line }, enqueue, self }, { at }: { at: number }) => {
      for (const { key } of overdue(line, at)) {
        freeSlot(line, key)
        enqueue.stopChild(alarmOf(key))
        enqueue.sendTo(engineOf(self), { type: 'item.expired', key, at } satisfies ItemNews)
      }
    })
  }
}).createMachine({
  id: 'queue',
  description: 'One queue: a configured one, or that of a DAG name. It exists while a run of it runs or waits.',
  context: ({ input: { name, capacity, holders = [], held = false } }) => {
    const line = openLine()
    for (const key of holders) holdSlot(line, key)
    return { name, ...(capacity === undefined ? {} : { capacity }), held, line, moves: 0 }
  },
  initial: 'serving',
  states: {
    serving: {
      description: 'Slots are given to requests and waiting items, and taken back from runs that have ended.',
      on: {
        'start.requested': [
          {
            guard: withEvent('singletonBlocked'),
            target: 'looking',
            actions: { type: 'refuse', params: ({ event }) => ({ ...event, reason: 'already_running' as const }) }
          },
          {
            guard: withEvent('mayJoin'),
            actions: [
              { type: 'queue', params: ({ event }) => ({ ...event, needsWorker: false }) },
              withEvent('dispatch')
            ]
          },
          {
            guard: withEvent('full'),
            target: 'looking',
            actions: { type: 'refuse', params: ({ event }) => ({ ...event, reason: 'max_run_reached' as const }) }
          },
          {
            guard: withEvent('mustWait'),
            actions: { type: 'queue', params: ({ event }) => ({ ...event, needsWorker: false }) }
          },
          { actions: [withEvent('takeSlot'), withEvent('admit')] }
        ],
        'enqueue.requested': [
          {
            guard: withEvent('singletonTaken'),
            target: 'looking',
            actions: {
              type: 'refuse',
              params: ({ event }) => ({ ...event, limit: 1, reason: 'max_run_reached' as const })
            }
          },
          {
            guard: withEvent('boundedFull'),
            target: 'looking',
            actions: { type: 'refuse', params: ({ event }) => ({ ...event, reason: 'max_run_reached' as const }) }
          },
          { actions: [withEvent('queue'), withEvent('dispatch')] }
        ],
        'slots.retaken': { actions: withEvent('retakeSlots') },
        'slot.freed': [
          { guard: 'lastOne', target: 'looking', actions: [withEvent('freeSlot'), withEvent('dispatch')] },
          { actions: [withEvent('freeSlot'), withEvent('dispatch')] }
        ],
        'item.found': { actions: [withEvent('findItem'), withEvent('dispatch')] },
        'item.started': { actions: withEvent('noteStarted') },
        'item.withdrawn': [
          {
            guard: withEvent('waits'),
            target: 'looking',
            actions: [
              withEvent('removeItem'),
              withEvent('sayRemoved'),
              withEvent('dispatch') // it may have held back an item with a higher limit
            ]
          },
          { target: 'looking', actions: withEvent('sayAbsent') }
        ],
        'queue.held': {
          description: 'The engine stops its runs and closes: waiting items are left to the next engine.',
          actions: 'hold'
        },
        'alarm.rang': {
          description:
            'The run of a dispatched item did not start: the item is discarded, and the next one is dispatched.',
          target: 'looking',
          actions: [withEvent('expire'), withEvent('dispatch')]
        }
      }
    },
    looking: {
      description: 'Whether any item or slot is left is checked once.',
      always: [{ guard: 'idle', target: 'drained' }, { target: 'serving' }]
    },
    drained: { description: 'Nothing runs and nothing waits; a new request opens a new queue.', type: 'final' }
  }
})
