/**
 * The bare charts, walked by machine: every state is reachable, every documented status is reached, and a live actor with
 * companions comes to the same states by the same events. Source: style "Tests"; execution-semantics 5.1.
 */
import { expect } from 'chai'
import { createActor, type EventFrom } from 'xstate'
import { getShortestPaths, getStateNodes } from 'xstate/graph'
import { type NodeInput, nodeMachine, statusOf } from '../../machines/node.ts'
import { pathOf } from '../../src/actors/recorded.ts'
import { nodeOn } from '../support/charts.ts'
import { key, retry, step } from '../support/plans.ts'
import { openStage, START } from '../support/stage.ts'

type NodeEvent = EventFrom<typeof nodeMachine>

const prepared = { type: 'node.prepared' as const, at: START, retry: retry({ limit: 1 }), conditions: [] }
const events: NodeEvent[] = [
  { ...prepared, met: true },
  { ...prepared, met: false },
  { type: 'node.unprepared', at: START, error: 'cannot be evaluated' },
  { type: 'attempt.began', at: START },
  { type: 'attempt.ended', at: START, exitCode: 0 },
  { type: 'attempt.ended', at: START, exitCode: 0, partial: true },
  { type: 'attempt.ended', at: START, exitCode: 1, error: 'exit status 1' },
  { type: 'attempt.ended', at: START, exitCode: 1, error: 'exit status 1', outputMatched: true },
  { type: 'alarm.rang', at: START + 1 },
  { type: 'alarm.rang', at: START + 1_000_000 },
  { type: 'node.stop', at: START },
  { type: 'node.kill', at: START }
]
/** A step with everything a chart can meet: a condition, a time limit, a retry, and a failure that may count as success. */
const rich = step('a', {
  preconditions: [{ condition: 'true' }],
  timeoutMs: 1_000,
  retry: { limit: 1 },
  continueOn: { outputs: ['x'], markSuccess: true }
})
const inputOf = (given: typeof rich): NodeInput => ({ run: key(), place: 0, step: given, cleanUpMs: 12_000, at: START })
const nodePaths = (given: typeof rich) =>
  getShortestPaths(nodeMachine, {
    input: inputOf(given),
    events,
    serializeState: ({ value, context: c }) => JSON.stringify([value, c.retryCount, c.attempt, c.remindAt]),
    limit: 10_000
  })
/** Ids of the innermost states in which a snapshot may rest. */
const leavesOf = (machine: typeof nodeMachine) =>
  getStateNodes(machine)
    .filter(({ type }) => type === 'atomic' || type === 'final')
    .filter(({ always }) => !always || always.length === 0)
    .map(({ path }) => path.join('.'))

describe('node chart › every path', () => {
  const paths = nodePaths(rich)
  it('reaches every state', () => {
    const reached = new Set(paths.map(({ state }) => pathOf(state.value)))
    expect([...reached].sort()).to.deep.equal(leavesOf(nodeMachine).sort())
  })
  it('reaches every status of execution-semantics 5.1 that a node at work or at its end can have', () => {
    // not_started is a node without an actor.
    const statuses = new Set(paths.map(({ state }) => statusOf(state)))
    expect([...statuses].sort()).to.deep.equal([
      'canceled',
      'failed',
      'partially_succeeded',
      'running',
      'skipped',
      'succeeded'
    ])
  })
  it('`picked` is passed through at once', () => {
    const [first] = paths
    expect(first?.steps).to.have.length(1)
    expect(pathOf(first?.state.value)).to.equal('preparing')
    const bare = nodePaths(step('a'))
    expect(pathOf(bare[0]?.state.value)).to.equal('attempting.executing')
  })
  it('from every state there is a way to an end', () => {
    const ends = (from: (typeof paths)[number]['state']) =>
      getShortestPaths(nodeMachine, {
        fromState: from,
        events,
        serializeState: ({ value }) => JSON.stringify(value),
        toState: ({ status }) => status === 'done'
      }).length > 0
    for (const { state } of paths)
      if (state.status === 'active') expect(ends(state), pathOf(state.value)).to.equal(true)
  })
  it('in every state that is no end a stop is accepted, or has been', () => {
    for (const { state } of paths) {
      if (state.status !== 'active') continue
      const accepted = state.can({ type: 'node.stop', at: START }) || state.matches({ attempting: 'stopping' })
      expect(accepted, pathOf(state.value)).to.equal(true)
    }
  })
  it('a stop always leads to canceled, whatever is answered after it', () => {
    const stopped = (state: (typeof paths)[number]['state']) =>
      state.matches({ attempting: 'stopping' }) || state.matches('canceled')
    for (const { steps, state } of paths) {
      const asked = steps.some(({ event }) => event.type === 'node.stop')
      if (asked) expect(stopped(state), pathOf(state.value)).to.equal(true)
      else expect(stopped(state), pathOf(state.value)).to.equal(false)
    }
  })
  it('a final state says its own status as output, and when it was reached', () => {
    for (const { state } of paths)
      if (state.status === 'done') {
        expect(state.output).to.include({ status: state.value, place: 0 })
        expect(state.output?.at).to.be.at.least(START)
      }
  })
  it('a live node with companions comes to the same states', () => {
    for (const { steps, state } of paths) {
      const actor = createActor(nodeOn(openStage()), { input: inputOf(rich) }).start()
      for (const { event } of steps) if ((event as { type: string }).type !== 'xstate.init') actor.send(event)
      expect(pathOf(actor.getSnapshot().value)).to.equal(pathOf(state.value))
      expect(statusOf(actor.getSnapshot())).to.equal(statusOf(state))
      actor.stop()
    }
  })
})
