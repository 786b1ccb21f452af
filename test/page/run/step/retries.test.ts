/** Retries of a step, as the page shows them. Source: http-api "Node", retryCount: retries so far. */
import { expect } from 'chai'
import type { JournalEvent } from '../../../../src/page/answers.ts'
import { retriesOf, timesText } from '../../../../src/page/run/step/retries.ts'

/** Transitions of one step, each to the next. */
const journal = (step: string, ...states: string[]): JournalEvent[] =>
  states.map((to, at) => ({
    name: 'etl',
    dagRunId: 'r1',
    seq: at + 1,
    at: '2026-01-01T00:00:00Z',
    atMs: Date.UTC(2026, 0, 1),
    actor: `run/etl/r1/node/${step}`,
    event: 'any',
    from: states[at - 1] ?? '',
    to,
    step,
    statusLabel: 'running'
  }))
const EXECUTING = 'attempting.executing'

describe('page › retries of a step', () => {
  const made = (states: string[], retryCount: number, upTo = Number.POSITIVE_INFINITY) =>
    retriesOf(journal('load', ...states), upTo, new Map([['load', retryCount]])).get('load')

  it('one that it is waiting for does not count', () => {
    expect(made([EXECUTING, 'waiting'], 1)).to.deep.equal({ made: 0, isWaiting: true })
  })
  it('one that is running does', () => {
    expect(made([EXECUTING, 'waiting', EXECUTING], 1)).to.deep.equal({ made: 1, isWaiting: false })
  })
  it('after the last one nothing is waiting', () => {
    expect(made([EXECUTING, 'waiting', EXECUTING, 'failed'], 1)).to.deep.equal({ made: 1, isWaiting: false })
  })
  it('one that a stop prevented does not count', () => {
    expect(made([EXECUTING, 'waiting', 'canceled'], 1)).to.deep.equal({ made: 0, isWaiting: false })
    expect(made([EXECUTING, 'waiting', EXECUTING, 'waiting', 'canceled'], 2)).to.deep.equal({
      made: 1,
      isWaiting: false
    })
  })
  it('back in time what came later does not count', () => {
    expect(made([EXECUTING, 'waiting', EXECUTING, 'succeeded'], 1, 2)).to.deep.equal({ made: 0, isWaiting: true })
  })
  it('steps without a retry are left out', () => {
    expect(retriesOf(journal('load', EXECUTING, 'succeeded'), 9, new Map())).to.deep.equal(new Map())
  })
  it('the words fit the number', () => {
    expect([1, 2, 11].map(timesText)).to.deep.equal(['once', '2 times', '11 times'])
  })
})
