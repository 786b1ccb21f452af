/** Runs and starts to come by days and hours. Source: http-api "Calendar". */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { accessScene, as } from '../../../support/api/access-scene.ts'
import { type Json, liveApi } from '../../../support/api/live-api.ts'

describe('API › calendar', () => {
  const api = liveApi({ tz: 'Asia/Tokyo', schedules: false })
  const get = async (query = ''): Promise<Json> => {
    const { status, json, text } = await api.call('GET', `/calendar${query}`)
    expect(status, text).to.equal(200)
    return json
  }
  const period = async (query: string): Promise<Json> => {
    const { status, json, text } = await api.call('GET', `/calendar/period${query}`)
    expect(status, text).to.equal(200)
    return json
  }
  const DAY_S = 86_400
  const dayIn = (zone: string, at: number) => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(at)

  before(async () => {
    api.write('fine', 'steps: ["true"]\n')
    api.write('bad', 'steps: [exit 1]\n')
    api.write('nightly', 'schedule: "CRON_TZ=Europe/Berlin 30 2 * * *"\nsteps: ["true"]\n')
    api.write('hourly', 'schedule: "15 * * * *"\nsteps: ["true"]\n')
    for (const name of ['fine', 'fine', 'bad']) await api.ended(name, await api.started(name))
  })

  it('counts the runs of each day by status, of all definitions or of one', async () => {
    const { zone, by, cells, countedFromMs } = await get()
    const today = dayIn('Asia/Tokyo', api.engine.now())
    expect([zone, by, countedFromMs]).to.deep.equal(['Asia/Tokyo', 'day', null])
    const sums = (found: Json[]) => found.filter(({ runs }) => Object.keys(runs).length > 0).map(({ runs }) => runs)
    expect(sums(cells)).to.deep.equal([{ succeeded: 2, failed: 1 }])
    const cell = cells.find(({ runs }: Json) => runs.failed)
    expect(cell.date).to.equal(today)
    expect(cell.toMs - cell.fromMs).to.equal(DAY_S * 1_000)
    expect(sums((await get('?name=bad')).cells)).to.deep.equal([{ failed: 1 }])
    expect(sums((await get('?name=missing')).cells)).to.deep.equal([])
  })

  it('a cell is the filter of the list of its runs', async () => {
    const { cells } = await get('?by=hour')
    for (const { runs, fromMs, toMs } of cells.filter(({ runs }: Json) => Object.keys(runs).length > 0)) {
      const { json } = await api.call('GET', `/dag-runs?fromDate=${fromMs / 1_000}&toDate=${toMs / 1_000}`)
      const counted = Object.values<number>(runs).reduce((sum, count) => sum + count, 0)
      expect(json.dagRuns).to.have.length(counted)
    }
  })

  it('counts starts to come in the same days, each in its zone; suspended definitions have none', async () => {
    const all = await get('?zone=Europe/Berlin')
    const ahead = all.cells.filter(({ planned }: Json) => planned > 0)
    const whole = ahead.filter(({ fromMs, toMs }: Json) => fromMs > api.engine.now() && toMs - fromMs === DAY_S * 1_000)
    expect(whole).to.have.length.of.at.least(12)
    for (const { planned } of whole) expect(planned).to.equal(25)
    expect(all.planned).to.have.length(50)
    const nightly = all.planned.find(({ name }: Json) => name === 'nightly')
    expect([nightly.zone, nightly.expression]).to.deep.equal(['Europe/Berlin', 'CRON_TZ=Europe/Berlin 30 2 * * *'])
    const { nextRuns } = (await api.call('GET', '/dags/nightly/next-runs?limit=1')).json
    expect(nightly.atMs).to.equal(nextRuns[0].atMs)
    await api.call('POST', '/dags/hourly/suspend', { body: { suspend: true } })
    const { planned, plannedToMs } = await get('?name=hourly')
    expect([planned, plannedToMs]).to.deep.equal([[], null])
    await api.call('POST', '/dags/hourly/suspend', { body: { suspend: false } })
  })

  it('says from which day on it has not counted starts any more', async () => {
    api.write('often', 'schedule: "* * * * *"\nsteps: ["true"]\n')
    const { plannedToMs, cells, planned } = await get('?name=often')
    expect(planned).to.have.length(50)
    expect(plannedToMs)
      .to.be.greaterThan(api.engine.now() + DAY_S * 1_000)
      .and.below(api.engine.now() + 2 * DAY_S * 1_000)
    const sum = cells.reduce((total: number, cell: Json) => total + cell.planned, 0)
    expect(sum).to.equal(2_000)
    rmSync(join(api.engine.config.dagsDir, 'often.yaml'))
  })

  it('a period: its runs by DAG and status, and its starts to come by expression, with count, first and last', async () => {
    const begin = Math.floor(api.engine.now() / (DAY_S * 1_000)) * DAY_S
    const past = await period(`?fromDate=${begin - DAY_S}&toDate=${begin + DAY_S}`)
    const { dagRuns } = (await api.call('GET', '/dag-runs?limit=10')).json
    const created = (name: string) => dagRuns.filter((run: Json) => run.name === name)
    expect(past.runs.map(({ name, runs }: Json) => [name, runs])).to.have.deep.members([
      ['fine', { succeeded: created('fine').length }],
      ['bad', { failed: created('bad').length }]
    ])
    for (const { firstMs, lastMs, name } of past.runs) expect(lastMs >= firstMs, name).to.equal(true)
    expect([past.countedFromMs, past.left]).to.deep.equal([null, { runs: 0, starts: 0 }])

    const next = begin + 2 * DAY_S
    const { starts, runs } = await period(`?fromDate=${next}&toDate=${next + DAY_S}`)
    expect(runs).to.deep.equal([])
    const shown = starts.map(({ firstMs, lastMs, ...rest }: Json) => ({
      ...rest,
      first: new Date(firstMs).toISOString().slice(11, 16),
      last: new Date(lastMs).toISOString().slice(11, 16)
    }))
    const of = (name: string, expression: string, zone: string) => ({ name, fileName: name, expression, zone })
    const nightly = of('nightly', 'CRON_TZ=Europe/Berlin 30 2 * * *', 'Europe/Berlin')
    expect(shown.find(({ name }: Json) => name === 'hourly')).to.deep.equal(
      Object.assign(of('hourly', '15 * * * *', 'Asia/Tokyo'), { count: 24, first: '00:15', last: '23:15' })
    )
    expect(shown.find(({ name }: Json) => name === 'nightly')).to.include(Object.assign(nightly, { count: 1 }))
    expect((await period(`?name=nightly&fromDate=${next}&toDate=${next + DAY_S}`)).starts).to.have.length(1)
    expect((await api.call('GET', `/calendar/period?fromDate=0&toDate=${20 * DAY_S}`)).json.message).to.equal(
      "query parameters 'fromDate', 'toDate': wanted at most 15 days, found 20"
    )
  })

  it('refuses a zone that there is not, and a period that is too long or none', async () => {
    const message = async (query: string) => {
      const { status, json } = await api.call('GET', `/calendar${query}`)
      return [status, json.message]
    }
    expect(await message('?zone=Mars/Olympus')).to.deep.equal([
      400,
      "query parameter 'zone': wanted a time zone such as Europe/Berlin, found Mars/Olympus"
    ])
    expect(await message(`?fromDate=0&toDate=${500 * DAY_S}`)).to.deep.equal([
      400,
      "query parameters 'fromDate', 'toDate': wanted at most 400 days, found 500"
    ])
    const asked = [
      '?fromDate=10&toDate=10',
      '?fromDate=-1',
      '?toDate=999999999999999',
      `?by=hour&fromDate=0&toDate=${20 * DAY_S}`
    ]
    for (const query of asked) expect((await message(query))[0], query).to.equal(400)
  })
})

describe('API › calendar of those with rules', () => {
  const { api } = accessScene()
  const sums = async (caller: string, query = '') => {
    const { json } = await api.call('GET', `/calendar${query}`, as(caller))
    const runs: Json[] = json.cells.map(({ runs }: Json) => runs.succeeded ?? 0)
    return [runs.reduce((sum, count) => sum + count, 0), new Set(json.planned.map(({ name }: Json) => name)).size]
  }

  it('of a period neither', async () => {
    const since = Math.floor(Date.now() / 1_000) - 3_600
    const seen = async (caller: string) => {
      const { json } = await api.call('GET', `/calendar/period?fromDate=${since}`, as(caller))
      const named = (all: Json[]) => [...new Set(all.map(({ name }) => name))].sort()
      return [named(json.runs), named(json.starts)]
    }
    const [runs = [], starts = []] = await seen('admin')
    expect([runs.length > 1, starts.length]).to.deep.equal([true, 1])
    expect(await seen('viewer')).to.deep.equal([runs.filter((name) => name !== 'pay'), []])
    expect(await seen('nobody')).to.deep.equal([[], []])
  })

  it('what they must not see is not counted, neither runs nor starts', async () => {
    expect(await sums('admin')).to.deep.equal([3, 1])
    expect(await sums('payer')).to.deep.equal([3, 1])
    expect(await sums('viewer')).to.deep.equal([2, 0])
    expect(await sums('etl')).to.deep.equal([1, 0])
    expect(await sums('nobody')).to.deep.equal([0, 0])
    expect(await sums('viewer', '?name=pay')).to.deep.equal([0, 0])
    expect(await sums('payer', '?name=pay')).to.deep.equal([1, 1])
  })
})
