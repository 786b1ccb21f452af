/** Types of a run: input, context, output, events, actors; and what follows from the context. Source: execution-semantics 5, 7, 8. */
import {
  type Loss,
  lossOf,
  type NodeEvent,
  type NodeInput,
  type NodeOutput,
  type SignalGiven,
  type WorkerLost,
  type WorkerNews
} from '../node/node-context.ts'
import { nodeMachine } from '../node.ts'
import { type EndStatus, runOutcome } from '../policy/outcome.ts'
import { type Known, openRunState, type RunState } from '../policy/readiness.ts'
import { type AlarmRang, alarm, invokedActor } from '../slots.ts'
import { topicOf } from '../topic.ts'
import type {
  ConditionResult,
  KeptSignal,
  MailKind,
  NodePlace,
  OnlyNodes,
  PlacedOn,
  Plan,
  RunKey,
  RunStatus,
  Step,
  Stopper
} from '../vocabulary.ts'

export interface RunInput {
  key: RunKey
  plan: Plan
  /** When the run was started, epoch ms. Its time limit counts from here. */
  at: number
  /** A retry: the kept state of each node, by index. */
  known?: (Known | undefined)[]
  /** A retry of one step, or from a step on: the only nodes that run. */
  only?: OnlyNodes
  /** The worker that it was placed on; absent: the engine runs it. */
  placement?: PlacedOn
}

export interface RunContext {
  key: RunKey
  plan: Plan
  /** Changed in place; rebuilt from the node records after a restart. */
  runState: RunState
  /** Instant of the current event. */
  at: number
  /** Why no more nodes start. */
  stop?: 'request' | 'timeout' | 'conditions'
  /** The one who asked first for the stop, if known. */
  stoppedBy?: Stopper
  error?: string
  conditions?: ConditionResult[]
  handlerFailed: boolean
  /** The running handler. */
  handler?: NodePlace
  /** The only nodes that run, in a retry of one step or from a step on. */
  only?: OnlyNodes
  /** The grace period of the stop is over: steps have been killed, handlers may still run. */
  hurried?: boolean
  /** Killed: nothing is waited for, and no handler starts. */
  killed?: boolean
  /** The server shuts down and waits for it: its handlers have `HANDLERS_MS` in total. */
  handlersLimited?: boolean
  /** The worker that it is on. */
  placement?: PlacedOn
  /** The loss of that worker. */
  loss?: RunLoss | undefined
  /** How often the run was prepared again because of that. */
  requeues?: number
  /** The container of the run has been removed. */
  released?: boolean
  /** Mails being sent, by the id of their actor. */
  mails?: string[]
  /** The signals that its steps have got, by step. */
  given?: Record<string, KeptSignal>
  /** The run's own mail has been handled. */
  mailed?: boolean
  /** The engine has another `version` than the run, which waits for the one that it was started with. */
  superseded?: { version: string; wanted: string; from: SupersededFrom } | undefined
}

export interface RunLoss extends Loss {
  /** Nothing of the run is at work on the lost worker for certain. */
  isFenced?: true
  /** Something of it waits for another worker. */
  isWaiting?: true
}

/** The state that a run was in when it was superseded, and that it goes back to. */
export type SupersededFrom = 'preparing' | 'checking' | 'delaying' | 'working'

export interface RunOutput {
  key: RunKey
  status: EndStatus
  at: number
}

export type RunEvent =
  /** A second one changes nothing. Source: execution-semantics 7.3.6. */
  | { type: 'run.stop'; at: number; from?: Stopper }
  /** A stop without a grace period: everything is killed, handlers included, and no other handler starts. */
  | { type: 'run.force'; at: number; from?: Stopper }
  /** Follows a stop when the caller's grace period is over, and is repeated until the run has ended. */
  | { type: 'run.kill'; at: number }
  /** The server shuts down and asked the run to stop: its handlers have `HANDLERS_MS` in total, from now or from the start of the first. */
  | { type: 'handlers.limited'; at: number }
  /** The engine has this version of the definition in code, and the run wants another. */
  | { type: 'release.differs'; at: number; version: string; wanted: string }
  /** An engine with its version has opened. */
  | { type: 'release.opened'; at: number }
  | { type: 'run.prepared'; at: number }
  | { type: 'run.unprepared'; at: number; error: string }
  /** The container of the run has been removed, or could not be. */
  | { type: 'run.released'; at: number }
  | { type: 'conditions.checked'; at: number; met: boolean; conditions: ConditionResult[] }
  | NodeEnded
  | NodeFaulted
  | AlarmRang
  | SignalGiven
  | WorkerLost
  | WorkerNews
  /** A node of the run cannot go on where the run is. */
  | { type: 'placement.wanted'; at: number }
  /** A mail was sent, or was not: the run log says which. */
  | { type: 'notification.ended'; at: number; actorId: string }

/** A node actor has ended. */
export interface NodeEnded {
  type: `xstate.done.actor.${string}`
  actorId: string
  output: NodeOutput
}

/** A node actor has thrown: a defect, which fails this node but no other node of the run. */
export interface NodeFaulted {
  type: `xstate.error.actor.${string}`
  actorId: string
  error: unknown
}

/** One mail about a run, or about one of its nodes. */
export interface NotificationInput {
  run: RunKey
  mail: MailKind
  status: RunStatus
  /** When the run, or the node, ended; epoch ms. */
  at: number
  /** The node that has failed; absent: the mail is about the run. */
  place?: NodePlace
}

/** The actors that a run invokes or spawns. */
export const runActors = {
  preparation: invokedActor<{ type: 'preparation.stop' }, RunKey>('preparation'),
  conditions: invokedActor<{ type: 'conditions.stop' }, RunKey>('conditions'),
  node: nodeMachine,
  notification: invokedActor<{ type: 'notification.stop' }, NotificationInput>('notification'),
  release: invokedActor<{ type: 'release.hurry' }, RunKey>('release'),
  alarm
}

/** Guards and actions of a run about one topic: `run-setup.ts` spreads them. */
export const runTopic = topicOf<RunContext, RunEvent, typeof runActors>()

/** Asks for a kill; a forced one reaches the handlers of sub DAG runs, too. */
export type KillRequest = Pick<RunEvent & { at: number }, 'type' | 'at'>
export const nodeKill = ({ type, at }: KillRequest): NodeEvent =>
  type === 'run.force' ? { type: 'node.kill', at, force: true } : { type: 'node.kill', at }

/** Without the rest of the placement. */
export const placedOn = ({ placement }: { placement?: PlacedOn | undefined }): { placement?: PlacedOn } =>
  placement ? { placement: { id: placement.id, lease: placement.lease } } : {}

/** Id of a node's actor within its run; also its address in the journal. */
export const nodeId = (place: NodePlace, step: Step): string =>
  typeof place === 'number' ? `node/${step.name}` : `handler/${place}`

export const outcomeOf = ({ runState, stop, handlerFailed }: RunContext): EndStatus =>
  runOutcome({
    tally: runState.tally,
    stopped: stop === 'request',
    unmet: stop === 'conditions',
    timedOut: stop === 'timeout',
    handlerFailed
  })

/** The signals with which a run begins that goes on from an earlier one. */
export function keptSignals({ steps }: Plan, known: RunInput['known'] = []): Pick<RunContext, 'given'> {
  const given = known.flatMap((node, index) => {
    const step = steps[index]
    return step && node?.given ? [[step.name, node.given] as const] : []
  })
  return given.length > 0 ? { given: Object.fromEntries(given) } : {}
}

/** The context of a run that continues after a restart. */
export const reopened = (
  saved: Omit<RunContext, 'plan' | 'runState'>,
  plan: Plan,
  known: (Known | undefined)[]
): RunContext => ({
  plan,
  runState: openRunState(plan.steps, plan.maxActiveSteps, known, {
    stopped: saved.stop !== undefined,
    only: saved.only
  }),
  ...saved
})

/** Index of the step that an actor belongs to; -1: a handler. */
export const indexOfNode = (plan: Plan, actorId: string): number =>
  plan.steps.findIndex((step, index) => nodeId(index, step) === actorId)

// D1052: a function that a restart cut off is called again
/**
 * What a node has of its DAG and its run: `onInterrupt`, unless its step has one, and a function cannot be resumed: it runs again; the
 * worker, what happens when that is lost, and whether it is.
 */
export function interruption(
  {
    plan: { onInterrupt: ofDag, onWorkerLost = 'fail' },
    placement,
    loss
  }: Pick<RunContext, 'plan' | 'placement' | 'loss'>,
  { executor: { type }, onInterrupt: written = ofDag }: Step
): Pick<NodeInput, 'onInterrupt' | 'onWorkerLost' | 'placement' | 'loss'> {
  const onInterrupt = type === 'function' && written === 'resume' ? 'again' : written
  return {
    ...(onInterrupt === 'resume' ? {} : { onInterrupt }),
    ...(onWorkerLost === 'fail' ? {} : { onWorkerLost }),
    ...(placement ? { placement } : {}),
    ...(loss ? { loss: lossOf(loss) } : {})
  }
}
