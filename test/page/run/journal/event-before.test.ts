/** Which event was the latest when a line was written. */
import { expect } from 'chai'
import type { JournalEvent } from '../../../../src/page/answers.ts'
import { eventBefore } from '../../../../src/page/run/journal/event-before.ts'

describe('page › the moment of a line', () => {
  const event = (seq: number, atMs: number, step: string, to: string): JournalEvent => ({
    name: 'etl',
    dagRunId: 'r1',
    at: '',
    event: 'e',
    from: '',
    actor: `run/etl/r1/node/${step}`,
    seq,
    atMs,
    step,
    to
  })
  const events = [
    event(1, 500, 'a', 'attempting.executing'),
    event(2, 2_300, 'b', 'attempting.executing'),
    event(3, 3_100, 'a', 'waiting'),
    event(4, 3_900, 'a', 'attempting.executing'),
    event(5, 3_950, 'a', 'failed')
  ]
  const at = (step: string, second: number) => eventBefore(events, step, second)?.seq

  it('is the last event before its second', () => {
    expect([at('a', 2_000), at('b', 3_000), at('a', 9_000)]).to.deep.equal([1, 2, 5])
  })
  it('is not before its step was executing, although that began in the same second', () => {
    expect([at('a', 0), at('b', 2_000), at('a', 3_000)]).to.deep.equal([1, 2, 4])
  })
  it('is none where nothing had happened', () => {
    expect(eventBefore([], 'a', 1_000)).to.equal(undefined)
  })
})
