/**
 * One queue: which runs may start now, which wait, and which are refused. Check and reservation are one event, so there is no race.
 * Source: execution-semantics 7.2, 12; api-semantics 4.2, 6.
 *
 * state    waits for                 goes to
 * serving  requests, freed slots, room, alarms  looking (a refusal, a withdrawal, an item that did not start, the last slot freed)
 * looking  nothing                   drained (nobody runs or waits); serving
 * drained  the end
 */
import { type AnyActorRef, assign, enqueueActions, sendParent, setup } from 'xstate'
import { isLater } from './policy/admission.ts'
import type {
  AdmissionResult,
  EnqueueRequested,
  ItemNews,
  QueueEvent,
  Refusal,
  StartRequested
} from './queue/queue-events.ts'
import { alarm } from './slots.ts'
import { getOf } from './tables/by-run.ts'
import { type Fleet, placeOn, workerFor } from './tables/fleet.ts'
import { heldBack } from './tables/standstill.ts'
import {
  admitLater,
  freeSlot,
  holdSlot,
  holdsSlotsAbove,
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

export type * from './queue/queue-events.ts'

export interface QueueInput {
  name: string
  /** maxConcurrency of a configured queue; absent: each DAG's own maxActiveRuns counts. */
  capacity?: number
  /** Runs that hold its slots when it opens, because an earlier actor for this queue has thrown. */
  holders?: RunKey[]
  /** No waiting run is started: the engine is about to close. */
  held?: boolean
  /** Shared with the engine and its other queues. Absent: there are no workers, and runs that need one wait. */
  fleet?: Fleet
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

// D772: a queued run is dispatched when its record is readable
/** A dispatched item whose run has not started within this time is discarded. Source: http-api "Limits". */
const START_WITHIN_MS = 10_000
/** Time between looks whether sub runs wait for slots that nobody would ever free. */
const LOOK_MS = 5_000
const LOOK = 'look'
/** The alarm for the first item whose time has not come. */
const LATER = 'later'
/** A queue is never the root of its system. */
const engineOf = (self: AnyActorRef): AnyActorRef => self._parent as AnyActorRef
const alarmOf = ({ name, dagRunId }: RunKey) => `start/${name}/${dagRunId}`

// D140: an enqueue honors `singleton`
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
    isLater: (_, start: StartRequested) => isLater(start, start.at),
    lacksWorker: (
      {
        context: {
          line: { fleet }
        }
      },
      { key, needs }: StartRequested
    ) => needs !== undefined && !(fleet && workerFor(fleet, needs) && !getOf(heldBack(fleet), key)),
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
    admit: enqueueActions(({ context: { line }, enqueue, self }, { key, at, needs }: StartRequested) => {
      const placement = line.fleet && needs ? placeOn(line.fleet, key, needs) : undefined
      const admitted = { type: 'start.admitted', key, at, ...(placement ? { placement } : {}) } as const
      enqueue.sendTo(engineOf(self), admitted satisfies AdmissionResult)
    }),
    queue: enqueueActions(
      (
        { context: { line, moves }, enqueue, self },
        { key, at, ...place }: (StartRequested | EnqueueRequested) & Place
      ) => {
        const { order } = join(line, key, place, at)
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
    findItem: ({ context: { line } }, { key, at, ...place }: { key: RunKey; at: number } & Place) =>
      void join(line, key, place, at),
    removeItem: ({ context: { line } }, { key }: { key: RunKey }) => leave(line, key),
    sayRemoved: sendParent(
      (_, { key, at }: { key: RunKey; at: number }): ItemNews => ({ type: 'item.removed', key, at })
    ),
    sayAbsent: sendParent(
      (_, { key, at }: { key: RunKey; at: number }): ItemNews => ({ type: 'item.absent', key, at })
    ),
    /** Gives free slots to the next items. A slot is freed when its run ends, or does not start in time. */
    dispatch: enqueueActions(({ context: { line, capacity, held, moves }, enqueue, self }, { at }: { at: number }) => {
      if (held) return
      const laterAt = admitLater(line, at)
      if (laterAt !== line.laterAt) {
        if (line.laterAt !== undefined) enqueue.stopChild(LATER)
        if (laterAt !== undefined) enqueue.spawnChild('alarm', { id: LATER, input: { dueAt: laterAt } })
        line.laterAt = laterAt
      }
      const dueAt = at + START_WITHIN_MS
      const looks = line.lookAt !== undefined && line.lookAt <= at
      if (looks && line.fleet) line.fleet.roomAt++
      const next = () => takeNext(line, capacity, dueAt, looks)
      let count = 0
      for (let taken = next(); taken; taken = next()) {
        const {
          item: { key },
          placement
        } = taken
        count++
        enqueue.spawnChild('alarm', { id: alarmOf(key), input: { dueAt } })
        const due = { type: 'item.due', key, at, ...(placement ? { placement } : {}) } as const
        enqueue.sendTo(engineOf(self), due satisfies ItemNews)
      }
      if (count > 0) enqueue.assign({ moves: moves + count })
      if (looks) {
        delete line.lookAt
        enqueue.stopChild(LOOK)
      }
      if (line.lookAt !== undefined || !holdsSlotsAbove(line)) return
      line.lookAt = at + LOOK_MS
      enqueue.spawnChild('alarm', { id: LOOK, input: { dueAt: line.lookAt } })
    }),
    passOn: sendParent(
      (_, { home, at }: { home: string; at: number }): ItemNews => ({ type: 'room.passed', home, at })
    ),
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
  context: ({ input: { name, capacity, holders = [], held = false, fleet } }) => {
    const line = openLine(name, fleet)
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
            actions: [withEvent('queue'), withEvent('dispatch')]
          },
          {
            guard: withEvent('full'),
            target: 'looking',
            actions: { type: 'refuse', params: ({ event }) => ({ ...event, reason: 'max_run_reached' as const }) }
          },
          { guard: withEvent('isLater'), actions: [withEvent('queue'), withEvent('dispatch')] },
          {
            guard: withEvent('mustWait'),
            actions: withEvent('queue')
          },
          {
            description: 'It waits for a worker.',
            guard: withEvent('lacksWorker'),
            actions: [withEvent('queue'), withEvent('dispatch')]
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
        'room.offered': {
          description: 'A worker has room for an item that lacked one, unless that has left in the meantime.',
          actions: [withEvent('dispatch'), withEvent('passOn')]
        },
        'queue.held': {
          description: 'The engine stops its runs and closes: waiting items are left to the next engine.',
          actions: 'hold'
        },
        'alarm.rang': {
          description:
            'The run of a dispatched item did not start: the item is discarded, and the next one is dispatched. Or sub runs have waited for long, or the time of an item has come.',
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
