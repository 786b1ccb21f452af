/**
 * The bare chart of a node, walked by machine, further in `make models`: every state is reachable, every documented status is
 * reached, and a live actor with invoked actors comes to the same states by the same events. Source: style "Tests"; execution-semantics 5.1.
 */
import { expect } from 'chai'
import { createActor, type EventFrom } from 'xstate'
import { getShortestPaths, getStateNodes } from 'xstate/graph'
import { type NodeInput, nodeMachine, statusOf } from '../../../machines/node.ts'
import { pathOf } from '../../../src/actors/journal/recorded.ts'
import { lostWorker, nodeLogic } from '../../support/charts/charts.ts'
import { key, repeat, retry, step } from '../../support/charts/plans.ts'
import { onStage, openStage, START } from '../../support/charts/stage.ts'
import { ALL_THE_WAY } from '../../support/walks.ts'

type NodeEvent = EventFrom<typeof nodeMachine>

const prepared = { type: 'node.prepared' as const, at: START, retry: retry({ limit: 1 }), conditions: [] }
const events: NodeEvent[] = [
  { ...prepared, met: true },
  { ...prepared, met: false },
  { type: 'node.unprepared', at: START, error: 'cannot be evaluated' },
  { type: 'attempt.began', at: START },
  { type: 'attempt.found', at: START },
  { type: 'attempt.unsupported', at: START },
  { type: 'attempt.supported', at: START },
  { type: 'attempt.offered', at: START },
  { type: 'attempt.answered', at: START },
  { type: 'attempt.ended', at: START, exitCode: 0 },
  { type: 'attempt.ended', at: START, exitCode: 0, partial: true },
  { type: 'attempt.ended', at: START, exitCode: 1, error: 'exit status 1' },
  { type: 'attempt.ended', at: START, exitCode: 1, error: 'exit status 1', outputMatched: true },
  { type: 'condition.checked', at: START, met: true },
  { type: 'condition.checked', at: START, met: false },
  { type: 'alarm.rang', at: START + 1 },
  { type: 'alarm.rang', at: START + 1_000_000 },
  lostWorker(START),
  { type: 'worker.fenced', at: START },
  { type: 'worker.back', at: START },
  { type: 'node.stop', at: START },
  { type: 'node.kill', at: START }
]
const stopAtOnce: NodeEvent = { type: 'node.stop', at: START, atOnce: true }
/** A step with everything a chart can meet: a condition, a time limit, a retry, and a failure that may count as success. */
const rich = step('a', {
  preconditions: [{ condition: 'true' }],
  timeoutMs: 1_000,
  retry: { limit: 1 },
  continueOn: { outputs: ['x'], markSuccess: true }
})
/** One that repeats besides, and may not be resumed. */
const recurring = { ...rich, repeat: repeat({ condition: { condition: 'true' }, limit: 2 }), timeoutMs: 0 }
const inputOf = (given: typeof rich): NodeInput => ({
  run: key(),
  place: 0,
  step: given,
  cleanUpMs: 12_000,
  at: START,
  onInterrupt: given === recurring ? 'rerun' : 'fail',
  ...(given === rich ? { onWorkerLost: 'wait' } : {})
})
const nodePaths = (given: typeof rich, also: NodeEvent[] = []) =>
  getShortestPaths(nodeMachine, {
    input: inputOf(given),
    events: [...events, ...also],
    serializeState: ({ value, context: c }) =>
      JSON.stringify([value, c.attempt, c.retryCount, c.doneCount, c.remindAt, c.exitCode, c.loss !== undefined]),
    // An execution may be cut off any number of times.
    stopWhen: ({ context: c }) => c.attempt > (ALL_THE_WAY ? 4 : 1),
    limit: 20_000
  })
/** Ids of the innermost states in which a snapshot may rest. */
const leavesOf = (machine: typeof nodeMachine) =>
  getStateNodes(machine)
    .filter(({ type }) => type === 'atomic' || type === 'final')
    .filter(({ always }) => !always || always.length === 0)
    .map(({ path }) => path.join('.'))

describe('node chart › every path', () => {
  const paths = nodePaths(rich)
  const recurrent = nodePaths(recurring, [stopAtOnce])
  it('reaches every state', () => {
    const reached = new Set([...paths, ...recurrent].map(({ state }) => pathOf(state.value)))
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
    const places = new Map([...paths, ...recurrent].map(({ state }) => [pathOf(state.value), state]))
    for (const [place, state] of places) if (state.status === 'active') expect(ends(state), place).to.equal(true)
  })
  it('in every state that is no end a stop is accepted, or has been', () => {
    for (const { state } of [...paths, ...recurrent]) {
      if (state.status !== 'active') continue
      const asked = state.matches({ attempting: 'stopping' }) || state.matches({ attempting: 'finishing' })
      const accepted = state.can({ type: 'node.stop', at: START }) || asked
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
  it('7.3.5 a repeating node that is asked to stop begins nothing any more', () => {
    for (const { steps, state } of recurrent) {
      const asked = steps.findIndex(({ event }) => event.type === 'node.stop')
      if (asked < 0) continue
      const begun = (count: number) => steps[count]?.state.context.attempt ?? state.context.attempt
      expect(state.context.attempt, steps.map(({ event }) => event.type).join()).to.equal(begun(asked))
      expect(['waiting', 'testing', 'repeating']).not.to.include(pathOf(state.value))
    }
  })
  it('a final state says its own status as output, and when it was reached', () => {
    for (const { state } of [...paths, ...recurrent])
      if (state.status === 'done') {
        expect(state.output).to.include({ status: state.value, place: 0 })
        expect(state.output?.at).to.be.at.least(START)
      }
  })
  it('a live node with invoked actors comes to the same states', () => {
    const walked = [
      ...paths.map((path) => ({ ...path, given: rich })),
      ...recurrent.map((path) => ({ ...path, given: recurring }))
    ].filter((_, nth) => ALL_THE_WAY || nth % 10 === 0)
    for (const { steps, state, given } of walked) {
      const actor = onStage(openStage(), createActor(nodeLogic, { input: inputOf(given) })).start()
      for (const { event } of steps) if ((event as { type: string }).type !== 'xstate.init') actor.send(event)
      expect(pathOf(actor.getSnapshot().value)).to.equal(pathOf(state.value))
      expect(statusOf(actor.getSnapshot())).to.equal(statusOf(state))
      actor.stop()
    }
  })
})
