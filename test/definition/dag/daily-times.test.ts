/** Schedules that are the same every day, counted instead of asked for. Source: execution-semantics 11.1-11.5. */
import { expect } from 'chai'
import fc from 'fast-check'
import { nextRun } from '../../../src/definition/dag/next-run.ts'
import { ofAll } from '../../support/long.ts'

/** Its clocks are those of UTC, and it is not known to be: there the package answers. */
const LIKE_UTC = 'Africa/Abidjan'
const DAY_MS = 86_400_000

const field = (from: number, to: number) => {
  const number = fc.integer({ min: from, max: to })
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const step = fc.integer({ min: 1, max: to - from })
  const item = fc.oneof(
    number.map(String),
    range,
    fc.constant('*'),
    fc.tuple(fc.oneof(range, number.map(String), fc.constant('*')), step).map(([what, step]) => `${what}/${step}`)
  )
  return fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => items.join(','))
}
const instant = fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2100, 0) })

describe('next run of a schedule › the same every day', () => {
  it('is counted as the package finds it', () => {
    fc.assert(
      fc.property(field(0, 59), field(0, 23), instant, (minutes, hours, after) => {
        const expression = `${minutes} ${hours} * * *`
        const found = nextRun([expression], after, 'UTC')
        expect(found, expression).to.equal(nextRun([expression], after, LIKE_UTC))
        expect(nextRun([`TZ=Etc/UTC ${expression}`], after, 'Europe/Berlin'), expression).to.equal(found)
      }),
      { numRuns: ofAll(60, 300) }
    )
  })
  it('an instant at which it fires is followed by another one', () => {
    for (const after of [0, 1, 59_999, 60_000, 3_540_000, DAY_MS - 60_000, DAY_MS - 1, -1, -60_000]) {
      const next = Math.floor(after / 60_000) * 60_000 + 60_000
      expect(nextRun(['* * * * *'], after, 'UTC'), `${after}`).to.equal(next)
      expect(nextRun(['0 0 * * *'], after, 'UTC'), `${after}`).to.equal((Math.floor(after / DAY_MS) + 1) * DAY_MS)
    }
  })
  it('days, months and weekdays are asked for', () => {
    const after = Date.parse('2026-02-01T00:00Z')
    const days = ['0 0 29 * *', '0 0 * 3 *', '0 0 * * 3'].map((expression) => nextRun([expression], after, 'UTC') ?? 0)
    expect(days.map((at) => new Date(at).toISOString().slice(0, 10))).to.deep.equal([
      '2026-03-29',
      '2026-03-01',
      '2026-02-04'
    ])
  })
})
