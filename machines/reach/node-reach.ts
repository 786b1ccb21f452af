/** What is known of a step before it begins: which events of the node chart can come, and how some guards decide. Source: docs/inspect.md "Charts". */
import type { NodeContext } from '../node/node-context.ts'
import { isAsked } from '../policy/repeat.ts'
import { awaitsSignal, hasOpenTexts } from '../policy/waits.ts'
import type { Known } from './reach.ts'

export type NodeFacts = Pick<NodeContext, 'step' | 'place' | 'onInterrupt' | 'onWorkerLost' | 'ignoresRetry'> & {
  /** The run has a worker, or had one. */
  isPlaced: boolean
}

/** Executors that come with the engine. Another one is code of the host application, which an engine may lack. */
const OWN_EXECUTORS: ReadonlySet<string> = new Set([
  'shell',
  'docker',
  'ssh',
  'http',
  'archive',
  'mail',
  'jq',
  'dag',
  'gha'
])
const OF_WORKERS = /^worker\.|^attempt\.(offered|answered|late)$/
/** News of a function that decides about another pass. */
const OF_PASSES = /^condition\.(failed|died)$/
const OF_CODE: ReadonlySet<string> = new Set(['attempt.missing', 'node.lacking', 'function.registered'])
/** In which an alarm is the time limit of the step. */
const LIMITED = /^(attempting\.(executing|offering|lost|fencing)|awaiting)$/

const maybe = (isPossible: boolean): false | undefined => (isPossible ? undefined : false)

export function knownOfNode({ step, place, onInterrupt = 'resume', onWorkerLost, ...more }: NodeFacts): Known {
  const { wait, repeat, retry, functions, timeoutMs, executor, preconditions, call, continueOn } = step
  const { isPlaced, ignoresRetry = false } = more
  const retries = retry.limit !== 0 && !ignoresRetry
  const requeues = onWorkerLost === 'requeue'
  const isHosted = wait === undefined && executor.type !== 'shell'
  const asksFunction = repeat?.function !== undefined
  const needsCode = functions !== undefined || asksFunction || (wait === undefined && !OWN_EXECUTORS.has(executor.type))
  const isChecked = preconditions.length > 0 || functions !== undefined
  const isReady = wait !== undefined && !isChecked && !hasOpenTexts(wait)
  const awaits = awaitsSignal(step)
  const sleeps = wait?.kind === 'sleep'
  const nothingToPrepare =
    wait === undefined && !isChecked && typeof retry.limit === 'number' && typeof retry.interval === 'number'
  const mayBeUnmet = isChecked ? undefined : true
  return {
    hears(event, path) {
      if (event === 'attempt.died') return isHosted
      if (OF_PASSES.test(event) || (path === 'testing' && event === 'node.lacking')) return asksFunction
      if (OF_CODE.has(event)) return needsCode
      if (OF_WORKERS.test(event)) return isPlaced
      return event !== 'alarm.rang' || timeoutMs > 0 || !LIMITED.test(path)
    },
    guards: {
      awaitsAtOnce: isReady && awaits,
      sleepsAtOnce: isReady && sleeps,
      metAndAwaits: awaits ? mayBeUnmet : false,
      metAndSleeps: sleeps ? mayBeUnmet : false,
      conditionsMet: wait === undefined ? mayBeUnmet : false,
      mustMove: maybe(isPlaced),
      isPrepared: maybe(isPlaced && wait === undefined),
      nothingToPrepare,
      holdsPass: maybe(asksFunction),
      holdsAttempt: wait === undefined ? (nothingToPrepare ? true : undefined) : false,
      isOutOfReach: maybe(isPlaced && call === undefined),
      marksSuccess: maybe(continueOn.markSuccess),
      endedAsSuccess: maybe(continueOn.markSuccess),
      timeoutCountsAsSuccess: maybe(continueOn.markSuccess),
      outlived: maybe(timeoutMs > 0),
      retryDue: maybe(retries),
      repeats: repeat !== undefined,
      finishesPass: maybe(repeat !== undefined),
      passFailed: maybe(asksFunction),
      hasRepeatCondition: repeat !== undefined && isAsked(repeat),
      okInPart: maybe(call !== undefined),
      endedInPart: maybe(call !== undefined),
      mayNotResume: onInterrupt !== 'resume',
      calls: call !== undefined,
      waitsForWorker: onWorkerLost === 'wait' && typeof place !== 'string',
      requeueLeft: maybe(requeues),
      mayGoOn: maybe(requeues || retries),
      timeoutSkips: wait?.onTimeout === 'skip',
      timeoutSucceeds: wait?.onTimeout === 'succeed'
    }
  }
}
