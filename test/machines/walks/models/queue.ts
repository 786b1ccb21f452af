/** One queue, as a model. Source: execution-semantics 7.2, 12. */
import { createActor, createMachine } from 'xstate'
import type { QueueEvent } from '../../../../machines/queue.ts'
import { noteWorker, openFleet } from '../../../../machines/tables/fleet.ts'
import { queueLogic } from '../../../support/charts/driven-queue.ts'
import { fleetWorker } from '../../../support/charts/engine-chart.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { key } from '../../../support/charts/plans.ts'
import { onStage, openStage } from '../../../support/charts/stage.ts'
import { servicesOf } from './stubs.ts'

/** @param capacity of a configured queue @param slots of a worker; absent: there is none */
export function queueModel(capacity?: number, slots?: number): Walk {
  const openQueue = (inspect: Inspect) => {
    const stage = openStage()
    const fleet = openFleet(0)
    noteWorker(fleet, fleetWorker('w', { slots: slots ?? 0 }))
    const input = {
      name: 'q',
      ...(capacity === undefined ? {} : { capacity }),
      ...(slots === undefined ? {} : { fleet })
    }
    const parent = createMachine({ id: 'parent', invoke: { id: 'queue', src: queueLogic, input } })
    return { stage, actor: onStage(stage, createActor(parent, { inspect })).start() }
  }
  type Live = ReturnType<typeof openQueue>
  const send = (event: (at: number) => QueueEvent) => (live: Live) => {
    const queue = live.actor.getSnapshot().children.queue
    if (queue?.getSnapshot().status === 'active') queue.send(event(live.stage.now))
  }
  const none = { running: 0, queued: 0 }
  const start = {
    type: 'start.requested' as const,
    queue: 'q',
    limit: 2,
    singleton: false,
    exclusive: false,
    mayWait: true
  }
  const enqueue = {
    type: 'enqueue.requested' as const,
    queue: 'q',
    limit: 1,
    bounded: false,
    singleton: false
  }
  const one = { running: 1, queued: 0 }
  const needs = { labels: { zone: 'a' }, executors: ['shell'] }
  return walking({
    open: openQueue,
    moves: {
      start: send((at) => ({ ...start, key: key('s1'), at, active: none })),
      'start another': send((at) => ({ ...start, key: key('s2'), at, active: none })),
      'start a singleton': send((at) => ({ ...start, key: key('s3'), at, active: one, singleton: true })),
      'start, limit reached': send((at) => ({ ...start, key: key('s4'), at, active: one, limit: 1 })),
      'start, wait for the limit': send((at) => ({
        ...start,
        key: key('s5'),
        at,
        active: { running: 2, queued: 0 },
        waitsWhenFull: true
      })),
      'start, not before': send((at) => ({ ...start, key: key('t1'), at, active: none, notBefore: at + 5_000 })),
      'start for a worker': send((at) => ({ ...start, key: key('w1'), at, active: none, needs })),
      'enqueue for a worker': send((at) => ({ ...enqueue, key: key('w2'), at, active: none, needs })),
      'a worker has room': send((at) => ({ type: 'room.offered', home: 'home-w', at })),
      enqueue: send((at) => ({ ...enqueue, key: key('e1'), at, active: none })),
      'enqueue, bounded': send((at) => ({ ...enqueue, key: key('e2'), at, active: one, bounded: true })),
      'enqueue a singleton': send((at) => ({ ...enqueue, key: key('e3'), at, active: one, singleton: true })),
      retake: send((at) => ({ type: 'slots.retaken', keys: [key('s1')], at })),
      free: send((at) => ({ type: 'slot.freed', key: key('s1'), at })),
      found: send((at) => ({ type: 'item.found', key: key('e1'), limit: 1, order: 1, at })),
      started: send((at) => ({ type: 'item.started', key: key('e1'), at })),
      withdrawn: send((at) => ({ type: 'item.withdrawn', key: key('e1'), at })),
      held: send(() => ({ type: 'queue.held' })),
      'ten seconds pass': ({ stage }) => stage.advance(10_000)
    },
    keyOf({ stage, actor }) {
      const queue = actor.getSnapshot().children.queue?.getSnapshot()
      const line = queue?.context.line
      return JSON.stringify([
        queue?.value,
        queue?.context.held,
        [...(line?.holders.keys() ?? [])],
        [...(line?.byRun ?? [])].flatMap(([name, own]) => Array.from(own.keys(), (id) => `${name}/${id}`)),
        servicesOf(stage)
      ])
    },
    depth: 3
  })
}
