/** What a run is given, what it remembers and what it says at its end; and what follows from that alone. */
import type { NodePlace } from '../attempt.ts'
import type { NodeInput } from '../node/node-context.ts'
import { type EndStatus, runOutcome } from '../policy/outcome.ts'
import { type Known, openRunState, type RunState } from '../policy/readiness.ts'
import type { ConditionResult, Plan, RunKey, Step } from '../vocabulary.ts'

export interface RunInput {
  key: RunKey
  plan: Plan
  /** When the run was started, epoch ms. Its time limit counts from here. */
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
  runState: RunState
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
  /** Mails on their way, by the id of their invoked actor. */
  mails?: string[]
  /** The run's own mail has been seen to. */
  mailed?: boolean
}

export interface RunOutput {
  key: RunKey
  status: EndStatus
  at: number
}

/** Id of a node's actor within its run; also its address in the journal. */
export const nodeId = (place: NodePlace, step: Step): string =>
  typeof place === 'number' ? `node/${step.name}` : `handler/${place}`

/** The status a run would end with now. */
export const outcomeOf = ({ runState, stop, handlerFailed }: RunContext): EndStatus =>
  runOutcome({
    tally: runState.tally,
    stopped: stop === 'request',
    unmet: stop === 'conditions',
    timedOut: stop === 'timeout',
    handlerFailed
  })

/** The context of a run that goes on after a restart. */
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

/** Index of the step whose actor it is; -1: it is a handler's. */
export const indexOfNode = (plan: Plan, actorId: string): number =>
  plan.steps.findIndex((step, index) => nodeId(index, step) === actorId)

/** What a node is told of `onInterrupt`: the step's word, else the DAG's. */
export function interruption(
  { onInterrupt: ofDag }: Plan,
  { onInterrupt = ofDag }: Step
): Pick<NodeInput, 'onInterrupt'> {
  return onInterrupt === 'resume' ? {} : { onInterrupt }
}
