/** A queue that a test drives: the events it receives, and those it sends. */
import { type AnyEventObject, createActor, setup } from 'xstate'
import { type EnqueueRequested, type QueueEvent, queueMachine, type StartRequested } from '../../../machines/queue.ts'
import type { Counts } from '../../../machines/tables/run-counts.ts'
import { key } from './plans.ts'
import { invokedActors, onStage, openStage } from './stage.ts'

export const queueLogic = queueMachine.provide({ actors: invokedActors('alarm') })

/** A queue below a parent that records the events it receives and counts runs as the engine does. @param capacity of a configured queue */
export function driveQueue(capacity?: number, held = false) {
  const received: AnyEventObject[] = []
  const stage = openStage()
  const input = { name: 'q', held, ...(capacity === undefined ? {} : { capacity }) }
  const parent = setup({ actors: { queue: queueLogic } }).createMachine({
    invoke: { id: 'queue/q', src: 'queue', input },
    on: { '*': { actions: ({ event }) => received.push(event) } }
  })
  const root = onStage(stage, createActor(parent)).start()
  const send = (event: QueueEvent) => root.getSnapshot().children['queue/q']?.send(event)
  const at = () => stage.now
  /** State of each run by id, as its parent knows it. */
  const states = new Map<string, keyof Counts>()
  const nameOf = (id: string) => id.split('-')[0] ?? ''
  const activeOf = (name: string): Counts => {
    const own = [...states].filter(([id]) => nameOf(id) === name).map(([, state]) => state)
    return {
      running: own.filter((state) => state === 'running').length,
      queued: own.filter((state) => state === 'queued').length
    }
  }
  /** Reads what has been said since the last look. @returns the last of it */
  let read = 0
  const hear = () => {
    for (const { type, key } of received.slice(read)) {
      if (type === 'start.admitted' || type === 'item.due') states.set(key.dagRunId, 'running')
      else if (type === 'start.queued') states.set(key.dagRunId, 'queued')
      else if (type === 'item.expired' || type === 'item.removed') states.delete(key.dagRunId)
    }
    const news = received.slice(read)
    read = received.length
    return news
  }
  const keyOf = (id: string) => key(id, nameOf(id))
  const common = (id: string) => ({ key: keyOf(id), queue: 'q', at: at(), active: activeOf(nameOf(id)) })
  return {
    stage,
    states,
    /** Ids are `<dag>-<number>`. @returns what was said to it */
    starts(id: string, wish: Partial<StartRequested> = {}) {
      send({
        type: 'start.requested',
        limit: 1,
        singleton: false,
        exclusive: false,
        mayWait: true,
        ...common(id),
        ...wish
      })
      return hear()[0]
    },
    enqueues(id: string, wish: Partial<EnqueueRequested> = {}) {
      send({
        type: 'enqueue.requested',
        limit: 1,
        bounded: false,
        singleton: false,
        ...common(id),
        ...wish
      })
      return hear()[0]
    },
    ends(id: string) {
      states.delete(id)
      send({ type: 'slot.freed', key: keyOf(id), at: at() })
      hear()
    },
    begins: (id: string) => send({ type: 'item.started', key: keyOf(id), at: at() }),
    withdraws(id: string) {
      send({ type: 'item.withdrawn', key: keyOf(id), at: at() })
      return hear()[0]
    },
    finds(id: string, order: number, limit = 1, wish: { priority?: number; notBefore?: number } = {}) {
      states.set(id, 'queued')
      send({ type: 'item.found', key: keyOf(id), limit, order, at: at(), ...wish })
      hear()
    },
    retakes(id: string) {
      states.set(id, 'running')
      send({ type: 'slots.retaken', keys: [keyOf(id)], at: at() })
    },
    isHeld: () => send({ type: 'queue.held' }),
    /** Time passes. */
    waits(ms: number) {
      stage.advance(ms)
      return hear()
    },
    running: () => [...states].filter(([, state]) => state === 'running').map(([id]) => id),
    /** Ids in the order of their dispatch. */
    due: () => received.filter(({ type }) => type === 'item.due').map(({ key }) => key.dagRunId as string),
    ended: () => received.some(({ type }) => type === 'xstate.done.actor.queue/q')
  }
}
