/** One step of one run, as a model. Source: execution-semantics 5.2, 6, 7. */
import { type ActorRefFrom, createActor, createMachine, type EventFrom } from 'xstate'
import type { NodeInput, nodeMachine } from '../../../../machines/node.ts'
import { knownOfNode } from '../../../../machines/reach/node-reach.ts'
import type { Known } from '../../../../machines/reach/reach.ts'
import type { Step } from '../../../../machines/vocabulary.ts'
import { pathOf } from '../../../../src/actors/journal/recorded.ts'
import { nodeLogic } from '../../../support/charts/charts.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { key, repeat, retry, type StepWish, step } from '../../../support/charts/plans.ts'
import { onStage, openStage, START } from '../../../support/charts/stage.ts'

type NodeEvent = EventFrom<typeof nodeMachine>
const prepared = { type: 'node.prepared' as const, at: START, retry: retry({ limit: 1 }), conditions: [] }
const code = { kind: 'function', name: 'charge', step: 'a' } as const
const nodeEvents: Record<string, NodeEvent> = {
  'conditions met': { ...prepared, met: true },
  'conditions not met': { ...prepared, met: false },
  'conditions unreadable': { type: 'node.unprepared', at: START, error: 'cannot be evaluated' },
  began: { type: 'attempt.began', at: START },
  found: { type: 'attempt.found', at: START },
  died: { type: 'attempt.died', at: START },
  'died before it': { type: 'preparation.died', at: START },
  'code missing': { type: 'attempt.missing', at: START, code, mayHaveBegun: false },
  'code missing, as a restart finds': { type: 'attempt.missing', at: START, code, mayHaveBegun: true },
  'code missing before it': { type: 'node.lacking', at: START, code },
  'code registered': { type: 'function.registered', at: START },
  offered: { type: 'attempt.offered', at: START },
  answered: { type: 'attempt.answered', at: START },
  'ended well': { type: 'attempt.ended', at: START, exitCode: 0 },
  'ended well, as a restart finds': { type: 'attempt.ended', at: START - 1, heardAt: START, exitCode: 0 },
  'ended late': { type: 'attempt.ended', at: START + 2_000, exitCode: 0 },
  'ended in part': { type: 'attempt.ended', at: START, exitCode: 0, partial: true },
  'ended badly': { type: 'attempt.ended', at: START, exitCode: 1, error: 'exit status 1' },
  'ended badly, matched': {
    type: 'attempt.ended',
    at: START,
    exitCode: 1,
    error: 'exit status 1',
    outputMatched: true
  },
  'condition holds': { type: 'condition.checked', at: START, met: true },
  'condition does not hold': { type: 'condition.checked', at: START, met: false },
  'condition unanswered': { type: 'condition.failed', at: START, error: 'no answer' },
  'died at its condition': { type: 'condition.died', at: START },
  'alarm, soon': { type: 'alarm.rang', at: START + 1 },
  'alarm, late': { type: 'alarm.rang', at: START + 1_000_000 },
  signal: { type: 'signal.given', step: 'a', at: START, output: '1' },
  refusal: { type: 'signal.given', step: 'a', at: START, output: '{"approved":false}', refusal: 'no' },
  'worker lost': {
    type: 'worker.lost',
    at: START,
    worker: 'wa',
    home: 'a1',
    silentMs: 30_000,
    fencedAt: START + 30_000
  },
  'worker fenced': { type: 'worker.fenced', at: START },
  'worker back': { type: 'worker.back', at: START },
  'another worker': { type: 'worker.replaced', at: START },
  'late end': { type: 'attempt.late', at: START, attempt: 1, late: { endedAt: START, heardAt: START, exitCode: 0 } },
  stop: { type: 'node.stop', at: START },
  'stop at once': { type: 'node.stop', at: START, atOnce: true },
  kill: { type: 'node.kill', at: START }
}

/** A node is a child of its run, which it asks for a worker. */
const runOf = (input: NodeInput, inspect: Inspect) =>
  onStage(
    openStage(),
    createActor(createMachine({ id: 'run', invoke: { id: 'node', src: nodeLogic, input } }), { inspect })
  )

/** A walk, and what is known of the thing that lives in it. */
export interface KnownWalk {
  walk: Walk
  known: Known
}

/** Whether a step like this can hear such an event at all. */
function canHear(name: string, { hears }: Known, { wait, preconditions, call }: Step, path: string): boolean {
  if (name === 'conditions not met') return preconditions.length > 0
  if (name === 'ended in part') return call !== undefined
  if (name === 'refusal') return wait?.kind === 'approval'
  const within = path.split('.')
  return within.every((_, at) => hears(nodeEvents[name]?.type ?? '', within.slice(0, at + 1).join('.')))
}

const retryOf = ({ retry: { limit, interval, ...rest } }: Step) =>
  retry({ ...rest, limit: Number(limit), interval: Number(interval) })

/** @param isPlanned only what the plan of the step allows can happen */
const modelsOf =
  (isPlanned: boolean) =>
  (given: Step, onInterrupt?: NodeInput['onInterrupt'], also: Partial<NodeInput> = {}): KnownWalk => {
    const events: typeof nodeEvents = isPlanned
      ? { ...nodeEvents, 'conditions met': { ...prepared, met: true, retry: retryOf(given) } }
      : nodeEvents
    const isPlaced = also.onWorkerLost !== undefined || also.loss !== undefined
    const known = knownOfNode({ step: given, place: 0, ...(onInterrupt ? { onInterrupt } : {}), ...also, isPlaced })
    const openNode = (inspect: Inspect) =>
      runOf(
        {
          run: key(),
          place: 0,
          step: given,
          cleanUpMs: 12_000,
          at: START,
          ...(onInterrupt ? { onInterrupt } : {}),
          ...also
        },
        inspect
      ).start()
    const nodeIn = (actor: ReturnType<typeof openNode>) =>
      actor.getSnapshot().children.node as ActorRefFrom<typeof nodeMachine>
    const walk = walking({
      open: openNode,
      moves: Object.fromEntries(
        Object.entries(events).map(([name, event]) => [
          name,
          (actor: ReturnType<typeof openNode>) => nodeIn(actor)?.send(event)
        ])
      ),
      can(actor, move) {
        const node = nodeIn(actor)?.getSnapshot()
        return (
          node?.can(events[move] as NodeEvent) === true &&
          (!isPlanned || canHear(move, known, given, pathOf(node.value)))
        )
      },
      keyOf(actor) {
        const node = nodeIn(actor)?.getSnapshot()
        if (!node) return 'over'
        const { value, context: c } = node
        return JSON.stringify([
          value,
          c.attempt,
          c.retryCount,
          c.doneCount,
          c.remindAt > START + 5_000,
          c.timeoutAt > 0,
          c.exitCode,
          c.continues,
          c.loss !== undefined,
          c.requeues,
          c.died
        ])
      },
      depth: 5
    })
    return { walk, known }
  }
const rich = step('a', {
  preconditions: [{ condition: 'true' }],
  timeoutMs: 1_000,
  retry: { limit: 1 },
  continueOn: { outputs: ['x'], markSuccess: true }
})
const waits = (wait: Step['wait'] & object, wish: StepWish = {}) => step('a', { wait, timeoutMs: 1_000, ...wish })
const loop = { repeat: repeat({ function: 'f', limit: 3 }), executor: { type: 'function', config: {} } }
const conditions = { preconditions: [{ condition: 'true' }] }
const loss = { worker: 'wa', silentMs: 30_000, fencedAt: START + 30_000 }
/** Steps that between them meet everything a node can meet. */
export function nodeModels(isPlanned = false): KnownWalk[] {
  const nodeModel = modelsOf(isPlanned)
  return [
    nodeModel(step('a', { timeoutMs: 1_000 })),
    nodeModel(rich, 'fail'),
    nodeModel({ ...rich, retry: retry(), preconditions: [] }, 'fail'),
    nodeModel(step('a', { repeat: repeat({ condition: { condition: 'true' }, limit: 2 }) }), 'rerun'),
    nodeModel(step('a', { repeat: repeat({ limit: 2 }), timeoutMs: 1_000 }), 'fail'),
    nodeModel({ ...rich, preconditions: [], retry: retry(), repeat: repeat({ exitCodes: [9] }) }),
    nodeModel(waits({ kind: 'approval' })),
    nodeModel(waits({ kind: 'signal', onTimeout: 'skip' }, conditions)),
    nodeModel(waits({ kind: 'signal', onTimeout: 'succeed' })),
    nodeModel(waits({ kind: 'signal' }, { continueOn: { failure: true, markSuccess: true } })),
    nodeModel(waits({ kind: 'sleep', for: 'PT1S' }, { timeoutMs: 0 })),
    nodeModel(waits({ kind: 'sleep', for: 'PT1S' }, { ...conditions, timeoutMs: 0 })),
    nodeModel({ ...rich, timeoutMs: 1_000 }, 'fail', { onWorkerLost: 'requeue' }),
    nodeModel({ ...rich, preconditions: [], retry: retry() }, 'fail', { onWorkerLost: 'requeue' }),
    nodeModel({ ...rich, retry: retry() }, 'fail', { onWorkerLost: 'wait' }),
    nodeModel(step('onExit', { retry: { limit: 1 } }), 'rerun', { place: 'onExit', loss }),
    nodeModel(step('a', { repeat: repeat({ condition: { condition: 'true' }, limit: 2 }) }), 'rerun', {
      onWorkerLost: 'wait'
    }),
    nodeModel({ ...step('a', { retry: { limit: 1 } }), executor: { type: 'ssh', config: {} } }),
    nodeModel(step('a', { call: 'b', repeat: repeat({ limit: 2 }), timeoutMs: 1_000 }), 'fail'),
    nodeModel(step('a'), undefined, { onWorkerLost: 'wait' }),
    nodeModel(step('a', { repeat: repeat({ limit: 2 }) }), 'rerun', { onWorkerLost: 'requeue' }),
    nodeModel({ ...rich, onMissing: 'fail' }, 'fail'),
    nodeModel(step('a', loop)),
    nodeModel(step('a', { ...loop, onMissing: 'fail' }))
  ]
}
