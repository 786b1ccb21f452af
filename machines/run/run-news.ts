/**
 * Guards and actions of the run chart: what a run hears from outside beside requests to stop. A signal that comes before its step is kept,
 * and the step gets it when it starts. Of the loss of its worker its nodes hear and decide for themselves; the run asks for another worker,
 * once it is certain that nothing of it is at work on the lost one. With another version of its code it waits for its own.
 * Source: embedding 2.5; distribution 4; docs/embedding/upgrades.md.
 */
import { assign, enqueueActions, sendTo } from 'xstate'
import {
  lossOf,
  type NodeInput,
  type SignalGiven,
  type WorkerLost,
  type WorkerNews,
  type WorkerReplaced
} from '../node/node-context.ts'
import { lossText } from '../node/node-losses.ts'
import { isLeftOut, startNoMore } from '../policy/readiness.ts'
import { type SignalFate, signalFate } from '../policy/waits.ts'
import type { KeptSignal, Step } from '../vocabulary.ts'
import { interruption, nodeId, placedOn, type RunContext, runTopic, type SupersededFrom } from './run-context.ts'

type Signals = NonNullable<RunContext['given']>

/** What a run says to a signal for one of its steps; a step that the run does not have is no step that waits. */
export function fateOfSignal(
  { plan, runState, given, stop, killed, only }: RunContext,
  step: string,
  id?: string
): SignalFate {
  const index = plan.steps.findIndex(({ name }) => name === step)
  const isOver = stop !== undefined || killed === true || isLeftOut(only, index)
  return signalFate({ given, status: runState.status[index] ?? 'skipped', isOver }, step, id)
}

/** The signal for a step that starts, and the signals that are left: of the one that was taken, that it was given. */
export function takeSignal(
  given: Signals | undefined,
  { name }: Step
): [Pick<NodeInput, 'given' | 'output' | 'outputMarks'>, Signals | undefined] {
  const kept = given && Object.hasOwn(given, name) ? given[name] : undefined
  if (kept?.output === undefined) return [{}, given]
  const { output, outputMarks, ...signal } = kept
  return [
    { given: signal, output, ...(outputMarks ? { outputMarks } : {}) },
    { ...given, [name]: signal }
  ]
}

/** Times that a run is prepared again after the loss of a worker. */
const REQUEUES = 3

const errorOf = ({ loss }: RunContext) => (loss ? lossText(loss) : 'worker lost')

export const news = runTopic({
  guards: {
    takesSignal: ({ context }, { step, id }: SignalGiven) => fateOfSignal(context, step, id) === 'taken',
    waitsForWorker: ({ context: { plan } }) => plan.onWorkerLost === 'wait',
    mayMove: ({ context: { plan, requeues = 0 } }) => plan.onWorkerLost === 'requeue' && requeues < REQUEUES,
    /** The run may begin on another worker: the present one has nothing of it at work. */
    isFenced: ({ context: { loss } }) => loss?.isFenced === true,
    waitsForPlace: ({ context: { loss } }) => loss?.isWaiting === true,
    hasAsked: ({ context: { loss } }) => loss?.isFenced === true && loss.isWaiting === true,
    supersededIn: ({ context: { superseded } }, { from }: { from: SupersededFrom }) => superseded?.from === from
  },
  actions: {
    /** Keeps a signal without its payload where its step is there to take it. */
    keepSignal: assign(({ context: { given, plan, runState } }, { type: _type, step, ...signal }: SignalGiven) => {
      const { output: _output, outputMarks: _marks, ...taken } = signal
      const isThere = runState.status[plan.steps.findIndex(({ name }) => name === step)] === 'running'
      const kept: KeptSignal = isThere ? taken : signal
      return { given: { ...given, [step]: kept } }
    }),
    passSignal: enqueueActions(({ context: { plan }, enqueue, self }, signal: SignalGiven) => {
      const index = plan.steps.findIndex(({ name }) => name === signal.step)
      const step = plan.steps[index]
      const node = step && self.getSnapshot().children[nodeId(index, step)]
      if (node) enqueue.sendTo(node, signal)
    }),
    noteLoss: assign(({ context }, lost: WorkerLost) => ({
      loss: {
        ...lossOf(lost),
        // Told again after a restart of the engine.
        ...(context.loss?.isWaiting ? { isWaiting: true as const } : {})
      }
    })),
    noteBack: assign({ loss: undefined }),
    notePlacement: assign((_, replaced: WorkerReplaced) => placedOn(replaced)),
    noteFenced: assign(({ context: { loss } }) => (loss ? { loss: { ...loss, isFenced: true as const } } : {})),
    noteWanted: assign(({ context: { loss } }) => (loss ? { loss: { ...loss, isWaiting: true as const } } : {})),
    noteMove: assign({ requeues: ({ context: { requeues = 0 } }) => requeues + 1 }),
    askPlacement: enqueueActions(({ context: { key }, enqueue, self }, { at }: { at: number }) => {
      const engine = self._parent
      if (engine) enqueue.sendTo(engine, { type: 'placement.wanted', key, at })
    }),
    noteLostFault: assign(({ context }, { at }: { at: number }) => ({ at, error: errorOf(context) })),
    noteUnmet: assign(({ context: c }, { at }: { at: number }) => ({
      at,
      conditions: c.plan.preconditions.map(() => ({ matched: false, error: errorOf(c) }))
    })),
    /** To each node at work, and to a handler. */
    passOn: enqueueActions(({ context: { runState, plan, handler }, enqueue, self }, news: WorkerLost | WorkerNews) => {
      const { children } = self.getSnapshot()
      for (const index of runState.active) {
        const step = plan.steps[index]
        const node = step && children[nodeId(index, step)]
        if (node) enqueue.sendTo(node, news)
      }
      const last = handler === undefined ? undefined : children[`handler/${handler}`]
      if (last) enqueue.sendTo(last, news)
    }),
    noteSuperseded: assign(
      (_, { version, wanted, from }: { version: string; wanted: string; from: SupersededFrom }) => ({
        superseded: { version, wanted, from }
      })
    ),
    noteNewest: assign(({ context: { superseded } }, { version }: { version: string }) =>
      superseded ? { superseded: { ...superseded, version } } : {}
    ),
    // D1233: a run that waits for its version holds no place; one that lacks code keeps it
    /** Others may have its place in its queue meanwhile. A sub DAG run has none. */
    leavePlace: enqueueActions(({ context: { key }, enqueue, self }, { at }: { at: number }) => {
      const engine = self._parent
      if (engine) enqueue.sendTo(engine, { type: 'run.superseded', key, at })
    }),
    takePlace: enqueueActions(({ context: { key }, enqueue, self }, { at }: { at: number }) => {
      const engine = self._parent
      if (engine) enqueue.sendTo(engine, { type: 'run.continued', key, at })
    }),
    forgetSuperseded: assign(() => ({ superseded: undefined })),
    startNoMore: ({ context: { runState } }) => startNoMore(runState),
    /** The executions of the nodes are left as they are. There are none in a run that has just been restored. */
    leaveNodes: enqueueActions(({ context: { runState, plan }, enqueue, self }) => {
      const { children } = self.getSnapshot()
      for (const index of runState.active) {
        const step = plan.steps[index]
        if (step && nodeId(index, step) in children) enqueue.stopChild(nodeId(index, step))
      }
    }),
    /** Each continues from what is stored of it. */
    resumeNodes: assign(({ context, spawn }) => {
      const { key, plan, runState, at, only } = context
      const alone = typeof only === 'number' ? { ignoresRetry: true } : {}
      for (const index of runState.active) {
        const step = plan.steps[index]
        if (!step) continue
        const { cleanUpMs = plan.cleanUpMs } = step
        const input = { run: key, place: index, step, cleanUpMs, at, ...interruption(context, step), ...alone }
        spawn('node', { id: nodeId(index, step), input })
      }
      return {}
    }),
    /** Whole: the step that waits for it has no actor now. */
    keepWhole: assign(({ context: { given } }, { type: _type, step, ...signal }: SignalGiven) => ({
      given: { ...given, [step]: signal }
    })),
    /** Signals that came meanwhile, for steps that are there again. */
    giveKept: enqueueActions(({ context: { given = {}, plan, runState }, enqueue, self }) => {
      const left = { ...given }
      for (const index of runState.active) {
        const { name: step = '' } = plan.steps[index] ?? {}
        const kept = Object.hasOwn(given, step) ? given[step] : undefined
        if (kept?.output === undefined) continue
        delete left[step]
        enqueue.sendTo(self, { type: 'signal.given', step, ...kept, output: kept.output })
      }
      if (Object.keys(left).length < Object.keys(given).length) enqueue.assign({ given: left })
    }),
    sendAgain: sendTo(
      ({ self }) => self,
      ({ event }) => event
    )
  }
})
