/**
 * Every chart alive: each state is reached, each transition is taken, or there is a reason why not. The suite follows the ways that
 * `make models` has found (`fixtures/models/ways.json`); that one walks the charts as graphs, every state within the depth of a model,
 * and finds the ways again when a chart or a model has changed: `UPDATE_GOLDEN=1 make models`.
 * Source: style "Tests"; execution-semantics 5.1, 7.3.
 */
import { expect } from 'chai'
import type { AnyStateMachine } from 'xstate'
import { callMachine } from '../../../machines/call.ts'
import { deliveryMachine } from '../../../machines/delivery.ts'
import { engineMachine } from '../../../machines/engine.ts'
import { nodeMachine } from '../../../machines/node.ts'
import { queueMachine } from '../../../machines/queue.ts'
import { restartMachine } from '../../../machines/restart.ts'
import { runMachine } from '../../../machines/run.ts'
import { schedulerMachine } from '../../../machines/scheduler.ts'
import { workerMachine } from '../../../machines/worker.ts'
import { fixture, golden } from '../../golden/cases.ts'
import { fewestWays, openCoverage } from '../../support/charts/model.ts'
import { ALL_THE_WAY } from '../../support/walks.ts'
import { MODELS, WAYS } from './models/all.ts'
import { callModel } from './models/call.ts'

const machines: AnyStateMachine[] = [
  engineMachine,
  schedulerMachine,
  restartMachine,
  queueMachine,
  runMachine,
  nodeMachine,
  callMachine,
  workerMachine,
  deliveryMachine
]
/** Transitions that no model takes, by name, and why. One that is taken needs no excuse. */
const EXCUSED: Record<string, string> = {
  'node attempting.interrupting: worker.lost 1': 'the stubs of a call end at once when they are killed'
}

describe('charts as models', () => {
  const coverage = openCoverage()
  /** States of the models, not of the charts: they also differ in what is known and which actors are active. */
  let walked = 0
  before(() => {
    if (ALL_THE_WAY) {
      const found = Object.entries(MODELS).map(([name, model]) => {
        const { states, ways } = model.explore(coverage)
        walked += states
        return [name, ways] as const
      })
      if (process.env.UPDATE_GOLDEN) golden(WAYS, fewestWays(MODELS, Object.fromEntries(found)))
    } else {
      const recorded = JSON.parse(fixture(WAYS)) as Record<string, string[]>
      for (const [name, model] of Object.entries(MODELS)) model.follow(coverage, recorded[name] ?? [])
    }
  })
  after(() => {
    if (!ALL_THE_WAY) return
    const charts = machines.map((machine) => {
      const { states, unreached, transitions, untaken } = coverage.of(machine)
      const share = (all: string[], missing: string[]) => `${all.length - missing.length}/${all.length}`
      return [machine.id, { states: share(states, unreached), transitions: share(transitions, untaken) }]
    })
    console.log(JSON.stringify({ name: 'models', walked, charts: Object.fromEntries(charts) }))
  })

  for (const machine of machines) {
    it(`${machine.id}: every state is reached`, () => {
      expect(coverage.of(machine).unreached).to.deep.equal([])
    })
    it(`${machine.id}: every transition is taken, or has a reason`, () => {
      const { transitions, untaken } = coverage.of(machine)
      expect(untaken.filter((name) => !(name in EXCUSED))).to.deep.equal([])
      const needless = Object.keys(EXCUSED).filter((name) => transitions.includes(name) && !untaken.includes(name))
      expect(needless).to.deep.equal([])
    })
  }

  it('5.1 every status of a run and of a node that has an actor is that of a state that is reached', () => {
    const ends = ['canceled', 'failed', 'partially_succeeded', 'succeeded']
    expect(coverage.tagsOf(runMachine)).to.deep.equal([...ends, 'running'].sort())
    expect(coverage.tagsOf(nodeMachine)).to.deep.equal([...ends, 'running', 'skipped'].sort())
  })

  const deafTo = (message: RegExp, machine: AnyStateMachine) =>
    coverage
      .of(machine)
      .states.filter((path) => !listens(machine, path, message))
      .sort()
  it('7.3.6 every state of a run that is no end can be ended by force', () => {
    expect(deafTo(/\.force$/, runMachine)).to.deep.equal([
      'canceled',
      'failed',
      'partially_succeeded',
      'releasing', // bounded by its own time limit
      'succeeded'
    ])
  })
  it('7.3 every state of a run and of a node that is no end accepts a stop, or is ending already', () => {
    const deaf = (machine: AnyStateMachine) => deafTo(/\.stop$/, machine)
    expect(deaf(runMachine)).to.deep.equal([
      'canceled',
      'concluding.answering',
      'concluding.exiting', // no stop cuts a handler short, nor the mail about the end
      'failed',
      'notifying',
      'partially_succeeded',
      'releasing',
      'stopping',
      'succeeded'
    ])
    expect(deaf(nodeMachine)).to.deep.equal([
      'attempting.finishing',
      'attempting.stopping.asked',
      'attempting.stopping.killed',
      'canceled',
      'failed',
      'partially_succeeded',
      'skipped',
      'succeeded'
    ])
  })

  it('the count can fail: what nobody has done is named', () => {
    const fresh = openCoverage()
    callModel(true).explore(fresh, 1)
    const { unreached, untaken } = fresh.of(callMachine)
    expect(unreached).to.deep.equal(['reporting'])
    expect(untaken).to.include('call stopping: sub.ended 1')
  })
})

describe('charts as models › ways', () => {
  it('those that were found do again all that was done on the search for them', () => {
    const searched = openCoverage()
    const { ways } = callModel(true).explore(searched, 2)
    const { model = [] } = fewestWays({ model: callModel(true) }, { model: ways })
    expect(model.length).to.be.lessThan(ways.length)
    const followed = openCoverage()
    callModel(true).follow(followed, model)
    expect(followed.of(callMachine)).to.deep.equal(searched.of(callMachine))
  })
  it('a move that is gone, or cannot happen where it did, is named', () => {
    const follow = (way: string) => () => callModel(true).follow(openCoverage(), [way])
    expect(follow('resolved > a nap')).to.throw('resolved > a nap: no move "a nap" in this model')
    expect(follow('resolved > reported')).to.throw('resolved > reported: "reported" failed: there is none')
  })
})

/** Whether a state, or one around it, says what such an event does. */
function listens(machine: AnyStateMachine, path: string, event: RegExp): boolean {
  let node: AnyStateMachine['root'] | undefined = machine.root
  const around = [node, ...path.split('.').map((key) => (node = node?.states[key]))]
  return around.some((state) => state && [...state.transitions.keys()].some((name) => event.test(name)))
}
