/** `at` and `priority` of a request, as they are read. Source: docs/http-api.md "Later, and before others". */
import { expect } from 'chai'
import { placeFor } from '../../../src/engine/start/place.ts'

const NOW = Date.parse('2026-10-31T00:00:00Z')
const DAY_MS = 86_400_000

describe('engine › start › at and priority', () => {
  const place = (request: object, plan = {}, enabled = true) =>
    placeFor({ spec: '', ...request }, { queues: { enabled, config: [] } }, plan, NOW)
  const after = (at: string) => (place({ at }).notBefore ?? NOW) - NOW

  it('`at` is an instant with its offset, or + and a duration; what is past is now', () => {
    expect(['+10m', '+90s', '+2d12h', '+1w', '+PT10M'].map(after)).to.deep.equal([
      600_000,
      90_000,
      2.5 * DAY_MS,
      7 * DAY_MS,
      600_000
    ])
    expect(after('2026-11-01T02:00:00+01:00')).to.equal(25 * 3_600_000)
    expect([place({ at: '2026-10-30T00:00:00Z' }), place({ at: '+0s' })]).to.deep.equal([{}, {}])
    for (const at of ['', '+', '10m', '+10', '+1m1h', '-10m', '2026-11-01T02:00:00', '2026-11-01', 'tomorrow'])
      expect(() => place({ at }), at).to.throw('at: wanted an instant with its offset')
  })

  it('`at` is at most 366 days from now, and wants a queue to wait in', () => {
    expect(after('+366d')).to.equal(366 * DAY_MS)
    expect(() => place({ at: '+367d' })).to.throw('at most 366 days')
    for (const more of [{ singleton: true }, { noQueue: true }, { unlimited: true }])
      expect(() => place({ at: '+1m', ...more }), JSON.stringify(more)).to.throw(/^at: /)
    expect(() => place({ at: '+1m' }, {}, false)).to.throw('queues are disabled in configuration')
  })

  it('the priority is that of the request, else of the definition, else 0, which is not stored', () => {
    const definition = { priority: 5 }
    expect([place({}), place({ priority: 0 }, definition)]).to.deep.equal([{}, {}])
    expect([place({}, definition), place({ priority: -1_000 }, definition)]).to.deep.equal([
      { priority: 5 },
      { priority: -1_000 }
    ])
    for (const priority of [1_001, -1_001, 0.5, Number.NaN])
      expect(() => place({ priority })).to.throw('priority: wanted an integer from -1000 to 1000')
  })
})
