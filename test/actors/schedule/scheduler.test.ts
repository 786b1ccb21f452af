/** When schedules fire, and which: of the definitions and flags that are there at that minute. Source: execution-semantics 11. */
import { expect } from 'chai'
import { nextRunsIn } from '../../../src/definition/dag/next-run.ts'
import { dag, given, minutes } from '../../support/simulated/given-schedules.ts'
import { MINUTE, utc } from '../../support/simulated/schedules.ts'

describe('schedules › 11.1 to 11.5', () => {
  it('a start each time the expression fires, at second 0', async () => {
    const { until, runs, starts } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(16))
    expect(starts('a')).to.deep.equal(['10:05', '10:10', '10:15'])
    for (const { startedAt = 0 } of runs('a')) expect(startedAt % MINUTE).to.be.below(1_000)
  })
  it('a run of a schedule says so, with the minute', async () => {
    const { until, runs } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    expect(runs('a').map(({ trigger }) => trigger)).to.deep.equal([
      { type: 'schedule', slot: utc('2026-03-02T10:05:00') }
    ])
  })
  it('11.18 what nextRun says is when the scheduler fires, also around a clock change', async () => {
    const expressions = {
      a: '30 2 * * *',
      b: '0 */6 * * *',
      c: 'CRON_TZ=America/New_York 15 1 * * *',
      d: '59 23 28-31 * *'
    }
    const start = utc('2026-03-27T12:00:30')
    const { until, runs } = await given(
      Object.fromEntries(Object.entries(expressions).map(([name, expression]) => [name, dag(`"${expression}"`)])),
      { start, set: (files) => Object.assign(files, { zone: 'Europe/Berlin' }) }
    )
    const end = utc('2026-03-31T12:00:00')
    await until(end)
    for (const [name, expression] of Object.entries(expressions)) {
      const said: number[] = []
      const next = nextRunsIn(() => 'Europe/Berlin')
      for (let at = next([expression], start); at !== undefined && at < end; at = next([expression], at)) said.push(at)
      const fired = runs(name).map(({ startedAt = 0 }) => Math.floor(startedAt / MINUTE) * MINUTE)
      expect(fired, name).to.deep.equal(said)
      expect(fired, name).to.have.length.above(2)
    }
  })
  it('11.4 two expressions that hit the same minute start one run', async () => {
    const { until, starts, told } = await given({ a: dag('["*/5 * * * *", "5,7 * * * *"]') })
    await until(minutes(8))
    expect(starts('a')).to.deep.equal(['10:05', '10:07'])
    expect(told()).to.deep.equal(['start 10:05 fired', 'start 10:07 fired'])
  })
  it('11.3 ENGINE_TZ where the expression names no zone', async () => {
    const { until, runs } = await given(
      { a: dag('30 19 * * *'), b: dag('CRON_TZ=UTC 45 10 * * *') },
      { set: (files) => Object.assign(files, { zone: 'Asia/Tokyo' }) }
    )
    await until(minutes(60))
    expect([runs('a'), runs('b')].map((found) => found.map(({ startedAt }) => startedAt))).to.deep.equal([
      [utc('2026-03-02T10:30:00')],
      [utc('2026-03-02T10:45:00')]
    ])
  })
})

describe('schedules › 11.14 to 11.16 definitions and flags', () => {
  it('11.14 suspended: none of its schedules fires; it goes on when it is no longer', async () => {
    const { until, files, told } = await given({ a: dag('{start: "*/5 * * * *", stop: "*/5 * * * *"}') })
    files.suspended.add('a')
    await until(minutes(6))
    files.suspended.clear()
    await until(minutes(11))
    expect(told()).to.deep.equal([
      'stop 10:05 suspended',
      'start 10:05 suspended',
      'stop 10:10 nothing_running',
      'start 10:10 fired'
    ])
  })
  it('11.15 definitions that are added, changed and removed are seen at the next minute', async () => {
    const { until, files, starts } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    files.put('b', dag('8 * * * *'))
    files.put('a', dag('9 * * * *'))
    await until(minutes(10))
    files.remove('a')
    files.put('b', dag('11 * * * *'))
    await until(minutes(70))
    expect([starts('a'), starts('b')]).to.deep.equal([
      ['10:05', '10:09'],
      ['10:08', '10:11']
    ])
  })
  it('11.15 a tick while files are still being read blocks nothing: it waits for them, and what is due is started in its minute', async () => {
    let read = () => {}
    const { files, until, starts, told, clock } = await given({ a: dag('"*/5 * * * *"') })
    files.reading = new Promise((resolve) => {
      read = resolve
    })
    await until(utc('2026-03-02T10:05:10'))
    expect(starts('a')).to.deep.equal([])
    files.put('b', dag('"5 * * * *"'))
    read()
    await until(clock.now() + 1)
    expect([starts('a'), starts('b')]).to.deep.equal([['10:05'], ['10:05']])
    expect(told()).to.have.members(['start 10:05 fired', 'start 10:05 fired'])
  })
  it('11.15 files that took longer than the minute: it is missed, and nothing has two runs', async () => {
    let read = () => {}
    const { files, until, starts, told } = await given({ a: dag('"*/5 * * * *"') })
    files.reading = new Promise((resolve) => {
      read = resolve
    })
    await until(utc('2026-03-02T10:06:30'))
    read()
    await until(utc('2026-03-02T10:10:30'))
    expect(starts('a')).to.deep.equal(['10:10'])
    expect(told()).to.deep.equal(['start 10:05 missed', 'start 10:10 fired'])
  })
  it('11.15 a definition with errors has no schedule', async () => {
    const { until, files, starts } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    files.put('a', dag('"*/5 * * * *"', 'nonsense: 1'))
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:05'])
  })
})
