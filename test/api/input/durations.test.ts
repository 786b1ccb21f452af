/** Lengths of time, and counts in a moving window. Source: api-semantics 3.1, 10.1. */
import { expect } from 'chai'
import { durationOf } from '../../../src/api/input/duration.ts'
import { rollingEnds } from '../../../src/api/metrics/run-metrics.ts'

describe('API › durations', () => {
  it('grammar: sequence of number+unit ms|s|m|h', () => {
    const wanted = { '1h30m': 5_400_000, '10s': 10_000, '250ms': 250, '1.5h': 5_400_000, '1m1ms': 60_001 }
    for (const [text, ms] of Object.entries(wanted)) expect(durationOf(text), text).to.equal(ms)
  })

  it('unparsable or non-positive: none', () => {
    for (const text of ['', '5', 'h', '-1h', '0s', '1d', '1h 30m', `${'1h'.repeat(51)}`])
      expect(durationOf(text), text).to.equal(undefined)
  })
})

describe('API › runs that ended in the last 24 hours', () => {
  it('rolling, by finishedAt; all three series always present', () => {
    const day = 24 * 3_600_000
    const ends = rollingEnds(day)
    expect(ends.counts(0)).to.deep.equal({ succeeded: 0, failed: 0, aborted: 0 })
    ends.add('succeeded', 0)
    ends.add('succeeded', 3_600_000)
    ends.add('failed', 3_600_000)
    expect(ends.counts(day - 60_000)).to.deep.equal({ succeeded: 2, failed: 1, aborted: 0 })
    expect(ends.counts(day + 60_000)).to.deep.equal({ succeeded: 1, failed: 1, aborted: 0 })
    expect(ends.counts(day + 3_660_000)).to.deep.equal({ succeeded: 0, failed: 0, aborted: 0 })
  })
})
