/** The setup of the engine chart: its guards and actions. `engine.ts` says when they apply. Source: architecture 3. */
import { assign, enqueueActions, sendTo, setup } from 'xstate'
import {
  type EngineContext,
  type EngineEvent,
  type EngineInput,
  queueId,
  type RunEnding,
  type RunNews,
  runId
} from './engine/engine-context.ts'
import { engineActors, engineTopic, workers } from './engine/engine-workers.ts'
import type { SignalGiven } from './node.ts'
import type { AdmissionResult, EnqueueRequested, QueueEvent, StartRequested } from './queue.ts'
import { placedOn } from './run/run-context.ts'
import type { RunInput } from './run.ts'
import { holdOn } from './tables/fleet.ts'
import { type Counts, countsOf, forget, holdersOf, note, queueOf, SUB_RUNS, stateOf } from './tables/run-counts.ts'
import type { Placement, RunKey, WorkerNeeds } from './vocabulary.ts'

/** A run may be restored this often within `WITHIN_MS`; then the engine fails it. */
const [RESTARTS, WITHIN_MS] = [3, 60_000]

const nobody: Counts = { running: 0, queued: 0 }
const recent = (restartedAt: number[] | undefined, at: number) =>
  (restartedAt ?? []).filter((then) => at - then < WITHIN_MS)

/** What a place in the line depends on; members that are absent are left out. */
function placeOf({ needs, priority, notBefore }: { [K in PlaceMember]: StartRequested[K] | undefined }) {
  return {
    ...(needs ? { needs } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(notBefore === undefined ? {} : { notBefore })
  }
}
type PlaceMember = 'needs' | 'priority' | 'notBefore'

/** How a queue is opened. */
function queueOptions(name: string, { queues, held, fleet }: EngineContext, holders: RunKey[]) {
  const capacity = Object.hasOwn(queues, name) ? queues[name] : undefined
  const limited = capacity === undefined ? {} : { capacity: Math.max(1, capacity) }
  return { id: queueId(name), input: { name, holders, held, ...limited, ...(fleet ? { fleet } : {}) } }
}

const runs = engineTopic({
  guards: {
    isRun: (_, { actorId }: { actorId: string }) => actorId.startsWith('run/'),
    isQueue: (_, { actorId }: { actorId: string }) => actorId.startsWith('queue/'),
    schedulerMayRestart: ({ context }, { at }: { at: number }) =>
      recent(context.restartedAt.scheduler, at).length < RESTARTS,
    isNotDispatched: ({ context: { runCounts } }, { key }: { key: RunKey }) => stateOf(runCounts, key) !== 'running',
    hasPlace: ({ context: { runCounts } }, { key }: { key: RunKey }) =>
      stateOf(runCounts, key) === 'running' && queueOf(runCounts, key) !== SUB_RUNS,
    isHeld: ({ context: { runCounts } }, { key }: { key: RunKey }) => stateOf(runCounts, key) === 'held',
    isKnown: ({ context: { runCounts } }, { key }: { key: RunKey }) => queueOf(runCounts, key) !== undefined,
    restartAllowed: ({ context }, { key, at }: { key: RunKey; at: number }) =>
      recent(context.restartedAt[runId(key)], at).length < RESTARTS
  },
  actions: {
    restartScheduler: enqueueActions(({ context, enqueue }, { at }: { at: number }) => {
      enqueue.assign({
        restartedAt: { ...context.restartedAt, scheduler: [...recent(context.restartedAt.scheduler, at), at] }
      })
      enqueue.spawnChild('scheduler', { id: 'scheduler', input: { at } })
    }),
    keepRequest: ({ context: { requests } }, { key, plan, at, known, only, queue }: RunInput & { queue: string }) =>
      requests.set(runId(key), {
        key,
        plan,
        at,
        queue,
        ...(known ? { known } : {}),
        ...(only === undefined ? {} : { only })
      }),
    dropRequest: ({ context: { requests } }, { key }: { key: RunKey }) => void requests.delete(runId(key)),
    openQueue: enqueueActions(({ context, enqueue, self }, { queue: name }: { queue: string }) => {
      if (queueId(name) in self.getSnapshot().children) return
      const holders = holdersOf(context.runCounts, name) // there are some when the previous queue actor has thrown
      enqueue.spawnChild('queue', queueOptions(name, context, holders))
    }),
    /** Refuses the pending requests of a queue that has thrown; the runs that waited in it are found again in the store. */
    noteQueueFault: enqueueActions(({ context: { requests }, enqueue }, { actorId }: { actorId: string }) => {
      for (const { key, queue } of requests.values())
        if (queueId(queue) === actorId)
          enqueue.raise({ type: 'start.refused', key, reason: 'queue_faulted', limit: 0, active: nobody })
    }),
    askStart: sendTo(
      (_, { queue }: Omit<StartRequested, 'active'>) => queueId(queue),
      (
        { context: { runCounts } },
        { key, queue, limit, singleton, exclusive, mayWait, waitsWhenFull = false, needs, priority, notBefore, at }
      ): StartRequested => ({
        type: 'start.requested',
        key,
        queue,
        limit,
        singleton,
        exclusive,
        mayWait,
        waitsWhenFull,
        ...placeOf({ needs, priority, notBefore }),
        at,
        active: countsOf(runCounts, key.name)
      })
    ),
    askEnqueue: sendTo(
      (_, { queue }: Omit<EnqueueRequested, 'active'>) => queueId(queue),
      (
        { context: { runCounts } },
        { key, queue, limit, bounded, singleton, needs, priority, notBefore, at }
      ): EnqueueRequested => ({
        type: 'enqueue.requested',
        key,
        queue,
        limit,
        bounded,
        singleton,
        ...placeOf({ needs, priority, notBefore }),
        at,
        active: countsOf(runCounts, key.name)
      })
    ),
    askPlace: sendTo(
      () => queueId(SUB_RUNS),
      (_, { key, needs, at }: { key: RunKey; needs?: WorkerNeeds; at: number }): StartRequested => ({
        type: 'start.requested',
        key,
        queue: SUB_RUNS,
        limit: -1,
        at,
        active: nobody,
        singleton: false,
        exclusive: false,
        mayWait: true,
        ...(needs ? { needs } : {})
      })
    ),
    notifyQueue: enqueueActions(
      (
        { context: { runCounts }, enqueue, self },
        { key, at, type }: { key: RunKey; at: number; type: 'slot.freed' | 'item.started' | 'item.withdrawn' }
      ) => {
        const name = queueOf(runCounts, key)
        const queue = name === undefined ? undefined : self.getSnapshot().children[queueId(name)]
        if (queue) enqueue.sendTo(queue, { type, key, at })
      }
    ),
    /** There may be thousands of runs: each queue is opened once and gets one event. */
    retakeSlots: enqueueActions(
      ({ context, enqueue, self }, { runs, placed = [], at }: Extract<EngineEvent, { type: 'runs.found' }>) => {
        if (context.fleet) for (const { key, placement } of placed) holdOn(context.fleet, key, placement)
        const keysOf = new Map<string, RunKey[]>()
        for (const { key, queue, held } of runs) {
          if (held) continue
          const keys = keysOf.get(queue)
          if (keys) keys.push(key)
          else keysOf.set(queue, [key])
        }
        const { children } = self.getSnapshot()
        for (const [name, keys] of keysOf) {
          if (!(queueId(name) in children)) enqueue.spawnChild('queue', queueOptions(name, context, []))
          enqueue.sendTo(queueId(name), { type: 'slots.retaken', keys, at })
        }
      }
    ),
    requeue: sendTo(
      (_, { queue }: Extract<EngineEvent, { type: 'item.found' }>) => queueId(queue),
      (_, { key, limit, order, needs, priority, notBefore, at }): QueueEvent => ({
        type: 'item.found',
        key,
        limit,
        order,
        ...placeOf({ needs, priority, notBefore }),
        at
      })
    ),
    holdQueues: enqueueActions(({ enqueue, self }) => {
      enqueue.assign({ held: true })
      for (const [id, child] of Object.entries(self.getSnapshot().children))
        if (id.startsWith('queue/') && child) enqueue.sendTo(child, { type: 'queue.held' } satisfies QueueEvent)
    }),
    noteAdmitted: ({ context: { runCounts, requests } }, { key }: { key: RunKey }) =>
      note(runCounts, key, requests.get(runId(key))?.queue ?? key.name, 'running'),
    noteQueued: ({ context: { runCounts, requests } }, { key }: { key: RunKey }) =>
      note(runCounts, key, requests.get(runId(key))?.queue ?? key.name, 'queued'),
    noteFound: (
      { context: { runCounts } },
      { key, queue, state }: { key: RunKey; queue: string; state: keyof Counts }
    ) => note(runCounts, key, queue, state),
    noteHolders: ({ context: { runCounts } }, { runs }: { runs: { key: RunKey; queue: string; held?: true }[] }) => {
      for (const { key, queue, held } of runs) note(runCounts, key, queue, held ? 'held' : 'running')
    },
    noteHeld: ({ context: { runCounts } }, { key }: { key: RunKey }) =>
      note(runCounts, key, queueOf(runCounts, key) ?? key.name, 'held'),
    /** A run has its slot again, even when others have taken it meanwhile. */
    takeBack: enqueueActions(({ context: { runCounts }, enqueue }, { key, at }: { key: RunKey; at: number }) => {
      const queue = queueOf(runCounts, key) ?? key.name
      enqueue.raise({ type: 'runs.found', runs: [{ key, queue }], at })
    }),
    noteDispatched: ({ context: { runCounts } }, { key }: { key: RunKey }) =>
      note(runCounts, key, queueOf(runCounts, key) ?? key.name, 'running'),
    noteGone: ({ context: { runCounts } }, { key }: { key: RunKey }) => forget(runCounts, key),
    /** A child that has ended stays until it is dropped; in place, because `stopChild` copies all the others. */
    drop: ({ self }, { actorId }: { actorId: string }) => {
      delete self.getSnapshot().children[actorId]
    },
    startRun: enqueueActions(({ context, enqueue }, { key, placement }: { key: RunKey; placement?: Placement }) => {
      const request = context.requests.get(runId(key))
      if (!request) return
      const { queue: _, ...input } = request
      enqueue.spawnChild('run', { id: runId(key), input: { ...input, ...placedOn({ placement }) } })
    }),
    goOn: enqueueActions(({ enqueue }, { key, plan, at, known, only, placement }: RunInput) => {
      const retry = { ...(known ? { known } : {}), ...(only === undefined ? {} : { only }) }
      enqueue.spawnChild('run', { id: runId(key), input: { key, plan, at, ...retry, ...placedOn({ placement }) } })
    }),
    /** Together, because each `spawnChild` copies all the others. */
    goOnTogether: assign(({ spawn }, { runs, at }: Extract<EngineEvent, { type: 'runs.restored' }>) => {
      for (const { key, plan } of runs) spawn('run', { id: runId(key), input: { key, plan, at } })
      return {}
    }),
    /** The run may have ended in the meantime: then there is nothing to stop. A sub run that waits for a worker has no actor yet. */
    endRun: enqueueActions(({ context: { runCounts }, enqueue, self }, { type, key, at, from }: RunEnding) => {
      const { children } = self.getSnapshot()
      const run = children[runId(key)]
      const line = queueOf(runCounts, key) === SUB_RUNS ? children[queueId(SUB_RUNS)] : undefined
      if (run) enqueue.sendTo(run, { type, at, ...(from ? { from } : {}) })
      else if (line) enqueue.sendTo(line, { type: 'item.withdrawn', key, at } satisfies QueueEvent)
    }),
    tellRun: enqueueActions(({ enqueue, self }, { key, ...event }: RunNews | (SignalGiven & { key: RunKey })) => {
      const run = self.getSnapshot().children[runId(key)]
      if (run) enqueue.sendTo(run, event)
    }),
    limitHandlers: enqueueActions(({ enqueue, self }, { at }: { at: number }) => {
      for (const [id, child] of Object.entries(self.getSnapshot().children))
        if (child && id.startsWith('run/')) enqueue.sendTo(child, { type: 'handlers.limited', at })
    }),
    noteRestart: assign({
      restartedAt: ({ context }, { key, at }: { key: RunKey; at: number }) => ({
        ...context.restartedAt,
        [runId(key)]: [...recent(context.restartedAt[runId(key)], at), at]
      })
    }),
    /** In place, because every run that ends passes through here. */
    forgetRestarts: ({ context: { restartedAt } }, { key }: { key: RunKey }) => {
      delete restartedAt[runId(key)]
    },
    /** Notes in the record of a run where it was placed, before it is started. */
    notePlaced: (_, _admission: { key: RunKey; placement?: Placement }) => {},
    /** Answers the caller. */
    answer: (_, _admission: AdmissionResult) => {},
    /** Reports which actor threw and when, as `run.faulted` or `scheduler.faulted`. */
    reportFault: (_, _fault: { actorId: string; error: unknown }) => {},
    /** Records the run as failed with the reason; its stored state is kept. */
    failRun: (_, _fault: { key: RunKey; at: number; error: string }) => {},
    /** Records the run as failed with the reason; the bytes of its state are kept. */
    failUnreadable: (_, _fault: { key: RunKey; at: number; error: string }) => {},
    /** Looks up what a dispatched item needs: `item.loaded` or `item.unreadable`. */
    loadItem: (_, _item: { key: RunKey; at: number; placement?: Placement }) => {},
    /** Removes a run that waited; one that waited for a retry becomes what it was before. */
    forgetItem: (_, _item: { key: RunKey; at: number }) => {},
    answerDequeue: (_, _answer: { key: RunKey; removed: boolean }) => {}
  }
})

export const engineSetup = setup({
  types: {} as { input: EngineInput; context: EngineContext; events: EngineEvent },
  actors: engineActors,
  guards: {
    ...runs.guards,
    ...workers.guards
  },
  actions: {
    ...runs.actions,
    ...workers.actions
  }
})
