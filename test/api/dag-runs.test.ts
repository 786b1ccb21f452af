/** Starting, listing, reading and stopping runs. Source: http-api "Starting", "Runs"; api-semantics 3.4-3.7, 4.1, 4.6. */
import { expect } from 'chai'
import { type FakeEngine, fakeEngine, nodeOf, planOf, stepOf } from '../support/fake-engine.ts'
import { type Sent, served } from './client.ts'

describe('API › runs', () => {
  let engine: FakeEngine
  let api: Awaited<ReturnType<typeof served>>
  beforeEach(async () => {
    engine = fakeEngine({ tz: 'Asia/Tokyo' }, { nightly: planOf('nightly'), file: planOf('other') })
    engine.texts.set('broken', 'depends: nobody')
    api = await served(engine)
  })
  afterEach(() => api.close())
  const call = (method: string, path: string, body?: Sent['body']) => api.call(method, path, { body })
  const codeOf = async (method: string, path: string, body?: Sent['body']) => {
    const { status, json } = await call(method, path, body)
    return [status, json?.code]
  }

  describe('POST /dags/{fileName}/start', () => {
    it('-> {dagRunId}; hands params, dagRunId, dagName and singleton on', async () => {
      const body = { params: 'DAY=1', dagRunId: 'r-1', dagName: 'backfill', singleton: true }
      const { status, json } = await call('POST', '/dags/nightly/start', body)
      expect([status, json]).to.deep.equal([200, { dagRunId: 'r-1' }])
      expect(engine.started).to.deep.equal([{ fileName: 'nightly', ...body }])
    })

    it('a definition that exists but is invalid: 400 bad_request + details.errors', async () => {
      const { status, json } = await call('POST', '/dags/broken/start')
      expect([status, json.code, json.details.errors]).to.deep.equal([400, 'bad_request', ['no step nobody']])
    })

    it('run id already used by that DAG name: 409 already_exists', async () => {
      await call('POST', '/dags/nightly/start', { dagRunId: 'r-1' })
      expect(await codeOf('POST', '/dags/nightly/start', { dagRunId: 'r-1' })).to.deep.equal([409, 'already_exists'])
    })

    it('singleton: true while running: 409 already_running', async () => {
      await call('POST', '/dags/nightly/start', {})
      expect(await codeOf('POST', '/dags/nightly/start', { singleton: true })).to.deep.equal([409, 'already_running'])
    })

    it('the definition is looked for before the body is read', async () => {
      expect(await codeOf('POST', '/dags/nobody/start', '{')).to.deep.equal([404, 'not_found'])
    })

    it('dryRun is handed on; one of another type -> 400', async () => {
      expect(await codeOf('POST', '/dags/nightly/start', { dryRun: true })).to.deep.equal([200, undefined])
      expect(engine.started).to.deep.equal([{ fileName: 'nightly', dryRun: true }])
      expect(await codeOf('POST', '/dags/nightly/start', { dryRun: 'yes' })).to.deep.equal([400, 'bad_request'])
    })
  })

  describe('POST /dag-runs', () => {
    const spec = 'name: adhoc\nsteps:\n  - echo $1\n'

    it('-> {dagRunId}; hands spec, name, params, dagRunId and singleton on', async () => {
      const body = { spec, name: 'x', params: '42', dagRunId: 'a1', singleton: false }
      const { status, json } = await call('POST', '/dag-runs', body)
      expect([status, json]).to.deep.equal([200, { dagRunId: 'a1' }])
      expect(engine.started).to.deep.equal([body])
    })

    it('missing or invalid spec: 400 bad_request', async () => {
      for (const body of [
        undefined,
        {},
        { spec: '' },
        { spec: ' ' },
        { spec: 5 },
        { spec: 'depends: nobody', name: 'x' }
      ]) {
        expect(await codeOf('POST', '/dag-runs', body)).to.deep.equal([400, 'bad_request'])
      }
    })

    it('the spec has no name and none was given: 400', async () => {
      expect(await codeOf('POST', '/dag-runs', { spec: 'steps:\n', name: '' })).to.deep.equal([400, 'bad_request'])
    })

    it('singleton while running: 409 max_run_reached', async () => {
      await call('POST', '/dag-runs', { spec })
      expect(await codeOf('POST', '/dag-runs', { spec, singleton: true })).to.deep.equal([409, 'max_run_reached'])
    })

    it('the run is not listed in GET /dags, but in GET /dag-runs', async () => {
      await call('POST', '/dag-runs', { spec })
      expect((await call('GET', '/dags?name=adhoc')).json.dags).to.deep.equal([])
      expect((await call('GET', '/dag-runs?name=adhoc')).json.dagRuns).to.have.length(1)
      expect(await codeOf('GET', '/dags/adhoc')).to.deep.equal([404, 'not_found'])
    })
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

    it('cursor: every run once, also runs of one millisecond', async () => {
      for (let at = 0; at < 9; at++) engine.addRun({ name: 'nightly', dagRunId: `same-${at}`, createdAt: 1_500_000 })
      const all = await idsOf('/dag-runs/nightly')
      const seen: string[] = []
      let query = '?limit=4'
      for (let pages = 0; query !== '' && pages < 9; pages++) {
        const { dagRuns, nextCursor } = (await call('GET', `/dag-runs/nightly${query}`)).json
        seen.push(...dagRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId))
        query = nextCursor === null ? '' : `?limit=4&cursor=${nextCursor}`
      }
      expect(all).to.have.length(11)
      expect(seen).to.deep.equal(all)
      expect(await codeOf('GET', '/dag-runs?cursor=junk')).to.deep.equal([400, 'bad_request'])
    })
  })

  describe('GET /dag-runs/{name}/{dagRunId}', () => {
    it('-> the same details under dagRun and dagRunDetails', async () => {
      engine.addRun({ name: 'nightly', dagRunId: 'r-17' })
      const { status, json } = await call('GET', '/dag-runs/nightly/r-17')
      expect([status, Object.keys(json), json.dagRun.dagRunId]).to.deep.equal([
        200,
        ['dagRun', 'dagRunDetails'],
        'r-17'
      ])
      expect(json.dagRunDetails).to.deep.equal(json.dagRun)
    })

    it('RunSummary: all members, times with the offset of the configured timezone, empty string for not yet', async () => {
      engine.addRun({
        name: 'nightly',
        dagRunId: 'r-17',
        status: 'running',
        startedAt: Date.UTC(2026, 2, 1, 0, 15, 0, 999),
        params: [
          { name: '1', value: 'one' },
          { name: 'X', value: '5' }
        ],
        log: '/srv/run.log'
      })
      expect((await call('GET', '/dag-runs')).json.dagRuns[0]).to.deep.equal({
        rootDAGRunName: 'nightly',
        rootDAGRunId: 'r-17',
        parentDAGRunName: '',
        parentDAGRunId: '',
        dagRunId: 'r-17',
        name: 'nightly',
        status: 1,
        statusLabel: 'running',
        queuedAt: '',
        startedAt: '2026-03-01T09:15:00+09:00',
        finishedAt: '',
        log: '/srv/run.log',
        params: '1=one X=5',
        workerId: 'local',
        attempt: 1
      })
    })

    it('RunDetails adds nodes, preconditions, handlers (Node or null) and error', async () => {
      const step = stepOf('load', {
        command: 'sh "pull it.sh"',
        preconditions: [
          { condition: 'test -f x', error: 'no x' },
          { condition: '$A', expected: '1' }
        ]
      })
      const node = nodeOf('load', {
        status: 'skipped',
        stdout: '/srv/load.out',
        stderr: '/srv/load.err',
        startedAt: 0,
        finishedAt: 1_000,
        retryCount: 2,
        doneCount: 3,
        error: 'no x',
        conditions: [{ matched: false, error: 'no x' }]
      })
      const exit = {
        step: stepOf('onExit', { command: 'true' }),
        node: nodeOf('onExit', { status: 'not_started', doneCount: 0 })
      }
      const plan = planOf('nightly', { steps: [step] })
      engine.addRun(
        { name: 'nightly', dagRunId: 'r-18', status: 'canceled', error: 'condition was not met' },
        {
          plan,
          nodes: [{ step, node }],
          handlers: { onExit: exit },
          preconditions: [{ condition: { condition: 'true', expected: '' }, matched: true, error: '' }]
        }
      )
      const { dagRun } = (await call('GET', '/dag-runs/nightly/r-18')).json
      expect(dagRun).to.include({ status: 3, statusLabel: 'canceled', error: 'condition was not met', workerId: '' })
      expect(dagRun.nodes).to.deep.equal([
        {
          step: {
            name: 'load',
            command: 'sh',
            args: ['pull it.sh'],
            cmdWithArgs: 'sh "pull it.sh"',
            preconditions: [
              { condition: 'test -f x', expected: '', error: 'no x', matched: false },
              { condition: '$A', expected: '1', error: '' }
            ]
          },
          stdout: '/srv/load.out',
          stderr: '/srv/load.err',
          startedAt: '1970-01-01T09:00:00+09:00',
          finishedAt: '1970-01-01T09:00:01+09:00',
          status: 5,
          statusLabel: 'skipped',
          retryCount: 2,
          doneCount: 3,
          subRuns: [],
          subRunsRepeated: [],
          error: 'no x'
        }
      ])
      expect(dagRun.preconditions).to.deep.equal([{ condition: 'true', expected: '', error: '', matched: true }])
      expect(dagRun.onExit).to.deep.include({ status: 0, statusLabel: 'not_started' })
      expect([dagRun.onSuccess, dagRun.onFailure, dagRun.onCancel]).to.deep.equal([null, null, null])
    })

    it('latest is the most recent run, unknown is 404', async () => {
      expect(await codeOf('GET', '/dag-runs/nightly/latest')).to.deep.equal([404, 'not_found'])
      engine.addRun({ name: 'nightly', dagRunId: 'r-1', createdAt: 1, status: 'running' })
      engine.addRun({ name: 'nightly', dagRunId: 'r-2', createdAt: 2 })
      expect((await call('GET', '/dag-runs/nightly/latest')).json.dagRun.dagRunId).to.equal('r-2')
      expect(await codeOf('GET', '/dag-runs/nightly/r-3')).to.deep.equal([404, 'not_found'])
      expect(await codeOf('GET', '/dag-runs/other/r-1')).to.deep.equal([404, 'not_found'])
    })
  })

  describe('GET /dags/{fileName}/dag-runs/{dagRunId}', () => {
    it('-> {dagRun, dagRunDetails} by the DAG name of the file; latest allowed; 404 otherwise', async () => {
      engine.addRun({ name: 'other', dagRunId: 'r-1' })
      const { status, json } = await call('GET', '/dags/file/dag-runs/r-1')
      expect([status, json.dagRun.name, json.dagRunDetails.dagRunId]).to.deep.equal([200, 'other', 'r-1'])
      expect((await call('GET', '/dags/file/dag-runs/latest')).json.dagRun.dagRunId).to.equal('r-1')
      expect(await codeOf('GET', '/dags/file/dag-runs/r-2')).to.deep.equal([404, 'not_found'])
    })

    it('missing definition: history is still served by that name', async () => {
      engine.addRun({ name: 'deleted', dagRunId: 'r-1' })
      expect((await call('GET', '/dags/deleted/dag-runs/r-1')).json.dagRun.name).to.equal('deleted')
    })
  })

  describe('POST /dag-runs/{name}/{dagRunId}/stop', () => {
    it('-> 200 with zero-length body, no Content-Type', async () => {
      engine.addRun({ name: 'nightly', dagRunId: 'r-1', status: 'running' })
      const { status, headers, bytes } = await call('POST', '/dag-runs/nightly/r-1/stop')
      expect([status, headers['content-length'], headers['content-type'], bytes.length]).to.deep.equal([
        200,
        '0',
        undefined,
        0
      ])
    })

    it('404 not_found; 400 not_running when queued or finished', async () => {
      engine.addRun({ name: 'nightly', dagRunId: 'r-1' })
      engine.addRun({ name: 'nightly', dagRunId: 'r-2', status: 'queued' })
      expect(await codeOf('POST', '/dag-runs/nightly/r-0/stop')).to.deep.equal([404, 'not_found'])
      expect(await codeOf('POST', '/dag-runs/nightly/r-1/stop')).to.deep.equal([400, 'not_running'])
      expect(await codeOf('POST', '/dag-runs/nightly/r-2/stop')).to.deep.equal([400, 'not_running'])
    })
  })

  describe('GET /health', () => {
    it('200 {status: healthy, version, uptime: integer seconds, timestamp}', async () => {
      const { status, json } = await call('GET', '/health')
      const health = { status: 'healthy', version: '1.2.3', uptime: 8, timestamp: '1970-01-01T09:00:09+09:00' }
      expect([status, json]).to.deep.equal([200, health])
    })

    it('503 same plus error with status unhealthy', async () => {
      engine.healthNow = { ...engine.healthNow, healthy: false, error: 'disk full' }
      const { status, json } = await call('GET', '/health')
      expect([status, json.status, json.error, json.uptime]).to.deep.equal([503, 'unhealthy', 'disk full', 8])
    })
  })
})
