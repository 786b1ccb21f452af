/**
 * Guards and actions of the run chart: what follows when its nodes have ended: its handlers, what cuts them short, and mail about the run
 * and its steps. Source: execution-semantics 7.1.6, 7.3, 8, 14.3.
 */
import { assign, enqueueActions } from 'xstate'
import type { NodeInput, NodeOutput } from '../node/node-context.ts'
import { mailOfRun, stepSendsMail } from '../policy/notify.ts'
import { handlerFor } from '../policy/outcome.ts'
import type { AlarmRang } from '../slots.ts'
import type { HandlerKind, HandlerName, NodePlace, Plan, Step } from '../vocabulary.ts'
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
  runTopic
} from './run-context.ts'

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

export const handlers = runTopic({
  guards: {
    hasOutcomeHandler: ({ context: c }) => !c.killed && handlerStep(c, handlerFor[outcomeOf(c)]) !== undefined,
    hasExitHandler: ({ context: c }) => !c.killed && handlerStep(c, 'exit') !== undefined,
    isUnlimited: ({ context }) => context.handlersLimited !== true,
    handlersOver: (_, { name }: AlarmRang) => name === HANDLERS,
    gracePeriodOver: ({ context }) => context.hurried === true,
    mailDue: ({ context: c }) =>
      !c.killed && (mailsOf(c).length > 0 || (!c.mailed && mailOfRun(c.plan, outcomeOf(c)) !== undefined)),
    allMailOut: ({ context: c }) => mailsOf(c).length === 0
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
    // D56: each run has its own 5 s for handlers
    noteLimit: assign({ handlersLimited: true }),
    armLimit: enqueueActions(({ context, enqueue }, { at }: { at: number }) => {
      if (!context.handlersLimited) return
      enqueue.spawnChild('alarm', { id: HANDLERS, input: { dueAt: at + HANDLERS_MS, name: HANDLERS } })
    }),
    disarmLimit: enqueueActions(({ context, enqueue }) => {
      if (context.handlersLimited) enqueue.stopChild(HANDLERS)
    }),
    // D47: a sub run that is stopped with its caller is killed in two steps
    noteGracePeriodOver: assign({ hurried: true }),
    // D10: a stop never interrupts a handler
    noteKill: assign({ killed: true }),
    /** A mail about a step runs on the side: dependents of the step do not wait for it, the end of the run does. */
    mailIfFailed: enqueueActions(({ context: c, enqueue }, ended: NodeEnded | NodeFaulted) => {
      const { place, status, at } = 'output' in ended ? ended.output : faultOf(c, ended)
      const step = stepAt(c.plan, place)
      if (!step || !stepSendsMail(step, c.plan, status)) return
      const id = mailId(nodeId(place, step))
      // While handlers run, the mail shows the status that they get.
      const ofRun = typeof place === 'number' ? 'running' : outcomeOf(c)
      enqueue.assign({ mails: [...mailsOf(c), id] })
      enqueue.spawnChild('notification', { id, input: { run: c.key, mail: 'error', status: ofRun, at, place } })
    }),
    sendRunMail: enqueueActions(({ context: c, enqueue }) => {
      const mail = c.mailed ? undefined : mailOfRun(c.plan, outcomeOf(c))
      const id = mailId('run')
      enqueue.assign({ mailed: true, ...(mail ? { mails: [...mailsOf(c), id] } : {}) })
      if (!mail) return
      enqueue.spawnChild('notification', { id, input: { run: c.key, mail, status: outcomeOf(c), at: c.at } })
    }),
    dropMail: enqueueActions(({ context: c, enqueue }, { actorId }: { actorId: string }) => {
      enqueue.stopChild(actorId)
      enqueue.assign({ mails: mailsOf(c).filter((id) => id !== actorId) })
    }),
    giveUpMail: enqueueActions(({ context: c, enqueue }) => {
      for (const id of mailsOf(c)) enqueue.sendTo(id, { type: 'notification.stop' })
      enqueue.assign({ mails: [], mailed: true })
    })
  }
})

function handlerInput(c: RunContext, kind: HandlerKind, step: Step): NodeInput {
  const { key: run, plan, at } = c
  const runStatus = outcomeOf(c)
  return {
    run,
    place: placeName[kind],
    step,
    cleanUpMs: step.cleanUpMs ?? plan.cleanUpMs,
    at,
    runStatus,
    ...interruption(c, step)
  }
}

/** Id of the actor of a mail. That of a node's mail contains the node's id. */
const mailId = (about: string): string => `mail.${about}`

const mailsOf = ({ mails = [] }: RunContext) => mails
const stepAt = (plan: Plan, place: NodePlace): Step | undefined =>
  typeof place === 'number' ? plan.steps[place] : Object.values(plan.handlers).find(({ name }) => name === place)

/** The output that a node which has thrown would have had. */
const faultOf = (c: RunContext, { actorId }: NodeFaulted): Pick<NodeOutput, 'place' | 'status' | 'at'> => {
  const index = indexOfNode(c.plan, actorId)
  return { place: index < 0 && c.handler !== undefined ? c.handler : index, status: 'failed', at: c.at }
}
