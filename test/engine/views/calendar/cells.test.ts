/** Days and hours of a zone, also where its clocks change. Source: http-api "Calendar". */
import { expect } from 'chai'
import { type CellLength, cellsOf } from '../../../../src/engine/views/calendar/cells.ts'

describe('calendar › days and hours of a zone', () => {
  const at = (text: string) => Date.parse(text)
  const cells = (from: string, to: string, length: CellLength, zone: string) =>
    cellsOf(at(from), at(to), length, zone).map(({ from, to, date, hour }) => [
      date,
      ...(hour === undefined ? [] : [hour]),
      (to - from) / 3_600_000
    ])

  it('begins with the day that the first instant is in, and ends with that of the last one', () => {
    const [first, ...others] = cellsOf(at('2026-06-10T15:00Z'), at('2026-06-12T00:30+02:00'), 'day', 'Europe/Berlin')
    expect(first).to.deep.equal({
      from: at('2026-06-10T00:00+02:00'),
      to: at('2026-06-11T00:00+02:00'),
      date: '2026-06-10'
    })
    expect(others.map(({ date }) => date)).to.deep.equal(['2026-06-11', '2026-06-12'])
    expect(cells('2026-06-10T00:00Z', '2026-06-11T00:00Z', 'day', 'UTC')).to.deep.equal([['2026-06-10', 24]])
  })

  it('a day on which clocks change has 23 or 25 hours', () => {
    expect(cells('2026-03-28T12:00Z', '2026-03-30T12:00Z', 'day', 'Europe/Berlin')).to.deep.equal([
      ['2026-03-28', 24],
      ['2026-03-29', 23],
      ['2026-03-30', 24]
    ])
    expect(cells('2026-10-25T12:00Z', '2026-10-25T13:00Z', 'day', 'Europe/Berlin')).to.deep.equal([['2026-10-25', 25]])
  })

  it('midnight may not be there, and the quarter may be where an hour begins', () => {
    // Clocks go from 24:00 to 1:00.
    expect(cells('2026-04-24T12:00Z', '2026-04-24T13:00Z', 'day', 'Africa/Cairo')).to.deep.equal([['2026-04-24', 23]])
    expect(cells('2026-06-10T00:00Z', '2026-06-10T00:20Z', 'hour', 'Asia/Kathmandu')).to.deep.equal([
      ['2026-06-10', 5, 1],
      ['2026-06-10', 6, 1]
    ])
  })

  it('an hour that clocks repeat is one cell of two hours, and one that they skip is none', () => {
    expect(cells('2026-10-25T00:00Z', '2026-10-25T03:00Z', 'hour', 'Europe/Berlin')).to.deep.equal([
      ['2026-10-25', 2, 2],
      ['2026-10-25', 3, 1]
    ])
    expect(cells('2026-03-29T00:00Z', '2026-03-29T02:00Z', 'hour', 'Europe/Berlin')).to.deep.equal([
      ['2026-03-29', 1, 1],
      ['2026-03-29', 3, 1]
    ])
  })
})
