/** The old API: one test per row. Source: http-api "Versioning", api-semantics 9.4. */
import { expect } from 'chai'
import { type Json, liveApi } from '../support/live-api.ts'

describe('API › v1, deprecated but still available', () => {
  const api = liveApi({ tz: 'UTC' })
  const call = async (method: string, path: string, body?: object) => {
    const answer = await api.callAt(method, `/api/v1${path}`, body ? { body } : {})
    expect(answer.headers.deprecation, `${method} ${path}`).to.equal('true')
    return answer
  }
  const ok = async (method: string, path: string, body?: object): Promise<Json> => {
    const { status, json, text } = await call(method, path, body)
    expect(status, `${method} ${path}: ${text}`).to.equal(200)
    return json
  }
  const refused = async (method: string, path: string, body?: object) => {
    const { status, json } = await call(method, path, body)
    return `${status} ${json.code}`
  }
  const SPEC =
    'tags: [etl]\nhandlerOn: {exit: echo bye}\nsteps: [{name: a, command: echo one two}, {name: b, command: exit 1}]\n'
  let runId = ''

  before(async () => {
    api.write('etl', SPEC)
    api.write('other', 'steps: [sleep 60]')
    runId = await api.started('etl')
    await api.ended('etl', runId)
  })

  for (const [old, current] of [
    ['/search?q=etl', '/dags/search?q=etl'],
    ['/tags', '/dags/tags']
  ] as const)
    it(`GET ${old}: as v2`, async () => {
      expect(await ok('GET', old)).to.deep.equal((await api.call('GET', current)).json)
    })

  it('GET /health: as v2', async () => {
    expect(await ok('GET', '/health'))
      .to.include({ status: 'healthy' })
      .and.have.keys('status', 'version', 'uptime', 'timestamp')
  })

  it('GET /dags?page&limit&searchName&searchTag: list', async () => {
    const { DAGs, Errors, PageCount } = await ok('GET', '/dags')
    expect([DAGs.length, Errors, PageCount]).to.deep.equal([2, [], 1])
    const [etl] = DAGs
    expect(etl).to.deep.include({ File: 'etl', Suspended: false, Errors: [] })
    expect(etl.DAG).to.deep.include({ Name: 'etl', Tags: ['etl'], Schedule: [] })
    expect(etl.Status).to.include({ RequestId: runId, Name: 'etl', Status: 2, StatusText: 'failed' })
    expect(etl.Status.StartedAt).to.match(/Z$/)
    const files = async (query: string) => (await ok('GET', `/dags?${query}`)).DAGs.map(({ File }: Json) => File)
    expect(await files('searchName=OTH')).to.deep.equal(['other'])
    expect(await files('searchTag=ETL')).to.deep.equal(['etl'])
    expect(await files('limit=1&page=2')).to.deep.equal(['other'])
    expect((await ok('GET', '/dags?limit=1')).PageCount).to.equal(2)
    expect(await refused('GET', '/dags?page=x')).to.equal('400 bad_request')
  })

  it('POST /dags {action: "new", value: name}: create -> {DagID}', async () => {
    expect(await ok('POST', '/dags', { action: 'new', value: 'made' })).to.deep.equal({ DagID: 'made' })
    expect((await api.call('GET', '/dags/made')).status).to.equal(200)
    expect(await refused('POST', '/dags', { action: 'new', value: 'made' })).to.equal('409 already_exists')
    for (const body of [
      { action: 'new' },
      { action: 'new', value: '../x' },
      { action: 'old', value: 'x' },
      { action: 7 }
    ])
      expect(await refused('POST', '/dags', body), JSON.stringify(body)).to.equal('400 bad_request')
  })

  it('GET /dags/{name}?tab=status|spec|history|log|scheduler-log&file&step: one big view', async () => {
    const view = await ok('GET', '/dags/etl')
    expect(view).to.include({ Title: 'etl', Tab: 'status', Definition: SPEC, StepLog: null, ScLog: null })
    expect(
      view.DAG.DAG.Steps.map(({ Name, Command, CmdWithArgs }: Json) => [Name, Command, CmdWithArgs])
    ).to.deep.equal([
      ['a', 'echo', 'echo one two'],
      ['b', 'exit', 'exit 1']
    ])
    expect(view.DAG.Status.Nodes.map(({ Step, StatusText }: Json) => [Step.Name, StatusText])).to.deep.equal([
      ['a', 'succeeded'],
      ['b', 'failed']
    ])
    expect(view.DAG.Status.OnExit.StatusText).to.equal('succeeded')
    expect((await ok('GET', '/dags/etl?tab=spec')).Definition).to.equal(SPEC)
    const { Logs, GridData } = (await ok('GET', '/dags/etl?tab=history')).LogData
    expect(Logs.map(({ Status }: Json) => Status.RequestId)).to.include(runId)
    expect(GridData).to.deep.include({ Name: 'a', Vals: Logs.map(() => 4) })
    const { StepLog } = await ok('GET', `/dags/etl?tab=log&step=a&file=${encodeURIComponent(Logs[0].File)}`)
    expect(StepLog).to.deep.include({ Step: { Name: 'a' }, Content: 'one two' })
    expect((await ok('GET', '/dags/etl?tab=scheduler-log')).ScLog.Content).to.contain('run finished')
    expect(await refused('GET', '/dags/etl?tab=log&step=none')).to.equal('404 not_found')
    expect(await refused('GET', '/dags/etl?tab=nothing')).to.equal('400 bad_request')
    expect(await refused('GET', '/dags/missing')).to.equal('404 not_found')
    expect(await refused('GET', '/dags/..%2Fetl')).to.equal('400 bad_request')
    expect((await ok('GET', '/dags/other')).DAG.Status).to.include({
      RequestId: '',
      Status: 0,
      StatusText: 'not_started'
    })
  })

  describe('POST /dags/{name} {action, value?, requestId?, step?, params?}', () => {
    const act = (body: object) => ok('POST', '/dags/etl', body)

    it('start, stop: {}; start while running: 400 already_running', async () => {
      const other = (body: object) => call('POST', '/dags/other', body)
      expect((await other({ action: 'start', params: 'A=1' })).json).to.deep.equal({})
      expect(await refused('POST', '/dags/other', { action: 'start' })).to.equal('400 already_running')
      const { dagRunId } = (await api.call('GET', '/dag-runs/other/latest')).json.dagRun
      expect((await other({ action: 'stop' })).json).to.deep.equal({})
      expect((await api.ended('other', dagRunId)).params).to.equal('A=1')
      expect(await refused('POST', '/dags/other', { action: 'stop' })).to.equal('400 not_running')
    })
    it('suspend (value "true"/"false")', async () => {
      for (const value of ['true', 'false']) {
        expect(await act({ action: 'suspend', value })).to.deep.equal({})
        expect((await ok('GET', '/dags/etl')).DAG.Suspended).to.equal(value === 'true')
      }
      expect(await refused('POST', '/dags/etl', { action: 'suspend', value: 'maybe' })).to.equal('400 bad_request')
    })
    it('mark-success, mark-failed', async () => {
      for (const [action, text] of [
        ['mark-failed', 'failed'],
        ['mark-success', 'succeeded']
      ] as const) {
        expect(await act({ action, requestId: runId, step: 'b' })).to.deep.equal({})
        const { nodes } = (await api.call('GET', `/dag-runs/etl/${runId}`)).json.dagRun
        expect(nodes[1].statusLabel).to.equal(text)
      }
      expect(await refused('POST', '/dags/etl', { action: 'mark-failed', requestId: runId })).to.equal(
        '400 bad_request'
      )
    })
    it('retry', async () => {
      expect(await act({ action: 'retry', requestId: runId })).to.deep.equal({})
      expect((await api.ended('etl', runId)).attempt).to.equal(2)
      expect(await refused('POST', '/dags/etl', { action: 'retry' })).to.equal('400 bad_request')
    })
    it('save (value = spec)', async () => {
      expect(await act({ action: 'save', value: `# saved\n${SPEC}` })).to.deep.equal({})
      expect((await ok('GET', '/dags/etl')).Definition).to.contain('# saved')
      expect(await refused('POST', '/dags/etl', { action: 'save', value: 'steps: [{name: a}]' })).to.equal(
        '400 bad_request'
      )
    })
    it('rename (value = name): {NewName}', async () => {
      expect(await act({ action: 'rename', value: 'renamed' })).to.deep.equal({ NewName: 'renamed' })
      expect(await refused('GET', '/dags/etl')).to.equal('404 not_found')
      expect(await refused('POST', '/dags/renamed', { action: 'rename', value: 'other' })).to.equal(
        '409 already_exists'
      )
    })
    it('another action: 400 bad_request', async () => {
      for (const action of ['dance', 'constructor', ''])
        expect(await refused('POST', '/dags/renamed', { action })).to.equal('400 bad_request')
    })
  })

  it('DELETE /dags/{name}: 204', async () => {
    expect((await call('DELETE', '/dags/made')).status).to.equal(204)
    expect(await refused('DELETE', '/dags/made')).to.equal('404 not_found')
  })
})
