/** The input, context and output of a run, and what follows from them alone. */
import { type Loss, lossOf, type NodeInput } from '../node/node-context.ts'
import { type EndStatus, runOutcome } from '../policy/outcome.ts'
import { type Known, openRunState, type RunState } from '../policy/readiness.ts'
import type { ConditionResult, KeptSignal, NodePlace, PlacedOn, Plan, RunKey, Step, Stopper } from '../vocabulary.ts'

export interface RunInput {
  key: RunKey
  plan: Plan
  /** When the run was started, epoch ms. Its time limit counts from here. */
  at: number
  /** A retry: the kept state of each node, by index. */
  known?: (Known | undefined)[]
  /** A retry of one step: index of the only node that runs. */
  only?: number
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
  /** Who or what has asked for it first, if that is known. */
  stoppedBy?: Stopper
  error?: string
  conditions?: ConditionResult[]
  handlerFailed: boolean
  /** The running handler. */
  handler?: NodePlace
  /** The only node that runs, in a retry of one step. */
  only?: number
  /** The grace period of the stop is over: steps have been killed, handlers may still run. */
  hurried?: boolean
  /** Killed: nothing is waited for, and no handler starts. */
  killed?: boolean
  /** The server shuts down and waits for it: its handlers have `HANDLERS_MS` in total. */
  handlersLimited?: boolean
  /** The worker that it is on. */
  placement?: PlacedOn
  /** That is lost. */
  loss?: RunLoss | undefined
  /** How often it was prepared anew because of that. */
  requeues?: number
  /** Its container has been removed. */
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
  /** It is certain that nothing of it is at work there. */
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

/** Without the rest of the placement. */
export const placedOn = ({ placement }: { placement?: PlacedOn | undefined }): { placement?: PlacedOn } =>
  placement ? { placement: { id: placement.id, lease: placement.lease } } : {}

/** Id of a node's actor within its run; also its address in the journal. */
export const nodeId = (place: NodePlace, step: Step): string =>
  typeof place === 'number' ? `node/${step.name}` : `handler/${place}`

/** The status that a run would end with now. */
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

// D1052
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
