/**
 * Guards and actions of the run chart: its handlers, and what cuts them short. `run-setup-mail.ts` adds to them.
 * Source: execution-semantics 7.1.6, 7.3, 8.
 */
import { assign, enqueueActions, setup } from 'xstate'
import type { NodeInput } from '../node/node-context.ts'
import { nodeMachine } from '../node.ts'
import { handlerFor } from '../policy/outcome.ts'
import { type AlarmRang, alarm, invokedActor } from '../slots.ts'
import type { HandlerKind, HandlerName, MailKind, NodePlace, RunKey, RunStatus, Step } from '../vocabulary.ts'
import { interruption, nodeId, outcomeOf, type RunContext, type RunInput, type RunOutput } from './run-context.ts'
import { type KillRequest, type NodeEnded, nodeKill, type RunEvent } from './run-events.ts'

/** One mail about a run, or about one of its nodes. */
export interface NotificationInput {
  run: RunKey
  mail: MailKind
  /** The status of the run that it reports. */
  status: RunStatus
  /** When the run, or the node, ended; epoch ms. */
  at: number
  /** The node that has failed; absent: the mail is about the run. */
  place?: NodePlace
}

/** Name of the alarm that ends the handlers of a run when the server shuts down. */
export const HANDLERS = 'handlers'
/** Source: execution-semantics 7.1.6. */
const HANDLERS_MS = 5_000
const placeName: Record<HandlerKind, HandlerName> = {
  success: 'onSuccess',
  failure: 'onFailure',
  cancel: 'onCancel',
  exit: 'onExit'
}
const handlerStep = (c: RunContext, kind: HandlerKind) => c.plan.handlers[kind]

export const handlersSetup = setup({
  types: {} as { input: RunInput; context: RunContext; events: RunEvent; output: RunOutput; tags: RunStatus },
  actors: {
    preparation: invokedActor<{ type: 'preparation.stop' }, RunKey>('preparation'),
    conditions: invokedActor<{ type: 'conditions.stop' }, RunKey>('conditions'),
    node: nodeMachine,
    notification: invokedActor<{ type: 'notification.stop' }, NotificationInput>('notification'),
    release: invokedActor<{ type: 'release.hurry' }, RunKey>('release'),
    alarm
  },
  guards: {
    hasOutcomeHandler: ({ context: c }) => !c.killed && handlerStep(c, handlerFor[outcomeOf(c)]) !== undefined,
    hasExitHandler: ({ context: c }) => !c.killed && handlerStep(c, 'exit') !== undefined,
    isUnlimited: ({ context }) => context.handlersLimited !== true,
    handlersOver: (_, { name }: AlarmRang) => name === HANDLERS,
    gracePeriodOver: ({ context }) => context.hurried === true
  },
  actions: {
    startOutcomeHandler: enqueueActions(({ context: c, enqueue }) => {
      const kind = handlerFor[outcomeOf(c)]
      const step = handlerStep(c, kind)
      if (!step) return
      enqueue.assign({ handler: placeName[kind] })
      enqueue.spawnChild('node', { id: nodeId(placeName[kind], step), input: handlerInput(c, kind, step) })
    }),
    startExitHandler: enqueueActions(({ context: c, enqueue }) => {
      const step = handlerStep(c, 'exit')
      if (!step) return
      enqueue.assign({ handler: placeName.exit })
      enqueue.spawnChild('node', { id: nodeId(placeName.exit, step), input: handlerInput(c, 'exit', step) })
    }),
    noteHandlerEnd: assign(({ context: c }, { output: { status, at } }: NodeEnded) => ({
      at,
      handlerFailed: c.handlerFailed || status === 'failed'
    })),
    noteHandlerFault: assign({ handlerFailed: true }),
    stopHandler: enqueueActions(({ context: c, enqueue, self }, { at }: { at: number }) => {
      const { children } = self.getSnapshot()
      const handler = c.handler && children[`handler/${c.handler}`]
      if (handler) enqueue.sendTo(handler, { type: 'node.stop', at, atOnce: true })
    }),
    killHandler: enqueueActions(({ context: c, enqueue, self }, asked: KillRequest) => {
      const { children } = self.getSnapshot()
      const handler = c.handler && children[`handler/${c.handler}`]
      if (handler) enqueue.sendTo(handler, nodeKill(asked))
    }),
    // D56
    noteLimit: assign({ handlersLimited: true }),
    armLimit: enqueueActions(({ context, enqueue }, { at }: { at: number }) => {
      if (!context.handlersLimited) return
      enqueue.spawnChild('alarm', { id: HANDLERS, input: { dueAt: at + HANDLERS_MS, name: HANDLERS } })
    }),
    disarmLimit: enqueueActions(({ context, enqueue }) => {
      if (context.handlersLimited) enqueue.stopChild(HANDLERS)
    }),
    // D47
    noteGracePeriodOver: assign({ hurried: true }),
    // D10
    noteKill: assign({ killed: true })
  }
})

function handlerInput(c: RunContext, kind: HandlerKind, step: Step): NodeInput {
  const { key: run, plan, at } = c
  const runStatus = outcomeOf(c)
  return { run, place: placeName[kind], step, cleanUpMs: plan.cleanUpMs, at, runStatus, ...interruption(c, step) }
}
