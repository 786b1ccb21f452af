/** The engine machine driven by hand, on a stage: real queues and runs, a room that writes down what it is asked. */
import { createActor } from 'xstate'
import { type EngineEvent, engineMachine, runId } from '../../machines/engine.ts'
import { queueMachine, type Verdict } from '../../machines/queue.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import type { Plan } from '../../machines/vocabulary.ts'
import { runOn } from './charts.ts'
import { key, plan, step } from './plans.ts'
import { openStage } from './stage.ts'

type Faulted = Extract<EngineEvent, { type: 'run.faulted' }>
const onlyStep = plan([step('a')])

/** Runs have one step, `a`. @param settlesFaults reports each fault of a run at once, as `run.faulted` */
export function driveEngine({ settlesFaults = true } = {}) {
  const stage = openStage()
  const verdicts: Verdict[] = []
  const faults: { actorId: string; error: unknown }[] = []
  const parked: { error: string; at: number }[] = []
  let fault: unknown
  const logic = engineMachine.provide({
    actors: {
      scheduler: schedulerMachine.provide({ actors: { alarm: stage.companion('alarm') } as never }),
      queue: queueMachine,
      run: runOn(stage)
    },
    actions: {
      answer: (_, verdict) => void verdicts.push(verdict),
      reportFault(_, { actorId, error }) {
        faults.push({ actorId, error })
        if (actorId === 'scheduler') actor.send({ type: 'scheduler.faulted', at: stage.now })
        else if (settlesFaults && actorId.startsWith('run/')) engine.faulted(actorId)
      },
      parkRun: (_, { error, at }) => void parked.push({ error, at })
    }
  })
  const actor = createActor(logic, { input: { at: stage.now } })
  actor.subscribe({
    error: (error) => {
      fault = error
    }
  })
  const engine = {
    stage,
    actor,
    verdicts,
    faults,
    parked,
    /** What took the engine down. */
    fault: () => fault,
    children: () => Object.keys(actor.getSnapshot().children),
    /** The room says that a run has thrown. @param id such as `run/dag/r1` */
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
      const given = { ...onlyStep, ...of }
      const { name, maxActiveRuns: limit } = given
      actor.send({ type: 'start.requested', key: { name, dagRunId }, plan: given, limit, singleton, at: stage.now })
    },
    /** The queue throws at the next event that it is sent. */
    breaksQueue(name: string) {
      const transition = () => {
        throw new Error('defect')
      }
      Object.assign(actor.getSnapshot().children[`queue/${name}`] ?? {}, { logic: { transition } })
    },
    finds: (dagRunId: string) =>
      actor.send({ type: 'run.found', key: key(dagRunId), plan: onlyStep, at: stage.now, isSub: false }),
    stops: (dagRunId: string) => actor.send({ type: 'run.stop', key: key(dagRunId), at: stage.now }),
    prepares: (dagRunId: string) => stage.the('preparation', runId(key(dagRunId))).answer('run.prepared'),
    ends: (exitCode = 0) => stage.the('attempt').answer('attempt.ended', { exitCode })
  }
  actor.start()
  return engine
}

export const types = (verdicts: Verdict[]) => verdicts.map(({ type }) => type)
