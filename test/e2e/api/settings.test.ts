/** Settings that change what the API says. Source: api-semantics 10.2, 3.2, 3.6, 3.8, 4.4. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../../src/config.ts'
import { served } from '../../api/client.ts'
import { seedRuns } from '../../bench/seeding.ts'
import { type Json, liveApi } from '../../support/api/live-api.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › ui.dags.sortField and sortOrder: defaults of GET /dags', () => {
  const api = liveApi({ settings: { 'ui.dags.sortField': 'nextRun', 'ui.dags.sortOrder': 'desc' }, tz: 'UTC' })
  const listed = async (query: string) =>
    (await api.call('GET', `/dags${query}`)).json.dags.map(({ fileName }: Json) => fileName).join('')

  it('they hold as long as the query does not say otherwise', async () => {
    api.write('a', 'schedule: "0 0 1 1 *"\nsteps: []')
    api.write('b', 'steps: []')
    api.write('c', 'schedule: "* * * * *"\nsteps: []')
    expect(await listed('')).to.equal('acb')
    expect(await listed('?order=asc')).to.equal('cab')
    expect(await listed('?sort=name')).to.equal('cba')
    expect(await listed('?sort=name&order=asc')).to.equal('abc')
  })
})

describe('API › strictValidation', () => {
  const api = liveApi({ settings: { strictValidation: true } })

  it('unknown fields and values out of range are refused, and nothing has begun', async () => {
    api.write('a', 'steps: ["true"]')
    const refused = await api.call('POST', '/dags/a/start', { body: { dagRunID: 'r' } })
    expect([refused.status, refused.json.message]).to.deep.equal([
      400,
      "field 'dagRunID': unknown; did you mean 'dagRunId'?"
    ])
    expect((await api.call('GET', '/dag-runs?limit=0')).status).to.equal(400)
    await api.ended('a', await api.started('a', { params: 'A=1' }))
    expect((await api.call('GET', '/dag-runs/a?limit=50')).json.dagRuns).to.have.length(1)
  })
})

describe('API › what is in the past', () => {
  const folder = temporaryFolder()
  const place = { home: folder, dags: join(folder, 'dags') }
  before(async () => {
    mkdirSync(place.dags)
    writeFileSync(join(place.dags, 'often.yaml'), 'steps: ["true"]')
    // 20 s lie between two runs: the oldest are of yesterday.
    await seedRuns(place, ['often'], 4_500)
  })

  describe('latestStatusToday and api.defaultRunWindow', () => {
    const api = liveApi({
      temporary: false,
      home: folder,
      settings: { latestStatusToday: true, 'api.defaultRunWindow': '10m' }
    })

    it('api.defaultRunWindow: a list without dates goes back as far as that; with a date it is what was asked for', async () => {
      const count = async (path: string) => (await api.call('GET', path)).json.dagRuns.length
      for (const path of ['/dag-runs', '/dag-runs/often']) {
        expect(await count(path), path).to.be.within(20, 31)
        expect(await count(`${path}?fromDate=0`), path).to.be.at.least(4_500)
        expect(await count(`${path}?toDate=99999999999`), path).to.be.at.least(4_500)
      }
    })

    it('latestStatusToday: a latest run of an earlier day is not shown as latest, one of today and one at work are', async () => {
      const old = api.engine.runs({ name: 'often' }).at(-1) ?? expect.fail('there is no run')
      const shown = async (run: object) => {
        const at = await served({ ...api.engine, latest: () => ({ ...old, ...run }) })
        const { json } = await at.call('GET', '/dags?name=often')
        await at.close()
        return json.dags[0].latestDAGRun.dagRunId
      }
      expect(await shown({})).to.equal('')
      expect(await shown({ startedAt: api.engine.now() })).to.equal(old.dagRunId)
      const { finishedAt: _, ...atWork } = old
      const at = await served({ ...api.engine, latest: () => atWork })
      expect((await at.call('GET', '/dags')).json.dags[0].latestDAGRun.dagRunId).to.equal(old.dagRunId)
      await at.close()
    })
  })
})

describe('API › api.evalParams', () => {
  const spec = 'params: A=1\nsteps: [{name: s, command: "echo $A"}]'
  const body = { params: 'A="`echo evaluated` ${GREETING}"' }
  for (const [evalParams, wanted] of [
    [false, '`echo evaluated` ${GREETING}'],
    [true, 'evaluated ']
  ] as const)
    describe(`${evalParams}`, () => {
      const api = liveApi({ settings: { 'api.evalParams': evalParams } })
      it(`params of every way to start are ${evalParams ? 'evaluated' : 'text'}`, async () => {
        api.write('p', spec)
        const ways = [
          ['/dags/p/start', {}],
          ['/dags/p/enqueue', {}],
          ['/dag-runs', { spec, name: 'p' }],
          ['/dag-runs/enqueue', { spec, name: 'p' }]
        ] as const
        for (const [path, more] of ways) {
          const { json, text } = await api.call('POST', path, { body: { ...body, ...more } })
          expect(json.dagRunId, text).to.be.a('string')
          const details = await api.ended('p', json.dagRunId)
          expect(details.params.replace(/^A=/, '').replaceAll('"', '').trim(), path).to.equal(wanted.trim())
        }
      })
    })
})

describe('API › ui.logEncodingCharset', () => {
  const api = liveApi({ settings: { 'ui.logEncodingCharset': 'latin1' } })
  it('step logs are read in it; it is refused when a line break would not be a byte', async () => {
    const id = await api.startedInline({
      spec: 'name: l\nsteps: [{name: s, command: "printf \'caf\\\\351\\\\r\\\\nna\\\\357ve\'"}]'
    })
    await api.ended('l', id)
    expect((await api.call('GET', `/dag-runs/l/${id}/steps/s/log`)).json.content).to.equal('caf\u00e9\nna\u00efve')
    for (const charset of ['utf-16', 'klingon'])
      expect(() => readConfig({ home: '/nowhere', settings: { 'ui.logEncodingCharset': charset } }, {})).to.throw(
        'ui.logEncodingCharset: wanted a character set'
      )
  })
})

describe('API › paths.suspendFlagsDir', () => {
  const flags = join(temporaryFolder(), 'flags')
  const api = liveApi({ settings: { 'paths.suspendFlagsDir': flags } })
  it('flags of suspended definitions are there, and nowhere else', async () => {
    api.write('s', 'steps: []')
    expect((await api.call('POST', '/dags/s/suspend', { body: { suspend: true } })).status).to.equal(200)
    expect(readdirSync(flags)).to.deep.equal(['s.suspend'])
    expect(existsSync(join(api.engine.home, 'suspend'))).to.equal(false)
    expect((await api.call('GET', '/dags/s')).json.suspended).to.equal(true)
  })
})

describe('API › monitoring.interval and monitoring.retention', () => {
  const history = async (api: ReturnType<typeof liveApi>) =>
    (await api.call('GET', '/services/resources/history')).json.memory.length
  describe('50ms and 150ms', () => {
    const api = liveApi({
      monitoring: true,
      settings: { 'monitoring.interval': '50ms', 'monitoring.retention': '150ms' }
    })
    it('so many points at most', async () => {
      await eventually('two points', async () => ((await history(api)) >= 2 ? true : undefined))
      await new Promise((resolve) => setTimeout(resolve, 400))
      expect(await history(api)).to.be.within(1, 5)
    })
  })
  describe('0', () => {
    const api = liveApi({ monitoring: true, settings: { 'monitoring.interval': '0' } })
    it('none', async () => {
      expect(await history(api)).to.equal(0)
    })
  })
})
