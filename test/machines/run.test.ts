/** Which nodes of a run start, and when. Source: execution-semantics 5.2, 5.3, 6.1.7, 7.2.1. */
import { expect } from 'chai'
import { driveRun, workingRun } from '../support/charts/charts.ts'
import { chain, plan, type StepWish, step } from '../support/charts/plans.ts'
import { START } from '../support/charts/stage.ts'

const conditional = { preconditions: [{ condition: 'test -f go' }] }
/** Steps `first` and `after`, the second depending on the first. */
const pair = (first: StepWish = {}) => workingRun(plan(chain(step('first', first), step('after'))))

describe('run › 5.2 node transitions', () => {
  it('not_started, all dependencies released, slot free: running', () => {
    const run = workingRun(plan([step('a'), step('b'), step('c', { depends: ['a', 'b'] })]))
    expect(run.running()).to.deep.equal(['a', 'b'])
    run.ends('a')
    expect(run.status('c')).to.equal('not_started')
    run.stage.advance(40)
    run.ends('b')
    expect(run.status('c')).to.equal('running')
    expect(run.seen.get('node/c')?.context.startedAt).to.equal(START + 40)
  })
  it('not_started, a dependency is failed and may not continue: canceled, error "upstream failed", no startedAt', () => {
    const run = pair()
    run.ends('first', 1)
    expect(run.status('after')).to.equal('canceled')
    expect(run.error('after')).to.equal('upstream failed')
    expect(run.begun).to.deep.equal(['node/first'])
  })
  it('not_started, a dependency is canceled: canceled, error "upstream canceled", as far as that reaches', () => {
    const run = workingRun(plan(chain(step('a'), step('b'), step('c'), step('d'))))
    run.ends('a', 1)
    expect(['b', 'c', 'd'].map(run.status)).to.deep.equal(['canceled', 'canceled', 'canceled'])
    expect(['b', 'c', 'd'].map(run.error)).to.deep.equal(['upstream failed', 'upstream canceled', 'upstream canceled'])
  })
  it('not_started, a dependency is skipped and may not continue: skipped, error "upstream skipped"', () => {
    const run = pair(conditional)
    run.skips('first')
    expect(run.status('after')).to.equal('skipped')
    expect(run.error('after')).to.equal('upstream skipped')
  })
  it('not_started, run precondition not met: stays not_started', () => {
    const run = driveRun(plan(chain(step('a'), step('b')), { preconditions: [{ condition: 'false' }] }))
    run.prepared()
    run.checked(false)
    expect(['a', 'b'].map(run.status)).to.deep.equal(['not_started', 'not_started'])
  })
  it('a node that throws fails the node only', () => {
    const run = driveRun(plan([step('bad'), step('after', { depends: ['bad'] }), step('other')]))
    run.stage.breaks('node/bad/attempt')
    run.prepared()
    expect(run.status('bad')).to.equal('failed')
    expect(run.error('bad')).to.equal('defect: Error: attempt is broken')
    expect(run.status('after')).to.equal('canceled')
    expect(run.running()).to.deep.equal(['other'])
    run.ends('other')
    expect(run.outcome()).to.equal('failed')
    expect(run.fault()).to.equal(undefined)
  })
  it('several dependencies: a node is resolved when every dependency is terminal', () => {
    const run = workingRun(plan([step('a'), step('b'), step('c', { depends: ['a', 'b'] })]))
    run.ends('a', 1)
    expect(run.status('c')).to.equal('not_started')
    run.ends('b')
    expect(run.status('c')).to.equal('canceled')
  })
  it('several dependencies: canceled beats skipped, in either order', () => {
    for (const order of [
      ['skipped', 'failed'],
      ['failed', 'skipped']
    ]) {
      const steps = [step('skipped', conditional), step('failed'), step('c', { depends: ['skipped', 'failed'] })]
      const run = workingRun(plan(steps))
      for (const name of order) name === 'failed' ? run.ends('failed', 1) : run.skips('skipped')
      expect(run.status('c'), order.join()).to.equal('canceled')
    }
  })
})

describe('run › 5.3 releasing dependents', () => {
  it('succeeded: yes', () => {
    const run = pair()
    run.ends('first')
    expect(run.running()).to.deep.equal(['after'])
  })
  it('failed: only if its continueOn matches', () => {
    const run = pair({ continueOn: { exitCodes: [3] } })
    run.ends('first', 3)
    expect(run.status('first')).to.equal('failed')
    expect(run.running()).to.deep.equal(['after'])
    const other = pair({ continueOn: { exitCodes: [3] } })
    other.ends('first', 4)
    expect(other.running()).to.deep.equal([])
  })
  it('skipped: only if its continueOn.skipped is true', () => {
    const run = pair({ ...conditional, continueOn: { skipped: true } })
    run.skips('first')
    expect(run.running()).to.deep.equal(['after'])
  })
  it('canceled: never', () => {
    const steps = chain(step('a'), step('b', { continueOn: { failure: true, skipped: true } }), step('c'))
    const run = workingRun(plan(steps))
    run.ends('a', 1)
    expect(run.status('c')).to.equal('canceled')
  })
})

describe('run › 7.2.1 maxActiveSteps and definition order', () => {
  const names = ['a', 'b', 'c', 'd']
  const wide = (maxActiveSteps: number) =>
    workingRun(
      plan(
        names.map((name) => step(name)),
        { maxActiveSteps }
      )
    )
  it('is the number of running nodes; 0 is unlimited', () => {
    expect(wide(0).running()).to.deep.equal(names)
    expect(wide(2).running()).to.deep.equal(['a', 'b'])
  })
  it('ready nodes start in definition order', () => {
    const run = wide(2)
    run.ends('b')
    expect(run.running()).to.deep.equal(['a', 'c'])
    run.ends('c')
    expect(run.running()).to.deep.equal(['a', 'd'])
  })
  it('a node that becomes ready late goes before later ones of the definition', () => {
    const steps = [step('x'), step('early', { depends: ['x'] }), step('late'), step('later')]
    const run = workingRun(plan(steps, { maxActiveSteps: 1 }))
    run.ends('x')
    expect(run.running()).to.deep.equal(['early'])
    run.ends('early')
    expect(run.running()).to.deep.equal(['late'])
  })
  it('6.1.7 waiting for retry included', () => {
    const steps = [step('a', { retry: { limit: 1, interval: 10_000 } }), step('b')]
    const run = workingRun(plan(steps, { maxActiveSteps: 1 }))
    run.ends('a', 1)
    run.stage.advance(9_999)
    expect(run.running()).to.deep.equal(['a'])
    expect(run.status('b')).to.equal('not_started')
    run.stage.advance(1)
    run.ends('a', 0)
    expect(run.running()).to.deep.equal(['b'])
  })
  it('a node that rules resolved takes no slot', () => {
    const steps = [step('a'), step('b', { depends: ['a'] }), step('c')]
    const run = workingRun(plan(steps, { maxActiveSteps: 1 }))
    run.ends('a', 1)
    expect(run.status('b')).to.equal('canceled')
    expect(run.running()).to.deep.equal(['c'])
  })
})

describe('run › before its first node', () => {
  it('8.4 a run that never got going is failed, its nodes not_started, without handlers', () => {
    const run = driveRun(plan([step('a')], { handlers: { failure: step('onFailure'), exit: step('onExit') } }))
    run.unprepared('failed to resolve secrets: no such file')
    expect(run.outcome()).to.equal('failed')
    expect(run.context().error).to.equal('failed to resolve secrets: no such file')
    expect(run.status('a')).to.equal('not_started')
    expect(run.begun).to.deep.equal([])
  })
  it('5.6 DAG preconditions are evaluated after the preparation, and kept', () => {
    const run = driveRun(plan([step('a')], { preconditions: [{ condition: 'true' }] }))
    expect(run.stage.live('conditions')).to.deep.equal([])
    run.prepared()
    expect(run.state()).to.equal('checking')
    const conditions = [{ matched: true, error: '' }]
    run.stage.the('conditions').answer('conditions.checked', { met: true, conditions })
    expect(run.context().conditions).to.deep.equal(conditions)
    expect(run.running()).to.deep.equal(['a'])
  })
  it('5.6.9 DAG level not met: run canceled, all nodes not_started, handlers cancel and exit run', () => {
    const handlers = { success: step('onSuccess'), cancel: step('onCancel'), exit: step('onExit') }
    const run = driveRun(plan([step('a')], { preconditions: [{ condition: 'false' }], handlers }))
    run.prepared()
    run.checked(false)
    run.ends('onCancel')
    run.ends('onExit')
    expect(run.begun).to.deep.equal(['handler/onCancel', 'handler/onExit'])
    expect(run.outcome()).to.equal('canceled')
    expect(run.status('a')).to.equal('not_started')
  })
  it('1.3.4 without steps the run ends succeeded at once', () => {
    expect(workingRun(plan([])).outcome()).to.equal('succeeded')
  })
})

describe('run › children', () => {
  it('a node that has ended is no longer a child: a long run does not grow', () => {
    const run = workingRun(plan(chain(step('a'), step('b'))))
    run.ends('a')
    expect(Object.keys(run.actor.getSnapshot().children)).to.deep.equal(['node/b'])
  })
  it('step names may hold any characters', () => {
    const names = ['a.b', 'a/b', '*', 'xstate.done.actor.x', 'ü "quoted"']
    const run = workingRun(plan(chain(...names.map((name) => step(name)))))
    for (const name of names) run.ends(name)
    expect(run.outcome()).to.equal('succeeded')
  })
})
