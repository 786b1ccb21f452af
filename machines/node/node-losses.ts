/** Guards and actions of the node chart: what becomes of it when its worker is lost. Source: distribution 4. */
import { assign, enqueueActions } from 'xstate'
import type { AttemptEnded } from '../attempt.ts'
import { continuesAfterFailure } from '../policy/continue-on.ts'
import { retryDue } from '../policy/retry.ts'
import {
  type AttemptLate,
  type Loss,
  lossOf,
  type NodeContext,
  type NodeEvent,
  nodeTopic,
  type WorkerLost,
  type WorkerReplaced
} from './node-context.ts'

/** Times that a node is begun anew after the loss of a worker without counting it as a retry. */
const REQUEUES = 3
/** The exit code of an execution that nobody knows the end of. */
const UNKNOWN = 1

export const lossText = ({ worker, silentMs }: Loss): string =>
  `worker lost: ${worker} silent for ${silentMs / 1_000} s, outcome unknown`

const requeueLeft = ({ onWorkerLost, requeues = 0 }: NodeContext) => onWorkerLost === 'requeue' && requeues < REQUEUES
// D1038: a handler waits for no lost worker, whatever `onWorkerLost` says
/** A handler does not: a run that was stopped would never end. */
const waits = ({ onWorkerLost, place }: NodeContext) => onWorkerLost === 'wait' && typeof place !== 'string'
const isCall = ({ step }: NodeContext) => step.call !== undefined
/** By the name of the container, which may run already. */
const isInContainerOfOthers = ({ executor: { type, config } }: NodeContext['step']) =>
  type === 'docker' && Object.keys(config ?? {}).some((name) => name.toLowerCase() === 'containername')
const errorOf = ({ loss }: NodeContext) => (loss ? lossText(loss) : 'worker lost, outcome unknown')
const endOf = (c: NodeContext, at: number): AttemptEnded => ({
  type: 'attempt.ended',
  at,
  exitCode: UNKNOWN,
  error: errorOf(c),
  ...(c.loss?.home === undefined ? {} : { unheard: { worker: c.loss.worker, home: c.loss.home } })
})

// D1220: what a worker says too late is noted with the execution that was given up
/** The worker of an execution that is left before its end was heard; undefined: it was heard, or nobody has it. */
function unheardOn(c: NodeContext, event: NodeEvent): { worker: string; home: string } | undefined {
  if (event.type === 'attempt.ended') return event.unheard
  if (isCall(c) || event.type === 'attempt.missing') return undefined
  const { worker, home } = (event.type === 'worker.lost' ? event : c.loss) ?? {}
  return worker === undefined || home === undefined ? undefined : { worker, home }
}

export const losses = nodeTopic({
  guards: {
    calls: ({ context }) => isCall(context),
    /** Nobody can end what is at work for it. */
    isOutOfReach: ({ context }) => context.loss !== undefined && !isCall(context),
    waitsForWorker: ({ context }) => waits(context),
    mustMove: ({ context }) => context.loss !== undefined && !waits(context),
    isPrepared: ({ context }) => context.retry !== undefined,
    requeueLeft: ({ context }) => requeueLeft(context),
    mayGoOn: ({ context: c }) =>
      requeueLeft(c) ||
      (!c.ignoresRetry && c.retry !== undefined && retryDue(c.retry, c.retryCount, { exitCode: UNKNOWN })),
    // D1221: a docker step that names its container is not executed again by itself
    /** The execution is where no fence ends it: on another machine, or in a container of somebody else. */
    reachesFar: ({ context: { step } }) => step.executor.type === 'ssh' || isInContainerOfOthers(step)
  },
  actions: {
    noteLoss: assign((_, lost: WorkerLost) => ({ loss: lossOf(lost) })),
    noteGivenUp: assign(({ context: c }, event: NodeEvent) => {
      const unheard = unheardOn(c, event)
      return unheard ? { givenUp: [...(c.givenUp ?? []), { attempt: c.attempt, ...unheard }] } : {}
    }),
    noteLate: assign(({ context: { givenUp = [] } }, { attempt, late }: AttemptLate) => ({
      givenUp: givenUp.map((one) => (one.attempt === attempt && !one.late ? { ...one, late } : one))
    })),
    noteBack: assign({ loss: undefined }),
    notePlacement: assign((_, { placement }: WorkerReplaced) => (placement ? { placement } : {})),
    noteRequeue: assign({ requeues: ({ context: { requeues = 0 } }) => requeues + 1 }),
    /** By the rules of an execution that has failed. */
    hearLoss: enqueueActions(({ context: c, enqueue }, { at }: { at: number }) => enqueue.raise(endOf(c, at))),
    hearLastLoss: enqueueActions(({ context: c, enqueue }, { at }: { at: number }) =>
      enqueue.raise({ ...endOf(c, at), isLast: true })
    ),
    tellCall: enqueueActions(({ context: c, enqueue }, { at }: { at: number }) => {
      if (!waits(c)) enqueue.sendTo('attempt', { type: 'attempt.lost', at, error: errorOf(c) })
    }),
    noteUnknown: assign({ error: ({ context }) => errorOf(context) }),
    noteLostFault: assign(({ context: c }, { at }: { at: number }) => ({
      finishedAt: at,
      error: errorOf(c),
      exitCode: UNKNOWN,
      continues: continuesAfterFailure(c.step.continueOn, UNKNOWN, false)
    })),
    noteNotTaken: assign({
      error: ({ context: { loss } }) =>
        `no worker took it within ${(loss?.silentMs ?? 0) / 1_000} s: ${loss?.worker} is lost`
    }),
    askPlacement: enqueueActions(({ context: { startedAt }, enqueue, self }, { at = startedAt }: { at?: number }) => {
      const run = self._parent
      if (run) enqueue.sendTo(run, { type: 'placement.wanted', at })
    }),
    // D1001: a handler waits for another worker as long as a worker may be silent, from the fence on
    /** Steps wait as their run did before it began; a handler must not keep its run from ending. */
    armPlacing: enqueueActions(
      ({ context: { place, loss, startedAt }, enqueue }, { at = startedAt }: { at?: number }) => {
        if (typeof place !== 'string' || !loss) return
        const dueAt = Math.max(at, loss.fencedAt ?? at) + loss.silentMs
        enqueue.spawnChild('alarm', { id: 'placing', input: { dueAt } })
      }
    ),
    disarmPlacing: enqueueActions(({ context: { place }, enqueue }) => {
      if (typeof place === 'string') enqueue.stopChild('placing')
    })
  }
})
