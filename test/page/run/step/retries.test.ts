/** How often a step was tried, as the page says it. Source: http-api "Node", retryCount: retries so far. */
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

  it('one that it waits for has not been made', () => {
    expect(made([EXECUTING, 'waiting'], 1)).to.deep.equal({ made: 0, isWaiting: true })
  })
  it('one that is at work has', () => {
    expect(made([EXECUTING, 'waiting', EXECUTING], 1)).to.deep.equal({ made: 1, isWaiting: false })
  })
  it('after the last of them nothing waits', () => {
    expect(made([EXECUTING, 'waiting', EXECUTING, 'failed'], 1)).to.deep.equal({ made: 1, isWaiting: false })
  })
  it('one that a stop has prevented was never made', () => {
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
  it('is said in words that fit the number', () => {
    expect([1, 2, 11].map(timesText)).to.deep.equal(['once', '2 times', '11 times'])
  })
})
