/** Source: execution-semantics 5.2, 5.3, 7.2.1; architecture 10. */
import { expect } from 'chai'
import { cancelPending, type Known, openRunState, resolve, takeReady } from '../../../machines/policy/readiness.ts'
import { chain, step } from '../../support/charts/plans.ts'

type RunState = ReturnType<typeof openRunState>
const taken = (runState: RunState) => {
  const indexes: number[] = []
  for (let index = takeReady(runState); index !== undefined; index = takeReady(runState)) indexes.push(index)
  return indexes
}
/** `d` depends on the three before it. */
const fan = () => [step('a'), step('b'), step('c'), step('d', { depends: ['a', 'b', 'c'] })]

describe('policy › readiness › 5.3 releasing dependents', () => {
  const after = (status: Parameters<typeof resolve>[2], continues: boolean) => {
    const runState = openRunState(chain(step('a'), step('b')), 0)
    taken(runState)
    resolve(runState, 0, status, continues)
    return runState.ready.length > 0
  }
  it('succeeded, partially_succeeded: yes', () => {
    expect(after('succeeded', false)).to.equal(true)
    expect(after('partially_succeeded', false)).to.equal(true)
  })
  it('failed: only if its continueOn matches; skipped: only if its continueOn.skipped is true', () => {
    expect([after('failed', true), after('failed', false)]).to.deep.equal([true, false])
    expect([after('skipped', true), after('skipped', false)]).to.deep.equal([true, false])
  })
  it('canceled: never', () => {
    expect([after('canceled', true), after('canceled', false)]).to.deep.equal([false, false])
  })
})

describe('policy › readiness › 5.2 several dependencies', () => {
  const fate = (...ends: Parameters<typeof resolve>[2][]) => {
    const runState = openRunState(fan(), 0)
    taken(runState)
    ends.forEach((status, index) => void resolve(runState, index, status, false))
    return [runState.status[3], runState.resolved.find(({ index }) => index === 3)?.error]
  }
  it('a node is resolved when every dependency is terminal', () => {
    expect(fate('failed', 'canceled')).to.deep.equal(['not_started', undefined])
  })
  it('canceled beats skipped, whatever the order', () => {
    expect(fate('failed', 'skipped', 'succeeded')).to.deep.equal(['canceled', 'upstream failed'])
    expect(fate('skipped', 'succeeded', 'canceled')).to.deep.equal(['canceled', 'upstream canceled'])
    expect(fate('canceled', 'failed', 'skipped')).to.deep.equal(['canceled', 'upstream canceled'])
  })
  it('one skipped among succeeded: skipped', () => {
    expect(fate('succeeded', 'skipped', 'succeeded')).to.deep.equal(['skipped', 'upstream skipped'])
  })
  it('5.3, 5.4 one that is skipped for its dependency lets its own dependents run with continueOn.skipped', () => {
    const steps = chain(step('a'), step('b', { continueOn: { skipped: true } }), step('c'), step('d'))
    const runState = openRunState(steps, 0)
    taken(runState)
    resolve(runState, 0, 'skipped', false)
    expect(runState.resolved).to.deep.equal([
      { index: 1, status: 'skipped', error: 'upstream skipped', continues: true }
    ])
    expect(runState.ready).to.deep.equal([2])
  })
  it('5.4.4 one that is canceled for its dependency never does', () => {
    const steps = chain(step('a'), step('b', { continueOn: { skipped: true, failure: true } }), step('c'))
    const runState = openRunState(steps, 0)
    resolve(runState, 0, 'failed', false)
    expect(runState.status).to.deep.equal(['failed', 'canceled', 'canceled'])
  })
  it('all succeeded: ready', () => {
    expect(fate('succeeded', 'succeeded', 'succeeded')).to.deep.equal(['not_started', undefined])
  })
  it('propagates through the whole graph, without recursion', () => {
    const steps = chain(...Array.from({ length: 20_000 }, (_, index) => step(`s${index}`)))
    const runState = openRunState(steps, 0)
    resolve(runState, 0, 'failed', false)
    expect(runState.open).to.equal(0)
    expect(runState.resolved).to.have.length(19_999)
    expect(runState.status.at(-1)).to.equal('canceled')
  })
})

describe('policy › readiness › 7.2.1 maxActiveSteps', () => {
  it('starts no more nodes than there are slots, in definition order', () => {
    const runState = openRunState(fan(), 2)
    expect(taken(runState)).to.deep.equal([0, 1])
    resolve(runState, 1, 'succeeded', false)
    expect(taken(runState)).to.deep.equal([2])
    expect([...runState.active]).to.deep.equal([0, 2])
  })
  it('0 is unlimited', () => {
    expect(taken(openRunState(fan(), 0))).to.deep.equal([0, 1, 2])
  })
  it('what becomes ready keeps definition order', () => {
    const steps = [step('late', { depends: ['z'] }), step('y'), step('z'), step('mid', { depends: ['z'] }), step('end')]
    const runState = openRunState(steps, 1)
    expect(takeReady(runState)).to.equal(1)
    resolve(runState, 1, 'succeeded', false)
    expect(takeReady(runState)).to.equal(2)
    resolve(runState, 2, 'succeeded', false)
    expect(runState.ready).to.deep.equal([0, 3, 4])
  })
})

describe('policy › readiness › the tally', () => {
  it('counts each node once, by how it ended', () => {
    const runState = openRunState(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => step(name)),
      0
    )
    resolve(runState, 0, 'succeeded', false)
    resolve(runState, 1, 'failed', false)
    resolve(runState, 2, 'failed', true)
    resolve(runState, 3, 'skipped', true)
    resolve(runState, 4, 'partially_succeeded', false)
    resolve(runState, 5, 'canceled', false)
    expect(runState.tally).to.deep.equal({
      total: 6,
      succeeded: 1,
      partiallySucceeded: 1,
      skipped: 1,
      failed: 1,
      continued: 1
    })
    expect(runState.open).to.equal(0)
  })
})

describe('policy › readiness › 7.1.1 run timeout: pending ones canceled', () => {
  it('cancels what has not started, and nothing else', () => {
    const runState = openRunState(fan(), 2)
    taken(runState)
    resolve(runState, 0, 'succeeded', false)
    cancelPending(runState, 'run timed out')
    expect(runState.status).to.deep.equal(['succeeded', 'running', 'canceled', 'canceled'])
    expect(runState.resolved.map(({ index, error }) => [index, error])).to.deep.equal([
      [2, 'run timed out'],
      [3, 'run timed out']
    ])
    expect(takeReady(runState)).to.equal(undefined)
    resolve(runState, 1, 'canceled', false)
    expect(runState.open).to.equal(0)
  })
})

describe('policy › readiness › after a restart', () => {
  const reopen = (known: (Known | undefined)[], maxActive = 0) => openRunState(fan(), maxActive, known)
  it('a running node is active and takes its slot', () => {
    const runState = reopen([{ status: 'running' }], 2)
    expect(taken(runState)).to.deep.equal([1])
  })
  it('ended nodes have released their dependents', () => {
    const runState = reopen([{ status: 'succeeded' }, { status: 'failed', continues: true }, { status: 'succeeded' }])
    expect(taken(runState)).to.deep.equal([3])
  })
  it('a node is not started twice, although its dependency stands after it in the definition', () => {
    const steps = [step('a', { depends: ['b'] }), step('b')]
    const running = openRunState(steps, 0, [{ status: 'running' }, { status: 'succeeded' }])
    expect(taken(running)).to.deep.equal([])
    const ended = openRunState(steps, 0, [{ status: 'succeeded' }, { status: 'succeeded' }])
    expect([taken(ended), ended.open]).to.deep.equal([[], 0])
  })
  it('5.4 whether a skipped node lets its dependents run is what its step says, however it came to be skipped', () => {
    const steps = chain(step('a'), step('b', { continueOn: { skipped: true } }), step('c'), step('d'))
    expect(taken(openRunState(steps, 0, [{ status: 'succeeded' }, { status: 'skipped' }]))).to.deep.equal([2])
    const runState = openRunState(steps, 0, [{ status: 'skipped', continues: true }])
    expect([runState.status[1], taken(runState)]).to.deep.equal(['skipped', [2]])
  })
  it('13.1.3 what is known of a node stands, whatever is known of those before it', () => {
    const runState = openRunState(chain(step('a'), step('b'), step('c')), 0, [
      { status: 'skipped' },
      { status: 'succeeded' }
    ])
    expect([taken(runState), runState.status[1], runState.tally.succeeded]).to.deep.equal([[2], 'succeeded', 1])
  })
  it('reports what rules have resolved, transitively', () => {
    const runState = openRunState(chain(step('a'), step('b'), step('c')), 0, [{ status: 'skipped' }])
    expect(runState.resolved.map(({ index, error }) => [index, error])).to.deep.equal([
      [1, 'upstream skipped'],
      [2, 'upstream skipped']
    ])
    expect([runState.open, runState.tally.skipped]).to.deep.equal([0, 3])
  })
  it('does not report again what rules resolved before', () => {
    const runState = reopen([
      { status: 'failed' },
      { status: 'succeeded' },
      { status: 'succeeded' },
      { status: 'canceled' }
    ])
    expect(runState.resolved).to.deep.equal([])
    expect([runState.open, runState.tally.failed]).to.deep.equal([0, 1])
  })
})
