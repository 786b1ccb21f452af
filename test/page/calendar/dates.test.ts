/** Weeks of dates. Source: docs/page.md "Calendar". */
import { expect } from 'chai'
import { addDays, dateIn, mondayOf, mondaysOf } from '../../../src/page/calendar/dates.ts'
import { cellText, outcomeOf, sharesOf, shortCount, together } from '../../../src/page/calendar/outcome.ts'

describe('page › calendar › dates', () => {
  it('weeks begin with Monday', () => {
    expect(['2026-11-28', '2026-11-29', '2026-11-30'].map(mondayOf)).to.deep.equal([
      '2026-11-23',
      '2026-11-23',
      '2026-11-30'
    ])
    expect(addDays('2026-12-31', 1)).to.equal('2027-01-01')
  })

  it('weeks are counted over the end of a year, up to the one that a date is in', () => {
    expect(mondaysOf('2026-12-21', '2027-01-04')).to.deep.equal(['2026-12-21', '2026-12-28', '2027-01-04'])
    expect(mondaysOf('2026-12-21', '2027-01-03')).to.have.length(2)
  })

  it('only a date is one', () => {
    expect([null, '', '2026-02-30', '2026-2-3', 'x', '2026-02-28'].map(dateIn)).to.deep.equal([
      ...Array(5).fill(undefined),
      '2026-02-28'
    ])
  })
})

describe('page › calendar › what a day has come to', () => {
  it('one failure counts more than any number of successes', () => {
    const cell = { runs: { succeeded: 99, failed: 1 }, planned: 0 }
    expect(outcomeOf(cell)).to.equal('failed')
    expect(cellText(cell)).to.equal('100 runs: 1 failed, 99 succeeded')
    expect(sharesOf(cell).map(({ percent }) => percent)).to.deep.equal([1, 99])
    expect(outcomeOf({ runs: { succeeded: 3, running: 1 }, planned: 0 })).to.equal('running')
    expect(outcomeOf({ runs: {}, planned: 3 })).to.equal(undefined)
  })

  it('is said in words, with what is planned', () => {
    expect(cellText({ runs: { succeeded: 1 }, planned: 2 })).to.equal('1 run: 1 succeeded; 2 planned')
    expect(cellText({ runs: {}, planned: 2 })).to.equal('2 planned')
    expect(cellText({ runs: {}, planned: 0 })).to.equal('no runs')
    expect([999, 1_000, 12_345, 2_000_000].map(shortCount)).to.deep.equal(['999', '1k', '12k', '1M+'])
  })

  it('two parts of an hour that clocks repeat are one', () => {
    const part = { date: '2026-10-25', hour: 2, fromMs: 10, toMs: 20, runs: { failed: 1 }, planned: 1 }
    expect(
      together(part, { ...part, fromMs: 20, toMs: 30, runs: { failed: 1, succeeded: 1 }, planned: 0 })
    ).to.deep.equal({ ...part, toMs: 30, runs: { failed: 2, succeeded: 1 } })
  })
})
