/** Starts of a period, counted by days: as many as there are one by one. Source: http-api "Calendar"; execution-semantics 11.1-11.5. */
import { expect } from 'chai'
import { nextRun } from '../../../../src/definition/dag/next-run.ts'
import { startGroups } from '../../../../src/engine/views/calendar/start-groups.ts'
import { fakeEngine, planOf } from '../../../support/engine/fake-engine.ts'

/** By file name. */
const definitionsOf = (schedules: Record<string, string[]>) => {
  const plans = Object.entries(schedules).map(
    ([name, start]) => [name, planOf(name, { schedule: { start, stop: [], restart: [] } })] as const
  )
  return fakeEngine({}, Object.fromEntries(plans)).definitions()
}

describe('starts of a period, grouped', () => {
  const groupsOf = (schedules: Record<string, string[]>, from: string, to: string, zone = 'UTC') =>
    startGroups(definitionsOf(schedules), { from: Date.parse(from), to: Date.parse(to), zone }, () => undefined)
  const shown = async (...asked: Parameters<typeof groupsOf>) =>
    (await groupsOf(...asked)).map(({ stored, expression, count, first, last }) =>
      [stored.fileName, expression, count, new Date(first).toISOString(), new Date(last).toISOString()].join(' ')
    )

  it('what repeats is one group: how many starts, the first and the last one, by the first start', async () => {
    const schedules = {
      backup: ['30 1 * * *'],
      often: ['*/2 * * * *'],
      twice: ['15 1 * * *', '0 2 * * *'],
      day: ['0 12 * * *']
    }
    expect(await shown(schedules, '2026-11-30T01:00:00Z', '2026-11-30T03:00:00Z')).to.deep.equal([
      'often */2 * * * * 60 2026-11-30T01:00:00.000Z 2026-11-30T02:58:00.000Z',
      'twice 15 1 * * * 1 2026-11-30T01:15:00.000Z 2026-11-30T01:15:00.000Z',
      'backup 30 1 * * * 1 2026-11-30T01:30:00.000Z 2026-11-30T01:30:00.000Z',
      'twice 0 2 * * * 1 2026-11-30T02:00:00.000Z 2026-11-30T02:00:00.000Z'
    ])
  })

  it('a suspended definition has none', async () => {
    const [stored] = definitionsOf({ often: ['* * * * *'] })
    const suspended = stored ? [{ ...stored, suspended: true }] : []
    expect(await startGroups(suspended, { from: 0, to: 3_600_000, zone: 'UTC' }, () => undefined)).to.deep.equal([])
  })

  const EXPRESSIONS = [
    '*/2 * * * *',
    '30 2 * * *',
    '*/7 1-5/2 * * 1-5',
    '5 * 1,15 * *',
    '0 0 29 2 *',
    '15,45 0,23 * 10,11 0',
    'CRON_TZ=America/New_York 30 1 * * *',
    'CRON_TZ=Australia/Lord_Howe */20 * * * *'
  ]
  const AROUND_CHANGES = { UTC: '2026-11-30', 'Europe/Berlin': '2026-10-24', 'America/New_York': '2026-10-31' }
  for (const [zone, day] of Object.entries(AROUND_CHANGES))
    it(`as many as one by one, over changes of clocks: ${zone}`, async () => {
      const [from, to] = [Date.parse(`${day}T01:17:00Z`), Date.parse(`${day}T22:44:30Z`) + 2 * 86_400_000]
      for (const expression of EXPRESSIONS) {
        const all: number[] = []
        const next = (after: number) => nextRun([expression], after, zone) ?? to
        for (let at = next(from - 1); at < to; at = next(at)) all.push(at)
        const groups = await startGroups(definitionsOf({ one: [expression] }), { from, to, zone }, () => undefined)
        const found = groups.map(({ count, first, last }) => ({ count, first, last }))
        const wanted = all.length === 0 ? [] : [{ count: all.length, first: all[0], last: all.at(-1) }]
        expect(found, expression).to.deep.equal(wanted)
      }
    })
})
