/** Guards and actions of the engine chart about workers: their room, and the runs whose worker is lost. Source: distribution 4. */
import { type AnyActorRef, enqueueActions } from 'xstate'
import { type QueueEvent, queueMachine } from '../queue.ts'
import { placedOn } from '../run/run-context.ts'
import { runMachine } from '../run.ts'
import { schedulerMachine } from '../scheduler.ts'
import {
  dropWorker,
  type Fleet,
  type FleetWorker,
  movable,
  moveNoMore,
  moveRun,
  nextFor,
  noteSure,
  noteWorker,
  release
} from '../tables/fleet.ts'
import { topicOf } from '../topic.ts'
import type { Placement, RunKey, WorkerNeeds } from '../vocabulary.ts'
import { type EngineContext, type EngineEvent, queueId, runId } from './engine-context.ts'

type WorkerEvents = Extract<EngineEvent, { type: 'worker.lost' | 'worker.back' | 'worker.fenced' }>

// D993: the room of a worker is offered to one queue after the other
/** The queue that is offered the room of a worker next. */
function queueFor(fleet: Fleet | undefined, home: string, self: AnyActorRef): AnyActorRef | undefined {
  if (!fleet) return undefined
  const { children } = self.getSnapshot()
  for (let name = nextFor(fleet, home); name !== undefined; name = nextFor(fleet, home)) {
    const queue = children[queueId(name)]
    if (queue?.getSnapshot().status === 'active') return queue
  }
  return undefined
}

export const engineActors = { scheduler: schedulerMachine, queue: queueMachine, run: runMachine }

export const engineTopic = topicOf<EngineContext, EngineEvent, typeof engineActors>()

export const workers = engineTopic({
  guards: {
    needsWorker: (_, { needs }: { needs?: WorkerNeeds }) => needs !== undefined
  },
  actions: {
    /** The slot of its worker is offered to those who wait for one. */
    freeWorker: enqueueActions(({ context: { fleet }, enqueue, self }, { key, at }: { key: RunKey; at: number }) => {
      if (!fleet) return
      moveNoMore(fleet, key)
      const home = release(fleet, key)
      if (home === undefined) return
      if (fleet.moving.size > 0) return enqueue.raise({ type: 'room.passed', home, at })
      const queue = queueFor(fleet, home, self)
      if (queue) enqueue.sendTo(queue, { type: 'room.offered', home, at } satisfies QueueEvent)
    }),
    noteWorker: ({ context: { fleet } }, { worker }: { worker: FleetWorker }) => fleet && noteWorker(fleet, worker),
    dropWorker: ({ context: { fleet } }, { home }: { home: string }) => fleet && dropWorker(fleet, home),
    noteUnsure: ({ context: { fleet } }, { home }: { home: string }) => void fleet?.unsure.add(home),
    noteSure: ({ context: { fleet } }, { home }: { home: string }) => fleet && noteSure(fleet, home),
    dropMoves: ({ context: { fleet } }, { keys }: { keys: RunKey[] }) => {
      for (const key of keys) if (fleet) moveNoMore(fleet, key)
    },
    /** Runs are told what has become of their worker; that it is back only if they took it for lost. */
    tellRuns: enqueueActions(({ enqueue, self }, news: WorkerEvents) => {
      const { children } = self.getSnapshot()
      const { home, keys, ...rest } = news
      const said = rest.type === 'worker.lost' ? { ...rest, home } : rest
      for (const key of keys) {
        const run = children[runId(key)]
        const isTold = run?.getSnapshot().context.loss !== undefined
        if (run && (isTold || news.type === 'worker.lost')) enqueue.sendTo(run, said)
      }
    }),
    move: enqueueActions(
      ({ context: { fleet }, enqueue, self }, { key, needs, at }: { key: RunKey; needs: WorkerNeeds; at: number }) => {
        if (!(runId(key) in self.getSnapshot().children)) return // it has ended in the meantime
        const placement = fleet && moveRun(fleet, key, needs)
        if (placement) enqueue.raise({ type: 'run.moved', key, placement, at })
      }
    ),
    moveOn: enqueueActions(({ context: { fleet }, enqueue }, { at }: { at: number }) => {
      if (!fleet || fleet.moving.size === 0) return
      for (const moved of movable(fleet)) enqueue.raise({ type: 'run.moved', ...moved, at })
    }),
    offerAllRoom: enqueueActions(({ context: { fleet }, enqueue }, { at }: { at: number }) => {
      for (const home of fleet?.workers.keys() ?? []) enqueue.raise({ type: 'room.passed', home, at })
    }),
    /** Looks up what a run needs of a worker: `move.requested`. */
    lookUpNeeds: (_, _wanted: { key: RunKey; at: number }) => {},
    /** Notes in the record of a run where it goes on, before it hears of it. */
    noteMoved: (_, _moved: { key: RunKey; placement: Placement }) => {},
    sayReplaced: enqueueActions(
      ({ enqueue, self }, { key, at, placement }: { key: RunKey; at: number; placement: Placement }) => {
        const run = self.getSnapshot().children[runId(key)]
        if (run) enqueue.sendTo(run, { type: 'worker.replaced', at, ...placedOn({ placement }) })
      }
    ),
    /** One queue after the other: each takes what it can, and passes it on. */
    offerRoom: enqueueActions(({ context: { fleet }, enqueue, self }, { home, at }: { home: string; at: number }) => {
      const queue = queueFor(fleet, home, self)
      if (queue) enqueue.sendTo(queue, { type: 'room.offered', home, at } satisfies QueueEvent)
    })
  }
})
