/** Which runs a list over HTTP has, in what order, in which parts. Source: http-api "Runs"; api-semantics 3.6. */
import { expect } from 'chai'
import type { FakeEngine } from '../../support/engine/fake-engine.ts'
import { eachWithRuns } from '../each-with-runs.ts'

describe('API › runs', () => {
  const { serving, call, codeOf } = eachWithRuns()
  let engine: FakeEngine
  beforeEach(async () => {
    engine = await serving()
  })

  describe('GET /dag-runs and GET /dag-runs/{name}', () => {
    beforeEach(() => {
      engine.addRun({ name: 'nightly', dagRunId: 'r-17', createdAt: 1_000_000 })
      engine.addRun({ name: 'nightly', dagRunId: 'r-18', createdAt: 2_000_000, status: 'failed' })
      engine.addRun({ name: 'Fortnight', dagRunId: 'x-1', createdAt: 3_000_000, status: 'queued' })
    })
    const idsOf = async (path: string) => {
      const { json } = await call('GET', path)
      return json.dagRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)
    }

    it('no filter: all matches, newest first, queued runs included', async () => {
      expect(await idsOf('/dag-runs')).to.deep.equal(['x-1', 'r-18', 'r-17'])
      expect((await call('GET', '/dag-runs')).json).to.have.all.keys('dagRuns')
    })

    it('name: substring of the DAG name, case-insensitive; /dag-runs/{name}: exact', async () => {
      expect(await idsOf('/dag-runs?name=NIGHT')).to.deep.equal(['x-1', 'r-18', 'r-17'])
      expect(await idsOf('/dag-runs?name=nightly')).to.deep.equal(['r-18', 'r-17'])
      expect(await idsOf('/dag-runs/nightly')).to.deep.equal(['r-18', 'r-17'])
      expect(await idsOf('/dag-runs/night')).to.deep.equal([])
    })

    it('status: integer 0-6, else 400; repeatable = any of', async () => {
      expect(await idsOf('/dag-runs?status=2')).to.deep.equal(['r-18'])
      expect(await idsOf('/dag-runs?status=2&status=5')).to.deep.equal(['x-1', 'r-18'])
      expect(await idsOf('/dag-runs/nightly?status=4')).to.deep.equal(['r-17'])
      for (const status of ['7', '-1', '99', 'failed', '2.0']) {
        expect(await codeOf('GET', `/dag-runs?status=${status}`), status).to.deep.equal([400, 'bad_request'])
      }
    })

    it('fromDate, toDate: Unix seconds, creation time in [fromDate, toDate); from > to -> empty list', async () => {
      expect(await idsOf('/dag-runs?fromDate=2000')).to.deep.equal(['x-1', 'r-18'])
      expect(await idsOf('/dag-runs?toDate=2000')).to.deep.equal(['r-17'])
      expect(await idsOf('/dag-runs?fromDate=1000&toDate=2000')).to.deep.equal(['r-17'])
      expect(await idsOf('/dag-runs?fromDate=3000&toDate=2000')).to.deep.equal([])
      expect(await idsOf('/dag-runs?fromDate=-5&toDate=9007199254740991')).to.have.length(3)
      expect(await codeOf('GET', '/dag-runs?fromDate=yesterday')).to.deep.equal([400, 'bad_request'])
    })

    it('dagRunId: substring of the run id', async () => {
      expect(await idsOf('/dag-runs?dagRunId=r-1')).to.deep.equal(['r-18', 'r-17'])
      expect(await idsOf('/dag-runs/nightly?dagRunId=17')).to.deep.equal(['r-17'])
    })

    it('trigger, by, params: what asked for the run, who, and with what; an unknown trigger -> 400', async () => {
      const asked = { type: 'api', by: 'the token ci' } as const
      engine.addRun({ name: 'nightly', dagRunId: 't-1', trigger: asked, params: [{ name: 'ENV', value: 'prod' }] })
      engine.addRun({ name: 'nightly', dagRunId: 't-2', trigger: { type: 'schedule', slot: 60_000 } })
      expect(await idsOf('/dag-runs?trigger=schedule')).to.deep.equal(['t-2'])
      expect(await idsOf('/dag-runs?trigger=schedule&trigger=api')).to.deep.equal(['t-1', 't-2'])
      expect(await idsOf('/dag-runs?by=CI')).to.deep.equal(['t-1'])
      expect(await idsOf('/dag-runs?params=env%3Dp')).to.deep.equal(['t-1'])
      expect(await codeOf('GET', '/dag-runs?trigger=webhook')).to.deep.equal([400, 'bad_request'])
      const { dagRuns } = (await call('GET', '/dag-runs?trigger=schedule')).json
      expect(dagRuns[0].trigger).to.deep.equal({ type: 'schedule', slot: '1970-01-01T09:01:00+09:00' })
    })

    it('waitingFor: what a run waits for; repeatable = any of; another word -> 400', async () => {
      const until = 4_000_000
      engine.addRun({ name: 'nightly', dagRunId: 'w-1', status: 'running' }, { awaited: { for: 'approval' } })
      engine.addRun({ name: 'nightly', dagRunId: 'w-2', status: 'running' }, { awaited: { for: 'sleep', until } })
      expect(await idsOf('/dag-runs?waitingFor=approval')).to.deep.equal(['w-1'])
      expect(await idsOf('/dag-runs/nightly?waitingFor=approval&waitingFor=sleep')).to.deep.equal(['w-1', 'w-2'])
      expect(await idsOf('/dag-runs?waitingFor=signal')).to.deep.equal([])
      expect(await codeOf('GET', '/dag-runs?waitingFor=time')).to.deep.equal([400, 'bad_request'])
      const { dagRuns } = (await call('GET', '/dag-runs?waitingFor=sleep')).json
      expect(dagRuns[0].waitingFor).to.deep.equal({ for: 'sleep', until: '1970-01-01T10:06:40+09:00' })
    })

    it('limit 1-1000: the answer then carries nextCursor, string or null', async () => {
      const { json } = await call('GET', '/dag-runs?limit=2')
      expect([json.dagRuns.length, typeof json.nextCursor]).to.deep.equal([2, 'string'])
      expect((await call('GET', '/dag-runs?limit=3')).json.nextCursor).to.equal(null)
      for (const none of ['0', '-5']) {
        const { dagRuns, ...rest } = (await call('GET', `/dag-runs?limit=${none}`)).json
        expect([dagRuns.length, rest], `less than 1 is absent: ${none}`).to.deep.equal([3, {}])
        expect((await call('GET', `/dags/nightly/dag-runs?limit=${none}`)).json.dagRuns).to.have.length(2)
      }
      expect((await call('GET', '/dag-runs?limit=5000')).json.dagRuns).to.have.length(3)
    })
  })
})
