/**
 * What the words of the run chart mean: its messages, guards and actions. When they apply is read in `run.ts`.
 * One file, so that a word is looked up in one place.
 * Source: execution-semantics 5, 7, 8.
 */
import { assign, enqueueActions, sendTo, setup } from 'xstate'
import { type NodeEvent, type NodeInput, type NodeOutput, type NodePlace, nodeMachine } from './node.ts'
import { mailOfRun, stepSendsMail } from './policy/notify.ts'
import { type EndStatus, handlerFor, runOutcome } from './policy/outcome.ts'
import {
  cancelPending,
  close,
  type Known,
  type Ledger,
  openLedger,
  settle,
  startNoMore,
  takeReady
} from './policy/readiness.ts'
import { type AlarmRang, alarm, companion } from './slots.ts'
import type { ConditionResult, HandlerKind, MailKind, Plan, RunKey, RunStatus, Step } from './vocabulary.ts'

export interface RunInput {
  key: RunKey
  plan: Plan
  /** When the run was let go, epoch ms. Its time limit counts from here. */
  at: number
  /** A retry: what is kept of each node, by index. */
  known?: (Known | undefined)[]
  /** A retry of one step: index of the only node that runs. */
  only?: number
}

export interface RunContext {
  key: RunKey
  plan: Plan
  /** Changed in place; built anew from the node records after a restart. */
  ledger: Ledger
  /** Instant of the event at hand. */
  at: number
  /** Why no more nodes start. */
  stop?: 'request' | 'timeout' | 'conditions'
  error?: string
  conditions?: ConditionResult[]
  handlerFailed: boolean
  /** The handler at work. */
  handler?: NodePlace
  /** The only node that runs, in a retry of one step. */
  only?: number
  /** The clean-up time of whoever stopped it is over: its steps have been killed, its handlers may still run. */
  hurried?: boolean
  /** No time is left: nothing is waited for, and no handler is begun. */
  killed?: boolean
  /** The server ends and waits for it: all its handlers together have `HANDLERS_MS`. */
  handlersLimited?: boolean
  /** Its container has been given back. */
  released?: boolean
  /** Mails on their way, by the id of their companion. */
  mails?: string[]
  /** The run's own mail has been seen to. */
  mailed?: boolean
}

/** One mail about a run, or about one of its nodes. */
export interface NotificationInput {
  run: RunKey
  mail: MailKind
  /** What it says of the run. */
  status: RunStatus
  /** When the run, or the node, ended; epoch ms. */
  at: number
  /** The node that has failed; absent: the mail is about the run. */
  place?: NodePlace
}

export type RunEvent =
  /** A second one changes nothing. Source: execution-semantics 7.3.6. */
  | { type: 'run.stop'; at: number }
  /** A stop that leaves no time: what runs is killed, handlers included, and no other handler begins. */
  | { type: 'run.force'; at: number }
  /** Follows a stop when the clean-up time of its asker is over, and again until the run has ended. */
  | { type: 'run.kill'; at: number }
  /** The server ends, and has asked it to stop: its handlers have `HANDLERS_MS` in total, from now on or from the first one's begin. */
  | { type: 'handlers.limited'; at: number }
  | { type: 'run.prepared'; at: number }
  | { type: 'run.unprepared'; at: number; error: string }
  /** Its container is gone, or cannot be had. */
  | { type: 'run.released'; at: number }
  | { type: 'conditions.checked'; at: number; met: boolean; conditions: ConditionResult[] }
  | NodeEnded
  | NodeFaulted
  | AlarmRang
  /** A mail is out, or given up: the run log says which. */
  | { type: 'notification.ended'; at: number; actorId: string }
/** A node actor has come to its end. */
export interface NodeEnded {
  type: `xstate.done.actor.${string}`
  actorId: string
  output: NodeOutput
}
/** A node actor has thrown: a defect, which costs this node and not the run's others. */
export interface NodeFaulted {
  type: `xstate.error.actor.${string}`
  actorId: string
  error: unknown
}

export interface RunOutput {
  key: RunKey
  status: EndStatus
  at: number
}

const placeName: Record<HandlerKind, Exclude<NodePlace, number>> = {
  success: 'onSuccess',
  failure: 'onFailure',
  cancel: 'onCancel',
  exit: 'onExit'
}
/** Id of a node's actor within its run; also its address in the journal. */
export const nodeId = (place: NodePlace, step: Step): string =>
  typeof place === 'number' ? `node/${step.name}` : `handler/${place}`

/** Id of the companion of a mail. A node's mail goes by the node's id. */
const mailId = (about: string): string => `mail.${about}`

/** The status a run would end with now. */
export const outcomeOf = ({ ledger, stop, handlerFailed }: RunContext): EndStatus =>
  runOutcome({
    tally: ledger.tally,
    stopped: stop === 'request',
    unmet: stop === 'conditions',
    timedOut: stop === 'timeout',
    handlerFailed
  })

/** The context of a run that goes on after a restart. */
export const reopened = (
  saved: Omit<RunContext, 'plan' | 'ledger'>,
  plan: Plan,
  known: (Known | undefined)[]
): RunContext => ({
  plan,
  ledger: openLedger(plan.steps, plan.maxActiveSteps, known, { stopped: saved.stop !== undefined, only: saved.only }),
  ...saved
})

/** Name of the alarm that ends the initial delay: the run's time limit may ring before it. */
export const DELAY = 'delay'
/** Name of the alarm that ends the handlers of a run when the server ends. */
export const HANDLERS = 'handlers'
/** Source: execution-semantics 7.1.6. */
const HANDLERS_MS = 5_000
const handlerStep = (c: RunContext, kind: HandlerKind) => c.plan.handlers[kind]
const seconds = (ms: number) => ms / 1_000

export const runSetup = setup({
  types: {} as { input: RunInput; context: RunContext; events: RunEvent; output: RunOutput; tags: RunStatus },
  actors: {
    preparation: companion<{ type: 'preparation.stop' }, RunKey>('preparation'),
    conditions: companion<{ type: 'conditions.stop' }, RunKey>('conditions'),
    node: nodeMachine,
    notification: companion<{ type: 'notification.stop' }, NotificationInput>('notification'),
    release: companion<{ type: 'release.hurry' }, RunKey>('release'),
    alarm
  },
  guards: {
    stopAsked: ({ context }) => context.stop !== undefined,
    hasConditions: ({ context }) => context.plan.preconditions.length > 0,
    conditionsMet: (_, { met }: { met: boolean }) => met,
    hasDelay: ({ context }) => context.plan.delayMs > 0,
    metWithDelay: ({ context }, { met }: { met: boolean }) => met && context.plan.delayMs > 0,
    delayOver: (_, { name }: AlarmRang) => name === DELAY,
    /** Every node is settled, and there is neither a handler to begin nor a time limit to call off. */
    allDone: ({ context: { plan, ledger } }) =>
      ledger.open === 0 && plan.timeoutMs === 0 && Object.keys(plan.handlers).length === 0,
    allSettled: ({ context: { ledger } }) => ledger.open === 0,
    noneActive: ({ context: { ledger } }) => ledger.active.size === 0,
    wasHurried: ({ context }) => context.hurried === true,
    isUnlimited: ({ context }) => context.handlersLimited !== true,
    handlersOver: (_, { name }: AlarmRang) => name === HANDLERS,
    hasOutcomeHandler: ({ context: c }) => !c.killed && handlerStep(c, handlerFor[outcomeOf(c)]) !== undefined,
    hasExitHandler: ({ context: c }) => !c.killed && handlerStep(c, 'exit') !== undefined,
    mailDue: ({ context: c }) =>
      !c.killed && (mailsOf(c).length > 0 || (!c.mailed && mailOfRun(c.plan, outcomeOf(c)) !== undefined)),
    allMailOut: ({ context: c }) => mailsOf(c).length === 0,
    holdsContainer: ({ context: { plan, released } }) => plan.container !== undefined && !released,
    endsAs: ({ context: c }, { status }: { status: EndStatus }) => outcomeOf(c) === status
  },
  actions: {
    noteTime: assign((_, { at }: { at: number }) => ({ at })),
    noteStop: assign(({ context: { ledger } }, { at }: { at: number }) => {
      startNoMore(ledger)
      return { at, stop: 'request' as const }
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
    giveUp: assign(({ context: { ledger } }) => {
      startNoMore(ledger)
      return { stop: 'conditions' as const }
    }),
    armTimeout: enqueueActions(({ context: { plan, at }, enqueue }) => {
      if (plan.timeoutMs > 0) enqueue.spawnChild('alarm', { id: 'timeout', input: { dueAt: at + plan.timeoutMs } })
    }),
    disarmTimeout: enqueueActions(({ context: { plan }, enqueue }) => {
      if (plan.timeoutMs > 0) enqueue.stopChild('timeout')
    }),
    noteLimit: assign({ handlersLimited: true }),
    armLimit: enqueueActions(({ context, enqueue }, { at }: { at: number }) => {
      if (!context.handlersLimited) return
      enqueue.spawnChild('alarm', { id: HANDLERS, input: { dueAt: at + HANDLERS_MS, name: HANDLERS } })
    }),
    disarmLimit: enqueueActions(({ context, enqueue }) => {
      if (context.handlersLimited) enqueue.stopChild(HANDLERS)
    }),
    noteHurry: assign({ hurried: true }),
    noteKill: assign({ killed: true }),
    /** The instant of its last handler stays: that is when the run has finished. */
    noteRelease: assign({ released: true }),
    hurryPreparation: sendTo('preparation', { type: 'preparation.stop' }),
    startReady: assign(({ context: { key, plan, ledger, at, only }, spawn }) => {
      const alone = only === undefined ? {} : { ignoresRetry: true }
      for (let index = takeReady(ledger); index !== undefined; index = takeReady(ledger)) {
        const step = plan.steps[index]
        if (step)
          spawn('node', {
            id: nodeId(index, step),
            input: {
              run: key,
              place: index,
              step,
              cleanUpMs: plan.cleanUpMs,
              at,
              ...interruption(plan, step),
              ...alone
            }
          })
      }
      return {}
    }),
    /** An actor that has ended stays a child until it is dropped; in place, because `stopChild` copies all the others. */
    dropNode: ({ self }, { actorId }: { actorId: string }) => {
      delete self.getSnapshot().children[actorId]
    },
    settleNode: assign(({ context: { ledger } }, { output: { place, status, continues, at } }: NodeEnded) => {
      if (typeof place === 'number') settle(ledger, place, status, continues)
      return { at }
    }),
    /** In a stopping run: dependents stay not_started. */
    closeNode: assign(({ context: { ledger } }, { output: { place, status, continues, at } }: NodeEnded) => {
      if (typeof place === 'number') close(ledger, place, status, continues)
      return { at }
    }),
    settleFault: assign(({ context: { ledger, plan } }, { actorId, error }: NodeFaulted) => {
      const index = indexOf(plan, actorId)
      noteDefect(ledger, index, error)
      settle(ledger, index, 'failed', false)
      return {}
    }),
    /** In a stopping run: dependents stay not_started. */
    closeFault: assign(({ context: { ledger, plan } }, { actorId, error }: NodeFaulted) => {
      const index = indexOf(plan, actorId)
      noteDefect(ledger, index, error)
      close(ledger, index, 'failed', false)
      return {}
    }),
    stopNodes: enqueueActions(({ context: { ledger, plan, at, stop, killed = false }, enqueue, self }) => {
      const atOnce = stop === 'timeout' || killed
      const { children } = self.getSnapshot()
      for (const index of ledger.active) {
        const step = plan.steps[index]
        const node = step && children[nodeId(index, step)]
        if (!node) continue
        enqueue.sendTo(node, { type: 'node.stop', at, atOnce })
        if (killed) enqueue.sendTo(node, { type: 'node.kill', at, force: true })
      }
    }),
    killNodes: enqueueActions(({ context: { ledger, plan }, enqueue, self }, asked: KillRequest) => {
      const { children } = self.getSnapshot()
      for (const index of ledger.active) {
        const step = plan.steps[index]
        const node = step && children[nodeId(index, step)]
        if (node) enqueue.sendTo(node, nodeKill(asked))
      }
    }),
    cancelPending: ({ context: { ledger } }) => cancelPending(ledger, 'run timed out'),
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
    settleHandler: assign(({ context: c }, { output: { status, at } }: NodeEnded) => ({
      at,
      handlerFailed: c.handlerFailed || status === 'failed'
    })),
    settleHandlerFault: assign({ handlerFailed: true }),
    /** A mail about a step goes its own way: its dependents do not wait for it, the end of the run does. */
    mailIfFailed: enqueueActions(({ context: c, enqueue }, ended: NodeEnded | NodeFaulted) => {
      const { place, status, at } = 'output' in ended ? ended.output : faultOf(c, ended)
      const step = stepAt(c.plan, place)
      if (!step || !stepSendsMail(step, c.plan, status)) return
      const id = mailId(nodeId(place, step))
      // While handlers run, what they are told is the run's status.
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
    }),
    stopHandler: enqueueActions(({ context: c, enqueue, self }, { at }: { at: number }) => {
      const { children } = self.getSnapshot()
      const handler = c.handler && children[`handler/${c.handler}`]
      if (handler) enqueue.sendTo(handler, { type: 'node.stop', at, atOnce: true })
    }),
    killHandler: enqueueActions(({ context: c, enqueue, self }, asked: KillRequest) => {
      const { children } = self.getSnapshot()
      const handler = c.handler && children[`handler/${c.handler}`]
      if (handler) enqueue.sendTo(handler, nodeKill(asked))
    })
  }
})

/** What asks for a kill: force reaches the handlers of sub DAG runs, too. */
type KillRequest = Pick<RunEvent & { at: number }, 'type' | 'at'>
const nodeKill = ({ type, at }: KillRequest): NodeEvent =>
  type === 'run.force' ? { type: 'node.kill', at, force: true } : { type: 'node.kill', at }

const mailsOf = ({ mails = [] }: RunContext) => mails
const stepAt = (plan: Plan, place: NodePlace): Step | undefined =>
  typeof place === 'number' ? plan.steps[place] : Object.values(plan.handlers).find(({ name }) => name === place)

/** The step whose actor has thrown. */
const indexOf = (plan: Plan, actorId: string): number =>
  plan.steps.findIndex((step, index) => nodeId(index, step) === actorId)
/** What a node that has thrown would have said. */
const faultOf = (c: RunContext, { actorId }: NodeFaulted): Pick<NodeOutput, 'place' | 'status' | 'at'> => {
  const index = indexOf(c.plan, actorId)
  return { place: index < 0 && c.handler !== undefined ? c.handler : index, status: 'failed', at: c.at }
}
const noteDefect = ({ settled }: Ledger, index: number, error: unknown) =>
  settled.push({ index, status: 'failed', error: `defect: ${String(error)}` })

function handlerInput(c: RunContext, kind: HandlerKind, step: Step): NodeInput {
  const { key: run, plan, at } = c
  const runStatus = outcomeOf(c)
  return { run, place: placeName[kind], step, cleanUpMs: plan.cleanUpMs, at, runStatus, ...interruption(plan, step) }
}

/** What a node is told of `onInterrupt`: the step's word, else the DAG's. */
function interruption({ onInterrupt: ofDag }: Plan, { onInterrupt = ofDag }: Step): Pick<NodeInput, 'onInterrupt'> {
  return onInterrupt === 'resume' ? {} : { onInterrupt }
}
