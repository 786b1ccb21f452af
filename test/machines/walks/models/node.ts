/** One step of one run, as a model. Source: execution-semantics 5.2, 6, 7. */
import { createActor, type EventFrom } from 'xstate'
import type { NodeInput, nodeMachine } from '../../../../machines/node.ts'
import type { Step } from '../../../../machines/vocabulary.ts'
import { nodeLogic } from '../../../support/charts/charts.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { key, repeat, retry, step } from '../../../support/charts/plans.ts'
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
  'code missing': { type: 'attempt.missing', at: START, code, mayHaveBegun: false },
  'code missing, as a restart finds': { type: 'attempt.missing', at: START, code, mayHaveBegun: true },
  'code missing before it': { type: 'node.lacking', at: START, code },
  'code registered': { type: 'function.registered', at: START },
  offered: { type: 'attempt.offered', at: START },
  answered: { type: 'attempt.answered', at: START },
  'ended well': { type: 'attempt.ended', at: START, exitCode: 0 },
  'ended well, as a restart finds': { type: 'attempt.ended', at: START - 1, heardAt: START, exitCode: 0 },
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
  'alarm, soon': { type: 'alarm.rang', at: START + 1 },
  'alarm, late': { type: 'alarm.rang', at: START + 1_000_000 },
  stop: { type: 'node.stop', at: START },
  'stop at once': { type: 'node.stop', at: START, atOnce: true },
  kill: { type: 'node.kill', at: START }
}

function nodeModel(given: Step, onInterrupt?: NodeInput['onInterrupt']): Walk {
  const openNode = (inspect: Inspect) =>
    onStage(
      openStage(),
      createActor(nodeLogic, {
        inspect,
        input: {
          run: key(),
          place: 0,
          step: given,
          cleanUpMs: 12_000,
          at: START,
          ...(onInterrupt ? { onInterrupt } : {})
        }
      })
    ).start()
  return walking({
    open: openNode,
    moves: Object.fromEntries(
      Object.entries(nodeEvents).map(([name, event]) => [
        name,
        (actor: ReturnType<typeof openNode>) => actor.send(event)
      ])
    ),
    can: (actor, move) => actor.getSnapshot().can(nodeEvents[move] as NodeEvent),
    keyOf(actor) {
      const { value, context: c } = actor.getSnapshot()
      return JSON.stringify([
        value,
        c.attempt,
        c.retryCount,
        c.doneCount,
        c.remindAt > START + 5_000,
        c.timeoutAt > 0,
        c.exitCode,
        c.continues
      ])
    },
    depth: 5
  })
}
const rich = step('a', {
  preconditions: [{ condition: 'true' }],
  timeoutMs: 1_000,
  retry: { limit: 1 },
  continueOn: { outputs: ['x'], markSuccess: true }
})
/** Steps that between them meet everything a node can meet. */
export const nodeModels = () => [
  nodeModel(step('a', { timeoutMs: 1_000 })),
  nodeModel(rich, 'fail'),
  nodeModel({ ...rich, retry: retry(), preconditions: [] }, 'fail'),
  nodeModel(step('a', { repeat: repeat({ condition: { condition: 'true' }, limit: 2 }) }), 'rerun'),
  nodeModel(step('a', { repeat: repeat({ limit: 2 }), timeoutMs: 1_000 }), 'fail'),
  nodeModel({ ...rich, preconditions: [], retry: retry(), repeat: repeat({ exitCodes: [9] }) })
]
