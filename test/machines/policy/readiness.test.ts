/** Source: execution-semantics 5.2, 5.3, 7.2.1; architecture 10. */
import { expect } from 'chai'
import { cancelPending, type Known, openLedger, settle, takeReady } from '../../../machines/policy/readiness.ts'
import { chain, step } from '../../support/charts/plans.ts'

type Ledger = ReturnType<typeof openLedger>
const taken = (ledger: Ledger) => {
  const indexes: number[] = []
  for (let index = takeReady(ledger); index !== undefined; index = takeReady(ledger)) indexes.push(index)
  return indexes
}
/** `d` depends on the three before it. */
const fan = () => [step('a'), step('b'), step('c'), step('d', { depends: ['a', 'b', 'c'] })]

describe('policy › readiness › 5.3 releasing dependents', () => {
  const after = (status: Parameters<typeof settle>[2], continues: boolean) => {
    const ledger = openLedger(chain(step('a'), step('b')), 0)
    taken(ledger)
    settle(ledger, 0, status, continues)
    return ledger.ready.length > 0
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
  const fate = (...ends: Parameters<typeof settle>[2][]) => {
    const ledger = openLedger(fan(), 0)
    taken(ledger)
    ends.forEach((status, index) => void settle(ledger, index, status, false))
    return [ledger.status[3], ledger.settled.find(({ index }) => index === 3)?.error]
  }
  it('a node is settled when every dependency is terminal', () => {
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
    const ledger = openLedger(steps, 0)
    taken(ledger)
    settle(ledger, 0, 'skipped', false)
    expect(ledger.settled).to.deep.equal([{ index: 1, status: 'skipped', error: 'upstream skipped', continues: true }])
    expect(ledger.ready).to.deep.equal([2])
  })
  it('5.4.4 one that is canceled for its dependency never does', () => {
    const steps = chain(step('a'), step('b', { continueOn: { skipped: true, failure: true } }), step('c'))
    const ledger = openLedger(steps, 0)
    settle(ledger, 0, 'failed', false)
    expect(ledger.status).to.deep.equal(['failed', 'canceled', 'canceled'])
  })
  it('all succeeded: ready', () => {
    expect(fate('succeeded', 'succeeded', 'succeeded')).to.deep.equal(['not_started', undefined])
  })
  it('reaches as far as the graph goes, without recursion', () => {
    const steps = chain(...Array.from({ length: 20_000 }, (_, index) => step(`s${index}`)))
    const ledger = openLedger(steps, 0)
    settle(ledger, 0, 'failed', false)
    expect(ledger.open).to.equal(0)
    expect(ledger.settled).to.have.length(19_999)
    expect(ledger.status.at(-1)).to.equal('canceled')
  })
})

describe('policy › readiness › 7.2.1 maxActiveSteps', () => {
  it('hands out no more than there are slots, in definition order', () => {
    const ledger = openLedger(fan(), 2)
    expect(taken(ledger)).to.deep.equal([0, 1])
    settle(ledger, 1, 'succeeded', false)
    expect(taken(ledger)).to.deep.equal([2])
    expect([...ledger.active]).to.deep.equal([0, 2])
  })
  it('0 is unlimited', () => {
    expect(taken(openLedger(fan(), 0))).to.deep.equal([0, 1, 2])
  })
  it('what becomes ready keeps definition order', () => {
    const steps = [step('late', { depends: ['z'] }), step('y'), step('z'), step('mid', { depends: ['z'] }), step('end')]
    const ledger = openLedger(steps, 1)
    expect(takeReady(ledger)).to.equal(1)
    settle(ledger, 1, 'succeeded', false)
    expect(takeReady(ledger)).to.equal(2)
    settle(ledger, 2, 'succeeded', false)
    expect(ledger.ready).to.deep.equal([0, 3, 4])
  })
})

describe('policy › readiness › the tally', () => {
  it('counts each node once, by how it ended', () => {
    const ledger = openLedger(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => step(name)),
      0
    )
    settle(ledger, 0, 'succeeded', false)
    settle(ledger, 1, 'failed', false)
    settle(ledger, 2, 'failed', true)
    settle(ledger, 3, 'skipped', true)
    settle(ledger, 4, 'partially_succeeded', false)
    settle(ledger, 5, 'canceled', false)
    expect(ledger.tally).to.deep.equal({
      total: 6,
      succeeded: 1,
      partiallySucceeded: 1,
      skipped: 1,
      failed: 1,
      continued: 1
    })
    expect(ledger.open).to.equal(0)
  })
})

describe('policy › readiness › 7.1.1 run timeout: pending ones canceled', () => {
  it('cancels what has not started, and nothing else', () => {
    const ledger = openLedger(fan(), 2)
    taken(ledger)
    settle(ledger, 0, 'succeeded', false)
    cancelPending(ledger, 'run timed out')
    expect(ledger.status).to.deep.equal(['succeeded', 'running', 'canceled', 'canceled'])
    expect(ledger.settled.map(({ index, error }) => [index, error])).to.deep.equal([
      [2, 'run timed out'],
      [3, 'run timed out']
    ])
    expect(takeReady(ledger)).to.equal(undefined)
    settle(ledger, 1, 'canceled', false)
    expect(ledger.open).to.equal(0)
  })
})

describe('policy › readiness › after a restart', () => {
  const reopen = (known: (Known | undefined)[], maxActive = 0) => openLedger(fan(), maxActive, known)
  it('a running node is active and takes its slot', () => {
    const ledger = reopen([{ status: 'running' }], 2)
    expect(taken(ledger)).to.deep.equal([1])
  })
  it('ended nodes have released their dependents', () => {
    const ledger = reopen([{ status: 'succeeded' }, { status: 'failed', continues: true }, { status: 'succeeded' }])
    expect(taken(ledger)).to.deep.equal([3])
  })
  it('a node is not started twice, although its dependency stands after it in the definition', () => {
    const steps = [step('a', { depends: ['b'] }), step('b')]
    const running = openLedger(steps, 0, [{ status: 'running' }, { status: 'succeeded' }])
    expect(taken(running)).to.deep.equal([])
    const ended = openLedger(steps, 0, [{ status: 'succeeded' }, { status: 'succeeded' }])
    expect([taken(ended), ended.open]).to.deep.equal([[], 0])
  })
  it('5.4 whether a skipped node lets its dependents run is what its step says, however it came to be skipped', () => {
    const steps = chain(step('a'), step('b', { continueOn: { skipped: true } }), step('c'), step('d'))
    expect(taken(openLedger(steps, 0, [{ status: 'succeeded' }, { status: 'skipped' }]))).to.deep.equal([2])
    const ledger = openLedger(steps, 0, [{ status: 'skipped', continues: true }])
    expect([ledger.status[1], taken(ledger)]).to.deep.equal(['skipped', [2]])
  })
  it('13.1.3 what is known of a node stands, whatever is known of those before it', () => {
    const ledger = openLedger(chain(step('a'), step('b'), step('c')), 0, [
      { status: 'skipped' },
      { status: 'succeeded' }
    ])
    expect([taken(ledger), ledger.status[1], ledger.tally.succeeded]).to.deep.equal([[2], 'succeeded', 1])
  })
  it('says what rules settle now, as far as that reaches', () => {
    const ledger = openLedger(chain(step('a'), step('b'), step('c')), 0, [{ status: 'skipped' }])
    expect(ledger.settled.map(({ index, error }) => [index, error])).to.deep.equal([
      [1, 'upstream skipped'],
      [2, 'upstream skipped']
    ])
    expect([ledger.open, ledger.tally.skipped]).to.deep.equal([0, 3])
  })
  it('says nothing again of what rules settled before', () => {
    const ledger = reopen([
      { status: 'failed' },
      { status: 'succeeded' },
      { status: 'succeeded' },
      { status: 'canceled' }
    ])
    expect(ledger.settled).to.deep.equal([])
    expect([ledger.open, ledger.tally.failed]).to.deep.equal([0, 1])
  })
})
