/**
 * The setup of the run chart. Its own guards and actions are about which nodes start, what stops them, the time limit and the status;
 * `run-handlers.ts` and `run-news.ts` have those of their topics. Source: execution-semantics 5, 7.
 */
import { assign, enqueueActions, sendTo, setup } from 'xstate'
import type { EndStatus } from '../policy/outcome.ts'
import { cancelPending, close, type RunState, resolve, startNoMore, takeReady } from '../policy/readiness.ts'
import type { AlarmRang } from '../slots.ts'
import type { ConditionResult, RunStatus, Stopper } from '../vocabulary.ts'
import {
  indexOfNode,
  interruption,
  type KillRequest,
  type NodeEnded,
  type NodeFaulted,
  nodeId,
  nodeKill,
  outcomeOf,
  type RunContext,
  type RunEvent,
  type RunInput,
  type RunOutput,
  runActors,
  runTopic
} from './run-context.ts'
import { handlers } from './run-handlers.ts'
import { news, takeSignal } from './run-news.ts'

/** Name of the alarm that ends the initial delay: the time limit of the run may come first. */
export const DELAY = 'delay'
const seconds = (ms: number) => ms / 1_000

const nodes = runTopic({
  guards: {
    stopAsked: ({ context }) => context.stop !== undefined,
    hasConditions: ({ context }) => context.plan.preconditions.length > 0,
    conditionsMet: (_, { met }: { met: boolean }) => met,
    // D33: `delaySec` is waited after the preconditions of the DAG
    hasDelay: ({ context }) => context.plan.delayMs > 0,
    metWithDelay: ({ context }, { met }: { met: boolean }) => met && context.plan.delayMs > 0,
    delayOver: (_, { name }: AlarmRang) => name === DELAY,
    /** Every node is resolved, and there is neither a handler to start nor a time limit to cancel. */
    allDone: ({ context: { plan, runState } }) =>
      // D718: a run without handlers and timeout skips a state
      runState.open === 0 && plan.timeoutMs === 0 && Object.keys(plan.handlers).length === 0,
    allResolved: ({ context: { runState } }) => runState.open === 0,
    noneActive: ({ context: { runState } }) => runState.active.size === 0,
    holdsContainer: ({ context: { plan, released, loss } }) => plan.container !== undefined && !released && !loss,
    endsAs: ({ context: c }, { status }: { status: EndStatus }) => outcomeOf(c) === status
  },
  actions: {
    noteTime: assign((_, { at }: { at: number }) => ({ at })),
    // D1232: `stoppedBy` is the first who asked
    noteStop: assign(({ context: { runState, stop, stoppedBy } }, { at, from }: { at: number; from?: Stopper }) => {
      startNoMore(runState)
      const isFirst = stop !== 'request' && stoppedBy === undefined
      return { at, stop: 'request' as const, ...(isFirst && from ? { stoppedBy: from } : {}) }
    }),
    noteTimeout: assign(({ context: { plan } }, { at }: { at: number }) => ({
      at,
      stop: 'timeout' as const,
      error: `run timed out after ${seconds(plan.timeoutMs)}s`
    })),
    noteFault: assign((_, { at, error }: { at: number; error: string }) => ({ at, error })),
    noteConditions: assign((_, { at, conditions }: { at: number; conditions: ConditionResult[] }) => ({
      at,
      conditions
    })),
    giveUp: assign(({ context: { runState } }) => {
      startNoMore(runState)
      return { stop: 'conditions' as const }
    }),
    // D12: a step timeout counts from the start of its process
    armTimeout: enqueueActions(({ context: { plan, at, requeues = 0 }, enqueue }) => {
      if (plan.timeoutMs > 0 && requeues === 0)
        enqueue.spawnChild('alarm', { id: 'timeout', input: { dueAt: at + plan.timeoutMs } })
    }),
    disarmTimeout: enqueueActions(({ context: { plan }, enqueue }) => {
      if (plan.timeoutMs > 0) enqueue.stopChild('timeout')
    }),
    /** Keeps the instant at which the last handler ended: that is when the run finished. */
    noteRelease: assign({ released: true }),
    hurryPreparation: sendTo('preparation', { type: 'preparation.stop' }),
    startReady: assign(({ context, spawn }) => {
      const { key, plan, runState, at, only, given } = context
      const alone = typeof only === 'number' ? { ignoresRetry: true } : {}
      let left = given
      for (let index = takeReady(runState); index !== undefined; index = takeReady(runState)) {
        const step = plan.steps[index]
        if (!step) continue
        const [signal, others] = takeSignal(left, step)
        left = others
        spawn('node', {
          id: nodeId(index, step),
          input: {
            run: key,
            place: index,
            step,
            cleanUpMs: step.cleanUpMs ?? plan.cleanUpMs,
            at,
            ...interruption(context, step),
            ...alone,
            ...signal
          }
        })
      }
      return left === given || left === undefined ? {} : { given: left }
    }),
    /** A child that has ended stays until it is dropped; in place, because `stopChild` copies all the others. */
    dropNode: ({ self }, { actorId }: { actorId: string }) => {
      delete self.getSnapshot().children[actorId]
    },
    resolveNode: assign(({ context: { runState } }, { output: { place, status, continues, at } }: NodeEnded) => {
      if (typeof place === 'number') resolve(runState, place, status, continues)
      return { at }
    }),
    /** In a run that is stopping: dependents stay not_started. */
    closeNode: assign(({ context: { runState } }, { output: { place, status, continues, at } }: NodeEnded) => {
      if (typeof place === 'number') close(runState, place, status, continues)
      return { at }
    }),
    resolveFault: assign(({ context: { runState, plan } }, { actorId, error }: NodeFaulted) => {
      const index = indexOfNode(plan, actorId)
      noteDefect(runState, index, error)
      resolve(runState, index, 'failed', false)
      return {}
    }),
    /** In a run that is stopping: dependents stay not_started. */
    closeFault: assign(({ context: { runState, plan } }, { actorId, error }: NodeFaulted) => {
      const index = indexOfNode(plan, actorId)
      noteDefect(runState, index, error)
      close(runState, index, 'failed', false)
      return {}
    }),
    stopNodes: enqueueActions(({ context: { runState, plan, at, stop, killed = false }, enqueue, self }) => {
      const atOnce = stop === 'timeout' || killed
      const { children } = self.getSnapshot()
      for (const index of runState.active) {
        const step = plan.steps[index]
        const node = step && children[nodeId(index, step)]
        if (!node) continue
        enqueue.sendTo(node, { type: 'node.stop', at, atOnce })
        if (killed) enqueue.sendTo(node, { type: 'node.kill', at, force: true })
      }
    }),
    killNodes: enqueueActions(({ context: { runState, plan }, enqueue, self }, asked: KillRequest) => {
      const { children } = self.getSnapshot()
      for (const index of runState.active) {
        const step = plan.steps[index]
        const node = step && children[nodeId(index, step)]
        if (node) enqueue.sendTo(node, nodeKill(asked))
      }
    }),
    // D11: nodes that a run timeout keeps from starting are canceled with a reason
    cancelPending: ({ context: { runState } }) => cancelPending(runState, 'run timed out')
  }
})

export const runSetup = setup({
  types: {} as { input: RunInput; context: RunContext; events: RunEvent; output: RunOutput; tags: RunStatus },
  actors: runActors,
  guards: {
    ...nodes.guards,
    ...handlers.guards,
    ...news.guards
  },
  actions: {
    ...nodes.actions,
    ...handlers.actions,
    ...news.actions
  }
})

const noteDefect = ({ resolved }: RunState, index: number, error: unknown) =>
  resolved.push({ index, status: 'failed', error: `defect: ${String(error)}` })
