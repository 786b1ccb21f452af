/** What is read as a date, and that no impossible one is. Source: docs/http-api.md "Access", docs/cli.md. */
import { expect } from 'chai'
import { instantIn } from '../../../machines/policy/instant.ts'
import { wakeAt } from '../../../machines/policy/waits.ts'
import { expiryOf } from '../../../src/api/routes/access/new-key.ts'
import { instantOf as sinceOf } from '../../../src/cli/input/run-filter.ts'
import { lastLine } from '../../../src/import/dagu/history/status.ts'
import { instantOf as testInstantOf } from '../../../src/testing/instant.ts'

/** Years from 2028 on are to come for an expiry. */
const POSSIBLE: Record<string, string> = {
  '2028-02-29T00:00:00Z': '2028-02-29T00:00:00.000Z',
  '2028-12-31T23:59:59.999Z': '2028-12-31T23:59:59.999Z',
  '2028-03-01T01:30:00+01:30': '2028-03-01T00:00:00.000Z',
  '2028-02-28T24:00:00Z': '2028-02-29T00:00:00.000Z',
  '2028-02-29T12:00-05:00': '2028-02-29T17:00:00.000Z'
}
const IMPOSSIBLE = [
  '2030-02-30T00:00:00Z',
  '2029-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2030-04-31T00:00:00Z',
  '2030-13-01T00:00:00Z',
  '2030-00-10T00:00:00Z',
  '2030-01-00T00:00:00Z',
  '2030-01-32T00:00:00Z',
  '2030-01-01T24:00:01Z',
  '2030-01-01T25:00:00Z',
  '2030-01-01T00:60:00Z',
  '2030-01-01T00:00:60Z',
  '2030-01-01T00:00:00+25:00',
  '2030-01-01T00:00:00-00:60',
  '2030-02-30T00:00:00+01:00'
]
const NOW = Date.UTC(2026, 0, 1)

const refusedOr = (read: () => number | string | undefined): number | 'refused' => {
  try {
    const found = read()
    return typeof found === 'number' && !Number.isNaN(found) ? found : 'refused'
  } catch {
    return 'refused'
  }
}
const DOORS: Record<string, (text: string) => number | string | undefined> = {
  'one reader': instantIn,
  'sleep until': (text) => wakeAt(text, 0),
  'expiry of a key': (text) => expiryOf(text, NOW),
  '--since': (text) => sinceOf('since', text, NOW),
  'an instant of a test': (text) => testInstantOf(text, 'UTC', 'until'),
  'a status of Dagu': (text) =>
    lastLine(Buffer.from(JSON.stringify({ name: 'a', dagRunId: 'r', status: 4, startedAt: text })))?.status.startedAt
}

describe('an impossible date is refused', () => {
  for (const [door, read] of Object.entries(DOORS)) {
    it(`${door}: none that the calendar or the clock does not have, nor an offset of a day or more`, () => {
      for (const text of IMPOSSIBLE)
        expect(
          refusedOr(() => read(text)),
          text
        ).to.equal('refused')
    })
    it(`${door}: what there is, is read as it is`, () => {
      for (const [text, instant] of Object.entries(POSSIBLE))
        expect(
          refusedOr(() => read(text)),
          text
        ).to.equal(Date.parse(instant))
    })
  }
  it('without a time, or without an offset', () => {
    for (const text of ['2026-02-30', '2026-02-29', '2026-13-01', '2026-02-30T10:00', '2026-02-30 10:00', '2026-02']) {
      expect(instantIn(text), text).to.be.NaN
      expect(() => sinceOf('since', text, NOW), text).to.throw('--since: wanted how long ago')
    }
    for (const text of ['2026-02-30', '2026-02-30T10:00'])
      expect(() => testInstantOf(text, 'Europe/Berlin', 'now'), text).to.throw('now: wanted an instant')
    expect(instantIn('2026-02-28')).to.equal(Date.UTC(2026, 1, 28))
    expect(instantIn('2026-02-28 10:00')).to.equal(new Date(2026, 1, 28, 10).getTime())
    expect(testInstantOf('2026-02-28', 'Europe/Berlin', 'now')).to.equal(Date.UTC(2026, 1, 27, 23))
  })
})
