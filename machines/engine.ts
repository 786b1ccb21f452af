/** The root of the system: spawns the scheduler, queues and runs, and says what happens when one of them fails. Source: architecture 3. */
import { assign, enqueueActions, sendTo, setup, stopChild } from 'xstate'
import { type QueueEvent, queueMachine, type StartRequested, type Verdict } from './queue.ts'
import { type RunInput, type RunOutput, runMachine } from './run.ts'
import { schedulerMachine } from './scheduler.ts'
import type { Plan, RunKey } from './vocabulary.ts'

export interface EngineInput {
  at: number
}
export interface EngineContext {
  at: number
  /** When each run that threw was restored, for the limit of restarts. */
  restarts: Record<string, number[]>
  /** What runs were let go with, from their request to their first transition. */
  requests: Record<string, RunInput>
  /** Names of queues that have thrown: the next one of the name counts the runs that hold its slots. */
  faultedQueues: string[]
  /** Open sub DAG runs by `runId`: they hold no slot of a queue. */
  subRuns: Record<string, true>
}

export type EngineEvent =
  | (StartRequested & RunInput)
  /** A node calls a sub workflow. Sub DAG runs know no queue and no limit. */
  | ({ type: 'sub.requested' } & RunInput)
  | Verdict
  /** A run that was open when the last engine ended; the room for `run` has its state at hand. */
  | { type: 'run.found'; key: RunKey; plan: Plan; at: number; isSub: boolean }
  | { type: 'run.stop'; key: RunKey; at: number }
  | { type: 'run.kill'; key: RunKey; at: number }
  | { type: `xstate.done.actor.${string}`; actorId: string; output: RunOutput }
  | { type: `xstate.error.actor.${string}`; actorId: string; error: unknown }
  /** The room's word on a child that threw: who it was, and when. */
  /** A run that threw cannot be restored: nothing of it was stored, or it is not readable. */
  | { type: 'run.lost'; key: RunKey; at: number; error: string }
  | { type: 'scheduler.faulted'; at: number }
  | { type: 'run.faulted'; key: RunKey; plan: Plan; at: number; error: string }

/** Restarts of one run within this time; one more parks it as failed. */
const RESTARTS = 3
const WITHIN_MS = 60_000

/** A run's name in the system; also its address in the journal. */
export const runId = ({ name, dagRunId }: RunKey): string => `run/${name}/${dagRunId}`
export const queueId = (name: string): string => `queue/${name}`
const recent = (restarts: number[] | undefined, at: number) => (restarts ?? []).filter((then) => at - then < WITHIN_MS)

export const engineMachine = setup({
  types: {} as { input: EngineInput; context: EngineContext; events: EngineEvent },
  actors: { scheduler: schedulerMachine, queue: queueMachine, run: runMachine },
  guards: {
    isRun: (_, { type }: { type: string }) => type.includes('.actor.run/'),
    isQueue: (_, { type }: { type: string }) => type.includes('.actor.queue/'),
    schedulerMayRestart: ({ context }, { at }: { at: number }) =>
      recent(context.restarts.scheduler, at).length < RESTARTS,
    isSub: (_, { isSub }: { isSub: boolean }) => isSub,
    restartAllowed: ({ context }, { key, at }: { key: RunKey; at: number }) =>
      recent(context.restarts[runId(key)], at).length < RESTARTS
  },
  actions: {
    restartScheduler: enqueueActions(({ context, enqueue }, { at }: { at: number }) => {
      enqueue.assign({ restarts: { ...context.restarts, scheduler: [...recent(context.restarts.scheduler, at), at] } })
      enqueue.spawnChild('scheduler', { id: 'scheduler', input: { at } })
    }),
    keepRequest: assign({
      requests: ({ context }, { key, plan, at, known, only }: RunInput) => ({
        ...context.requests,
        [runId(key)]: { key, plan, at, ...(known ? { known } : {}), ...(only === undefined ? {} : { only }) }
      })
    }),
    dropRequest: assign({
      requests: ({ context }, { key }: { key: RunKey }) => {
        const { [runId(key)]: _, ...others } = context.requests
        return others
      }
    }),
    openQueue: enqueueActions(({ context, enqueue, self }, { key: { name } }: { key: RunKey }) => {
      const { faultedQueues, subRuns } = context
      const { children } = self.getSnapshot()
      if (queueId(name) in children) return
      const hasFaulted = faultedQueues.includes(name)
      const holdsSlot = (id: string) => id.startsWith(`run/${name}/`) && !(id in subRuns)
      const running = hasFaulted ? Object.keys(children).filter(holdsSlot).length : 0
      if (hasFaulted) enqueue.assign({ faultedQueues: faultedQueues.filter((other) => other !== name) })
      enqueue.spawnChild('queue', { id: queueId(name), input: { name, running } })
    }),
    /** Those who asked a queue that has thrown are told so; its slots are counted anew. */
    noteQueueFault: enqueueActions(
      ({ context: { requests, faultedQueues }, enqueue }, { actorId }: { actorId: string }) => {
        for (const { key } of Object.values(requests))
          if (queueId(key.name) === actorId)
            enqueue.raise({ type: 'start.refused', key, reason: 'queue_faulted', limit: 0, running: 0 })
        enqueue.assign({ faultedQueues: [...faultedQueues, actorId.slice(queueId('').length)] })
      }
    ),
    askQueue: sendTo(
      (_, { key }: StartRequested) => queueId(key.name),
      (_, { type, key, limit, singleton, at }: StartRequested): QueueEvent => ({ type, key, limit, singleton, at })
    ),
    retakeSlot: sendTo((_, { key }: { key: RunKey }) => queueId(key.name), { type: 'slot.retaken' }),
    /** An actor that has ended stays a child until it is dropped. */
    drop: stopChild((_, { actorId }: { actorId: string }) => actorId),
    freeSlot: enqueueActions(({ context: { subRuns }, enqueue, self }, { key }: { key: RunKey }) => {
      const { [runId(key)]: isSub, ...others } = subRuns
      if (isSub) return enqueue.assign({ subRuns: others })
      const queue = self.getSnapshot().children[queueId(key.name)]
      if (queue) enqueue.sendTo(queue, { type: 'slot.freed' })
    }),
    noteSub: assign({
      subRuns: ({ context }, { key }: { key: RunKey }) => ({ ...context.subRuns, [runId(key)]: true as const })
    }),
    letGo: enqueueActions(({ context, enqueue }, { key }: { key: RunKey }) => {
      const input = context.requests[runId(key)]
      if (input) enqueue.spawnChild('run', { id: runId(key), input })
    }),
    goOn: enqueueActions(({ enqueue }, { key, plan, at, known }: RunInput) => {
      enqueue.spawnChild('run', { id: runId(key), input: { key, plan, at, ...(known ? { known } : {}) } })
    }),
    /** A run may have ended since it was asked to: then there is nothing to stop. */
    stopRun: enqueueActions(({ enqueue, self }, { key, at }: { key: RunKey; at: number }) => {
      const run = self.getSnapshot().children[runId(key)]
      if (run) enqueue.sendTo(run, { type: 'run.stop', at })
    }),
    killRun: enqueueActions(({ enqueue, self }, { key, at }: { key: RunKey; at: number }) => {
      const run = self.getSnapshot().children[runId(key)]
      if (run) enqueue.sendTo(run, { type: 'run.kill', at })
    }),
    noteRestart: assign({
      restarts: ({ context }, { key, at }: { key: RunKey; at: number }) => ({
        ...context.restarts,
        [runId(key)]: [...recent(context.restarts[runId(key)], at), at]
      })
    }),
    forgetRestarts: assign({
      restarts: ({ context }, { key }: { key: RunKey }) => {
        const { [runId(key)]: _, ...others } = context.restarts
        return others
      }
    }),
    /** Tells who asked. */
    answer: (_, _verdict: Verdict) => {},
    /** Says who threw and when, as `run.faulted` or `scheduler.faulted`. */
    reportFault: (_, _fault: { actorId: string; error: unknown }) => {},
    /** Records the run as failed with the reason; its state is kept as it was. */
    parkRun: (_, _fault: { key: RunKey; at: number; error: string }) => {}
  }
}).createMachine({
  id: 'engine',
  description: 'The root of the system. It never ends by itself, and no run, queue or scheduler takes it down.',
  context: ({ input }) => ({ ...input, restarts: {}, requests: {}, faultedQueues: [], subRuns: {} }),
  initial: 'supervising',
  states: {
    supervising: {
      description: 'Requests go to their queue, admitted runs are let go, ended ones give their slot back.',
      invoke: { id: 'scheduler', src: 'scheduler', input: ({ context: { at } }) => ({ at }) },
      on: {
        'start.requested': {
          actions: [
            { type: 'keepRequest', params: ({ event }) => event },
            { type: 'openQueue', params: ({ event }) => event },
            { type: 'askQueue', params: ({ event }) => event }
          ]
        },
        'start.admitted': {
          actions: [
            { type: 'letGo', params: ({ event }) => event },
            { type: 'dropRequest', params: ({ event }) => event },
            { type: 'answer', params: ({ event }) => event }
          ]
        },
        'start.refused': {
          actions: [
            { type: 'dropRequest', params: ({ event }) => event },
            { type: 'answer', params: ({ event }) => event }
          ]
        },
        'sub.requested': {
          description: 'A node calls a sub workflow: it is let go at once.',
          actions: [
            { type: 'noteSub', params: ({ event }) => event },
            { type: 'goOn', params: ({ event }) => event }
          ]
        },
        'run.found': [
          {
            guard: { type: 'isSub', params: ({ event }) => event },
            actions: [
              { type: 'noteSub', params: ({ event }) => event },
              { type: 'goOn', params: ({ event }) => event }
            ]
          },
          {
            actions: [
              { type: 'openQueue', params: ({ event }) => event },
              { type: 'retakeSlot', params: ({ event }) => event },
              { type: 'goOn', params: ({ event }) => event }
            ]
          }
        ],
        'run.stop': { actions: { type: 'stopRun', params: ({ event }) => event } },
        'run.kill': { actions: { type: 'killRun', params: ({ event }) => event } },
        'xstate.done.actor.*': [
          {
            description: 'A run has ended.',
            guard: { type: 'isRun', params: ({ event }) => event },
            actions: [
              { type: 'drop', params: ({ event }) => event },
              { type: 'freeSlot', params: ({ event }) => event.output },
              { type: 'forgetRestarts', params: ({ event }) => event.output }
            ]
          },
          { description: 'A queue has drained.', actions: { type: 'drop', params: ({ event }) => event } }
        ],
        'xstate.error.actor.*': [
          {
            description: 'A queue has thrown: the next request opens it anew, with the slots that are taken.',
            guard: { type: 'isQueue', params: ({ event }) => event },
            actions: [
              { type: 'drop', params: ({ event }) => event },
              { type: 'noteQueueFault', params: ({ event }) => event },
              { type: 'reportFault', params: ({ event }) => event }
            ]
          },
          {
            description: 'A run or the scheduler has thrown: the room says which, and when.',
            actions: [
              { type: 'drop', params: ({ event }) => event },
              { type: 'reportFault', params: ({ event }) => event }
            ]
          }
        ],
        'run.lost': {
          description: 'There is nothing to restore it from: it is parked as failed, with the reason.',
          actions: [
            { type: 'parkRun', params: ({ event }) => event },
            { type: 'freeSlot', params: ({ event }) => event },
            { type: 'forgetRestarts', params: ({ event }) => event }
          ]
        },
        'scheduler.faulted': [
          {
            description: 'A scheduler that throws is started anew, at most 3 times in 60 s.',
            guard: { type: 'schedulerMayRestart', params: ({ event }) => event },
            actions: { type: 'restartScheduler', params: ({ event }) => event }
          },
          { description: 'After that it is given up: health says that it does not tick.' }
        ],
        'run.faulted': [
          {
            description: 'A run that throws is restored from what is stored, at most 3 times in 60 s.',
            guard: { type: 'restartAllowed', params: ({ event }) => event },
            actions: [
              { type: 'noteRestart', params: ({ event }) => event },
              { type: 'goOn', params: ({ event }) => event }
            ]
          },
          {
            description: 'After that it is parked as failed, with the reason.',
            actions: [
              { type: 'parkRun', params: ({ event }) => event },
              { type: 'freeSlot', params: ({ event }) => event },
              { type: 'forgetRestarts', params: ({ event }) => event }
            ]
          }
        ]
      }
    }
  }
})
