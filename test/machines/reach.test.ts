/** Which states of a chart a step or a run can be in, by its plan. Source: docs/inspect.md "Charts". */
import { expect } from 'chai'
import type { AnyStateMachine } from 'xstate'
import { getStateNodes } from 'xstate/graph'
import { nodeMachine } from '../../machines/node.ts'
import { knownOfNode, type NodeFacts } from '../../machines/reach/node-reach.ts'
import { reachableIn, UNKNOWN } from '../../machines/reach/reach.ts'
import { knownOfRun } from '../../machines/reach/run-reach.ts'
import { runMachine } from '../../machines/run.ts'
import type { OnWorkerLost } from '../../machines/vocabulary.ts'
import { openCoverage, type Walk } from '../support/charts/model.ts'
import { plan, repeat, type StepWish, step } from '../support/charts/plans.ts'
import { ALL_THE_WAY } from '../support/walks.ts'
import { nodeModels } from './walks/models/node.ts'
import { runModels } from './walks/models/run.ts'

const statesIn = (reach: ReadonlyMap<string, unknown>) => [...reach.keys()].filter((path) => path !== '').sort()
const nodeReach = (wish: StepWish = {}, facts: Partial<NodeFacts> = {}) =>
  statesIn(reachableIn(nodeMachine, knownOfNode({ step: step('a', wish), place: 0, isPlaced: false, ...facts })))
const shell = [
  'attempting',
  'attempting.executing',
  'attempting.stopping',
  'attempting.stopping.asked',
  'attempting.stopping.killed',
  'canceled',
  'failed',
  'picked',
  'succeeded'
]

describe('reach of a chart', () => {
  it('a shell step is in none of the states of workers, repeats, code, waits and time limits', () =>
    expect(nodeReach()).to.deep.equal(shell))
  it('one with retries waits between its attempts, and is in no other state besides', () =>
    expect(nodeReach({ retry: { limit: 1 } })).to.deep.equal([...shell, 'waiting']))
  it('preconditions, a time limit and a repeatPolicy each bring their states', () => {
    const more = (wish: StepWish) => nodeReach(wish).filter((path) => !shell.includes(path))
    expect(more({ preconditions: [{ condition: 'true' }] })).to.deep.equal(['preparing', 'skipped'])
    expect(more({ timeoutMs: 1_000 })).to.deep.equal([
      'attempting.expiring',
      'attempting.expiring.asked',
      'attempting.expiring.killed'
    ])
    expect(more({ repeat: repeat({ limit: 2 }) })).to.deep.equal([
      'attempting.finishing',
      'passed',
      'repeating',
      'settling'
    ])
  })
  it('an approval has no execution, and is skipped by its time limit only', () => {
    const wait = { kind: 'approval' } as const
    expect(nodeReach({ wait })).to.deep.equal(['awaiting', 'canceled', 'failed', 'picked', 'succeeded'])
    expect(nodeReach({ wait: { ...wait, onTimeout: 'skip' }, timeoutMs: 1_000 })).to.include('skipped')
  })
  it('code of the host application may be missing, and its process may die; onInterrupt decides what then', () => {
    const found = nodeReach({ executor: { type: 'charge', config: {} } })
    expect(found.filter((path) => !shell.includes(path))).to.deep.equal(['attempting.interrupting', 'missing'])
    expect(nodeReach({}, { onInterrupt: 'fail' })).to.include('attempting.interrupting')
  })
  it('a step on a worker is offered to it, and may lose it', () => {
    const on = (onWorkerLost: OnWorkerLost) =>
      nodeReach({}, { isPlaced: true, onWorkerLost }).filter((path) => !shell.includes(path))
    expect(on('requeue')).to.deep.equal(['attempting.fencing', 'attempting.offering', 'placing'])
    expect(on('wait')).to.include('attempting.lost')
  })
  it('a run is in the states of what its plan has', () => {
    const reach = (wish: Parameters<typeof plan>[1] = {}) =>
      statesIn(reachableIn(runMachine, knownOfRun(plan([step('a')], wish), false)))
    expect(reach()).to.deep.equal(
      [
        'canceled',
        'concluding',
        'concluding.choosing',
        'ending',
        'failed',
        'preparing',
        'stopping',
        'succeeded',
        'working'
      ].sort()
    )
    expect(reach({ delayMs: 1 })).to.include('delaying')
    expect(reach({ handlers: { exit: step('onExit') } })).to.include('concluding.exiting')
  })
  it('of what nothing is known of, every state can be reached', () =>
    expect(statesIn(reachableIn(nodeMachine, UNKNOWN))).to.deep.equal(
      getStateNodes(nodeMachine)
        .map(({ path }) => path.join('.'))
        .sort()
    ))

  const reachedIn = (walk: Walk, machine: AnyStateMachine) => {
    const coverage = openCoverage()
    walk.explore(coverage, ALL_THE_WAY ? 5 : 3)
    const { states, unreached } = coverage.of(machine)
    return states.filter((path) => !unreached.includes(path))
  }
  const models = { node: nodeModels(true), run: runModels(true) }
  for (const [machine, planned] of [
    [nodeMachine, models.node],
    [runMachine, models.run]
  ] as const)
    for (const [index, { walk, known }] of planned.entries())
      it(`${machine.id} ${index + 1}: each state that a walk of such a plan reaches can be reached`, () => {
        const reach = reachableIn(machine, known)
        const reached = reachedIn(walk, machine)
        expect(reached.length).to.be.greaterThan(1)
        expect(reached.filter((path) => !reach.has(path))).to.deep.equal([])
      })
})
