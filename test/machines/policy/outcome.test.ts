/** Source: execution-semantics 5.5, 8.2. */
import { expect } from 'chai'
import { type Ending, handlerFor, runOutcome, type Tally } from '../../../machines/policy/outcome.ts'

const nodes = (counts: Partial<Omit<Tally, 'total'>>, others = 0): Tally => {
  const tally = { succeeded: 0, partiallySucceeded: 0, skipped: 0, failed: 0, continued: 0, ...counts }
  return { ...tally, total: Object.values(tally).reduce((sum, count) => sum + count, others) }
}
const outcome = (tally: Tally, ending: Partial<Omit<Ending, 'tally'>> = {}) =>
  runOutcome({ tally, stopped: false, unmet: false, timedOut: false, handlerFailed: false, ...ending })

describe('policy › outcome › 5.5, first rule that holds', () => {
  it('1: stopped, and not all nodes are succeeded/skipped/partially_succeeded: canceled', () => {
    expect(outcome(nodes({ succeeded: 1 }, 1), { stopped: true })).to.equal('canceled')
    expect(outcome(nodes({ failed: 1 }), { stopped: true })).to.equal('canceled')
    expect(outcome(nodes({ succeeded: 1, continued: 1 }), { stopped: true })).to.equal('canceled')
  })
  it('1: stopped, but all nodes ended well: the next rules decide', () => {
    expect(outcome(nodes({ succeeded: 1, skipped: 1 }), { stopped: true })).to.equal('succeeded')
    expect(outcome(nodes({ partiallySucceeded: 1 }), { stopped: true })).to.equal('partially_succeeded')
  })
  it('1: its preconditions failed: canceled, also when there are no nodes at all (5.6.9)', () => {
    expect(outcome(nodes({}), { unmet: true })).to.equal('canceled')
    expect(outcome(nodes({}, 2), { unmet: true })).to.equal('canceled')
  })
  it('2: no failed node without a matching continueOn, one that went well, one that did not quite', () => {
    expect(outcome(nodes({ succeeded: 1, continued: 1 }))).to.equal('partially_succeeded')
    expect(outcome(nodes({ partiallySucceeded: 1 }))).to.equal('partially_succeeded')
    expect(outcome(nodes({ partiallySucceeded: 1, continued: 1, skipped: 1 }))).to.equal('partially_succeeded')
  })
  it('3: any error recorded', () => {
    expect(outcome(nodes({ succeeded: 5, failed: 1 }))).to.equal('failed')
    expect(outcome(nodes({ succeeded: 5, continued: 1, failed: 1 }))).to.equal('failed')
    expect(outcome(nodes({ succeeded: 1 }), { timedOut: true })).to.equal('failed')
    expect(outcome(nodes({ succeeded: 1 }), { handlerFailed: true })).to.equal('failed')
  })
  it('4: otherwise succeeded', () => {
    expect(outcome(nodes({ succeeded: 3 }))).to.equal('succeeded')
    expect(outcome(nodes({}))).to.equal('succeeded')
  })
})

describe('policy › outcome › 5.5 consequences', () => {
  it('all nodes skipped: succeeded', () => {
    expect(outcome(nodes({ skipped: 2 }))).to.equal('succeeded')
  })
  it('only failed-with-continueOn and skipped nodes, none succeeded: failed', () => {
    expect(outcome(nodes({ continued: 1, skipped: 1 }))).to.equal('failed')
  })
  it('run timeout: failed (not canceled)', () => {
    expect(outcome(nodes({ succeeded: 1, continued: 1 }, 1), { timedOut: true })).to.equal('failed')
  })
  it('handlers: succeeded + failing handler = failed; canceled and partially_succeeded stay', () => {
    expect(outcome(nodes({ succeeded: 1, continued: 1 }), { handlerFailed: true })).to.equal('partially_succeeded')
    expect(outcome(nodes({}, 1), { stopped: true, handlerFailed: true })).to.equal('canceled')
  })
})

describe('policy › outcome › 8.2 which handler answers', () => {
  it('succeeded and partially_succeeded -> success; failed -> failure; canceled -> cancel', () => {
    expect(handlerFor).to.deep.equal({
      succeeded: 'success',
      partially_succeeded: 'success',
      failed: 'failure',
      canceled: 'cancel'
    })
  })
})
