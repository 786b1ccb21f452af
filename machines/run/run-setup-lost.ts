/**
 * Guards and actions of the run chart: what becomes of it when its worker is lost. Its nodes hear of it and decide for themselves; the
 * run asks for another worker, once it is certain that nothing of it is at work on the lost one. `run-setup.ts` adds to them.
 * Source: distribution 4.
 */
import { assign, enqueueActions } from 'xstate'
import { lossOf } from '../node/node-context.ts'
import type { WorkerLost, WorkerNews, WorkerReplaced } from '../node/node-events.ts'
import { lossText } from '../node/node-setup-lost.ts'
import { nodeId, placedOn, type RunContext } from './run-context.ts'
import { signalsSetup } from './run-setup-signals.ts'

/** Times that a run is prepared anew after the loss of a worker. */
const REQUEUES = 3

const errorOf = ({ loss }: RunContext) => (loss ? lossText(loss) : 'worker lost')

export const lostSetup = signalsSetup.extend({
  guards: {
    waitsForWorker: ({ context: { plan } }) => plan.onWorkerLost === 'wait',
    mayMove: ({ context: { plan, requeues = 0 } }) => plan.onWorkerLost === 'requeue' && requeues < REQUEUES,
    /** It may begin on another one: the present one has nothing of it at work. */
    isFenced: ({ context: { loss } }) => loss?.isFenced === true,
    waitsForPlace: ({ context: { loss } }) => loss?.isWaiting === true,
    hasAsked: ({ context: { loss } }) => loss?.isFenced === true && loss.isWaiting === true
  },
  actions: {
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
    })
  }
})
