/** Which failures a run has, and which is next. */
import { expect } from 'chai'
import type { JournalEvent } from '../../../../src/page/answers.ts'
import { failureFrom, failuresOf, firstFailed } from '../../../../src/page/run/failure/failures.ts'
import type { NodeMoment } from '../../../../src/page/run/moment.ts'

const event = (seq: number, change: Partial<JournalEvent> = {}) =>
  ({ seq, from: 'attempting.executing', to: 'failed', statusLabel: 'failed', ...change }) as JournalEvent
const node = (name: string, label: string, finishedAt?: number) => ({ name, label, finishedAt }) as NodeMoment

describe('page › the failures of a run', () => {
  const events = [event(3, { step: 'a' }), event(5, { step: 'b' }), event(9, { step: 'c' })]

  it('are those of its steps, of every attempt; of the run itself when no step failed', () => {
    const others = [
      event(1, { step: 'a', to: 'waiting', statusLabel: 'running' }),
      event(4, { step: 'a', from: 'failed' })
    ]
    expect(failuresOf([...others, ...events, event(10)]).map(({ seq }) => seq)).to.deep.equal([3, 5, 9])
    expect(failuresOf([...others, event(10)]).map(({ seq }) => seq)).to.deep.equal([10])
    expect(failuresOf(others)).to.deep.equal([])
  })

  it('the next one is after the moment that is shown; after the last comes the first', () => {
    const from = (direction: 1 | -1) => [undefined, 1, 3, 4, 5, 9, 12].map((at) => failureFrom(events, at, direction))
    expect(from(1)).to.deep.equal([0, 0, 1, 1, 2, 0, 0])
    expect(from(-1)).to.deep.equal([2, 2, 2, 0, 0, 1, 2])
    expect([failureFrom([], 3, 1), failureFrom([], undefined, -1)]).to.deep.equal([-1, -1])
  })

  it('the first failed step is the one that ended first of those that are failed now', () => {
    const nodes = [node('a', 'failed', 30), node('b', 'succeeded', 5), node('c', 'failed', 20), node('d', 'failed')]
    expect(firstFailed(nodes)?.name).to.equal('c')
    expect(firstFailed([node('b', 'succeeded', 5)])).to.equal(undefined)
  })
})
