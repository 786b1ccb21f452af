/** The engine machine driven by hand, on a stage: real queues and runs, and actions that note their calls. */
import { createActor, type InspectionEvent } from 'xstate'
import { type EngineEvent, engineMachine, runId } from '../../../machines/engine.ts'
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { AdmissionResult } from '../../../machines/queue.ts'
import { schedulerMachine } from '../../../machines/scheduler.ts'
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import type { Placement, Plan, RunKey } from '../../../machines/vocabulary.ts'
import { runLogic } from './charts.ts'
import { queueLogic } from './driven-queue.ts'
import { key, plan, step } from './plans.ts'
import { invokedActors, onStage, openStage } from './stage.ts'

type Faulted = Extract<EngineEvent, { type: 'run.faulted' }>
const onlyStep = plan([step('a')])
const schedulerLogic = schedulerMachine.provide({ actors: invokedActors('alarm', 'timetable') })

/** Runs have one step, `a`. @param settlesFaults reports each fault of a run at once, as `run.faulted` */
export function driveEngine({
  settlesFaults = true,
  queues = {},
  lease,
  inspect
}: {
  settlesFaults?: boolean
  queues?: Record<string, number>
  /** There are workers; the first placement gets the next number. */
  lease?: number
  inspect?: (event: InspectionEvent) => void
} = {}) {
  const stage = openStage()
  const results: AdmissionResult[] = []
  const faults: { actorId: string; error: unknown }[] = []
  const failed: { error: string; at: number }[] = []
  /** Ids that were to be looked up, and to be forgotten. */
  const due: string[] = []
  const forgotten: string[] = []
  const dequeued: boolean[] = []
  /** Where runs were placed, by id. */
  const placed = new Map<string, Placement>()
  const notePlaced = ({ dagRunId }: RunKey, placement?: Placement) =>
    void (placement && placed.set(dagRunId, placement))
  const placedOn = (id: string) => [...placed].filter(([, one]) => one.id === id).map(([dagRunId]) => key(dagRunId))
  let fault: unknown
  const logic = engineMachine.provide({
    actors: {
      scheduler: schedulerLogic,
      queue: queueLogic,
      run: runLogic
    },
    actions: {
      answer: (_, result) => void results.push(result),
      reportFault(_, { actorId, error }) {
        faults.push({ actorId, error })
        if (actorId === 'scheduler') actor.send({ type: 'scheduler.faulted', at: stage.now })
        else if (settlesFaults && actorId.startsWith('run/')) engine.faulted(actorId)
      },
      notePlaced: (_, { key, placement }) => notePlaced(key, placement),
      loadItem(_, { key, placement }) {
        due.push(key.dagRunId)
        notePlaced(key, placement)
      },
      forgetItem: (_, { key }) => void forgotten.push(key.dagRunId),
      lookUpNeeds: (_, { key, at }) =>
        actor.send({ type: 'move.requested', key, needs: { labels: { zone: 'a' }, executors: ['shell'] }, at }),
      noteMoved: (_, { key, placement }) => notePlaced(key, placement),
      answerDequeue: (_, { removed }) => void dequeued.push(removed),
      failRun: (_, { error, at }) => void failed.push({ error, at }),
      failUnreadable: (_, { error, at }) => void failed.push({ error, at })
    }
  })
  const actor = onStage(
    stage,
    createActor(logic, {
      input: { at: stage.now, queues, ...(lease === undefined ? {} : { fleet: { lease } }) },
      ...(inspect ? { inspect } : {})
    })
  )
  actor.subscribe({
    error: (error) => {
      fault = error
    }
  })
  const engine = {
    stage,
    actor,
    results,
    faults,
    failed,
    due,
    forgotten,
    dequeued,
    placed,
    /** What took the engine down. */
    fault: () => fault,
    children: () => Object.keys(actor.getSnapshot().children),
    /** Reports that a run has thrown. @param id such as `run/dag/r1` */
    faulted(id: string) {
      const [, name = '', dagRunId = ''] = id.split('/')
      const event: Faulted = {
        type: 'run.faulted',
        key: { name, dagRunId },
        plan: onlyStep,
        at: stage.now,
        error: 'it threw'
      }
      actor.send(event)
    },
    starts(dagRunId: string, of: Partial<Plan> = {}, singleton = false) {
      const whole = { ...onlyStep, ...of }
      const { name, maxActiveRuns: limit } = whole
      const asked = { key: { name, dagRunId }, plan: whole, queue: whole.queue ?? name, limit, at: stage.now }
      actor.send({
        type: 'start.requested',
        ...asked,
        singleton,
        exclusive: false,
        mayWait: true,
        ...needsOf(whole)
      })
    },
    enqueues(dagRunId: string, of: Partial<Plan> = {}, bounded = false) {
      const whole = { ...onlyStep, ...of }
      const { name, maxActiveRuns: limit } = whole
      const asked = { key: { name, dagRunId }, plan: whole, queue: whole.queue ?? name, limit, at: stage.now }
      actor.send({ type: 'enqueue.requested', ...asked, bounded, singleton: false, ...needsOf(whole) })
    },
    /** A node calls a workflow with the selector `zone: <zone>`. @param around homes of the workers that its callers are on */
    calls: (dagRunId: string, zone: string, around: string[] = []) =>
      actor.send({
        type: 'sub.requested',
        key: key(dagRunId),
        plan: onlyStep,
        at: stage.now,
        needs: { labels: { zone }, executors: ['shell'], around }
      }),
    /** A worker takes runs. */
    works: (id: string, of: Partial<FleetWorker> = {}) =>
      actor.send({ type: 'worker.changed', worker: fleetWorker(id, of), at: stage.now }),
    /** It is lost, with the runs that were placed on it. */
    loses: (id: string) =>
      actor.send({
        type: 'worker.lost',
        home: `home-${id}`,
        keys: placedOn(id),
        at: stage.now,
        worker: id,
        silentMs: 30_000,
        fencedAt: stage.now + 30_000
      }),
    fences: (id: string) =>
      actor.send({ type: 'worker.fenced', home: `home-${id}`, keys: placedOn(id), at: stage.now }),
    isBack: (id: string) => actor.send({ type: 'worker.back', home: `home-${id}`, keys: placedOn(id), at: stage.now }),
    wants: (dagRunId: string) => actor.send({ type: 'placement.wanted', key: key(dagRunId), at: stage.now }),
    leaves: (id: string) => actor.send({ type: 'worker.gone', home: `home-${id}`, at: stage.now }),
    /** What the item needs has been loaded. */
    loads: (dagRunId: string) => engine.loadsOf(key(dagRunId)),
    loadsOf: (key: RunKey) => actor.send({ type: 'item.loaded', key, plan: onlyStep, at: stage.now }),
    cannotLoad: (dagRunId: string) =>
      actor.send({ type: 'item.unreadable', key: key(dagRunId), at: stage.now, error: 'gone' }),
    dequeues: (dagRunId: string) => actor.send({ type: 'dequeue.requested', key: key(dagRunId), at: stage.now }),
    /** The queue throws at the next event that it is sent. */
    breaksQueue(name: string) {
      const transition = () => {
        throw new Error('defect')
      }
      Object.assign(actor.getSnapshot().children[`queue/${name}`] ?? {}, { logic: { transition } })
    },
    /** They were running when the last engine ended, in the queue `dag`. */
    finds: (...dagRunIds: string[]) =>
      actor.send({
        type: 'runs.found',
        runs: dagRunIds.map((dagRunId) => ({ key: key(dagRunId), queue: 'dag' })),
        at: stage.now
      }),
    /** Their states are known outside the chart. */
    restores: (...dagRunIds: string[]) =>
      actor.send({
        type: 'runs.restored',
        runs: dagRunIds.map((dagRunId) => ({ key: key(dagRunId), plan: onlyStep })),
        at: stage.now
      }),
    /** What was stored of it cannot be used. */
    cannotRestore: (dagRunId: string) =>
      actor.send({ type: 'run.unreadable', key: key(dagRunId), at: stage.now, error: 'not readable' }),
    stops: (dagRunId: string) => actor.send({ type: 'run.stop', key: key(dagRunId), at: stage.now }),
    prepares: (dagRunId: string) => stage.the('preparation', runId(key(dagRunId))).answer('run.prepared'),
    ends: (exitCode = 0) => stage.the('attempt').answer('attempt.ended', { exitCode })
  }
  actor.start()
  return engine
}

const needsOf = (plan: Plan) => {
  const needs = workerNeeds(plan)
  return needs ? { needs } : {}
}

/** A healthy worker in zone a with one slot. */
export const fleetWorker = (id: string, of: Partial<FleetWorker> = {}): FleetWorker => ({
  home: `home-${id}`,
  id,
  labels: { zone: 'a' },
  slots: 1,
  executors: ['shell'],
  isTaking: true,
  ...of
})

export const types = (results: AdmissionResult[]) => results.map(({ type }) => type)
