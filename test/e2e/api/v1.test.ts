/** Version 1 of the API on a real engine: one test for each row. Source: http-api "Notes" (version 1), api-semantics 9.4. */
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const SPEC =
  'tags: [etl]\ngroup: night\nschedule: "0 3 * * *"\nparams: DAY=today\nhandlerOn: {exit: echo bye}\nsteps: [{name: load, command: echo day $DAY}, {name: bad, command: "false", continueOn: {failure: true}}]\n'

describe('API › 9.4 version 1', () => {
  const api = liveApi()
  const gate = temporaryFolder()
  const v1 = (method: string, path: string, body?: object) =>
    api.callAt(method, `/api/v1${path}`, body === undefined ? {} : { body })
  const act = (fileName: string, body: object) => v1('POST', `/dags/${fileName}`, body)
  const newest = async (fileName: string) => (await v1('GET', `/dags/${fileName}`)).json.DAG.Status
  const ended = (fileName: string) =>
    eventually('its end', async () => {
      const status = await newest(fileName)
      return status.FinishedAt === '' ? undefined : status
    })
  before(() => {
    api.write('etl', SPEC)
    api.write('held', `steps: ['while [ ! -e ${gate}/go ]; do sleep 0.05; done']\n`)
    api.write('broken', '[')
  })

  it('GET /health as v2, and every answer says Deprecation: true', async () => {
    const { status, json, headers } = await v1('GET', '/health')
    expect([status, json.status, headers.deprecation]).to.deep.equal([200, 'healthy', 'true'])
    for (const [method, path] of [
      ['GET', '/dags/nope'],
      ['GET', '/nope'],
      ['GET', '/dags/'],
      ['PUT', '/dags'],
      ['GET', '/dags/%zz']
    ] as const)
      expect((await v1(method, path)).headers.deprecation, `${method} ${path}`).to.equal('true')
    expect((await api.call('GET', '/health')).headers).not.to.have.property('deprecation')
  })

  it('GET /dags?page&limit&searchName&searchTag: list', async () => {
    const { json } = await v1('GET', '/dags?limit=1&page=2')
    expect(json.PageCount).to.equal(3)
    expect(json.DAGs.map(({ DAG }: { DAG: { Name: string } }) => DAG.Name)).to.deep.equal(['etl'])
    const whole = (await v1('GET', '/dags')).json
    expect([whole.HasError, whole.Errors.length]).to.deep.equal([true, 1])
    const tagged = (await v1('GET', '/dags?searchTag=ETL&searchName=Et')).json
    expect(tagged.DAGs).to.have.length(1)
    const [{ DAG, File, Status, Suspended }] = tagged.DAGs
    expect(DAG).to.deep.include({
      Name: 'etl',
      Group: 'night',
      Tags: ['etl'],
      Params: ['DAY=today'],
      Schedule: [{ Expression: '0 3 * * *' }]
    })
    expect([File, Suspended]).to.deep.equal(['', false])
    expect(Status).to.deep.include({
      RequestId: '',
      Status: 0,
      StatusText: 'not_started',
      StartedAt: '',
      FinishedAt: ''
    })
  })

  it('POST /dags {action: "new", value: name}: create -> {DagID}', async () => {
    const made = await v1('POST', '/dags', { action: 'new', value: 'made' })
    expect([made.status, made.json]).to.deep.equal([201, { DagID: 'made' }])
    expect((await v1('POST', '/dags', { action: 'new', value: 'made' })).json.code).to.equal('already_exists')
    const wrong = await v1('POST', '/dags', { action: 'old', value: '../x' })
    expect([wrong.status, wrong.json.code, wrong.json.details.errors.length]).to.deep.equal([400, 'bad_request', 2])
  })

  it('POST /dags/{name} {action: "start", params} -> {}', async () => {
    const { status, json } = await act('etl', { action: 'start', params: 'DAY=monday' })
    expect([status, json]).to.deep.equal([200, {}])
    expect(await ended('etl')).to.deep.include({ Params: 'DAY=monday', Status: 6, StatusText: 'partially_succeeded' })
  })

  it('GET /dags/{name}?tab=status: one big view', async () => {
    const { json } = await v1('GET', '/dags/etl')
    expect([json.Title, json.Errors]).to.deep.equal(['etl', []])
    const { DAG, Status } = json.DAG
    expect(DAG.Steps[0]).to.deep.include({ Name: 'load', Command: 'echo', Args: ['day', '$DAY'] })
    expect(DAG.HandlerOn.Exit).to.deep.include({ Command: 'echo', Args: ['bye'] })
    const [load, bad] = Status.Nodes
    expect(load).to.deep.include({ Status: 4, StatusText: 'succeeded', DoneCount: 1, RetryCount: 0 })
    expect(load.Step.Name).to.equal('load')
    expect([bad.Status, bad.Step.Depends]).to.deep.equal([2, ['load']])
    expect(bad.Error).to.contain('exit status 1')
    expect(Status.OnExit.Status).to.equal(4)
    expect((await v1('GET', '/dags/nope')).status).to.equal(404)
    expect((await v1('GET', '/dags/etl?tab=other')).json.message).to.contain('tab')
  })

  it('GET /dags/{name}?tab=spec: its text', async () => {
    expect((await v1('GET', '/dags/etl?tab=spec')).json.Definition).to.equal(SPEC)
  })

  it('GET /dags/{name}?tab=history: its runs, and a row for each step', async () => {
    const { LogData } = (await v1('GET', '/dags/etl?tab=history')).json
    expect(LogData.GridData.slice(0, 2)).to.deep.equal([
      { Name: 'bad', Vals: [2] },
      { Name: 'load', Vals: [4] }
    ])
    expect(LogData.Logs[0].Status.RequestId).to.equal(LogData.Logs[0].File)
  })

  it('GET /dags/{name}?tab=log&step&file: the log of a step of that run as text', async () => {
    const { RequestId } = await newest('etl')
    const { StepLog } = (await v1('GET', `/dags/etl?tab=log&step=load&file=${RequestId}`)).json
    expect([StepLog.Content, StepLog.Step.Step.Name]).to.deep.equal(['day monday', 'load'])
    expect(StepLog.LogFile).to.equal(StepLog.Step.Log)
    expect((await v1('GET', '/dags/etl?tab=log&step=onExit')).json.StepLog.Content).to.equal('bye')
    expect((await v1('GET', '/dags/etl?tab=log')).json.message).to.contain("'step': required")
    expect((await v1('GET', '/dags/etl?tab=log&step=nope')).status).to.equal(404)
    expect((await v1('GET', '/dags/etl?tab=log&step=load&file=nope')).status).to.equal(404)
  })

  it('GET /dags/{name}?tab=scheduler-log: the log of the run as text', async () => {
    const { ScLog } = (await v1('GET', '/dags/etl?tab=scheduler-log')).json
    expect(ScLog.Content).to.contain('msg="run finished"')
    expect((await v1('GET', '/dags/held?tab=scheduler-log')).status).to.equal(404)
  })

  it('POST /dags/{name} start while running: 400 already_running; stop; not running: 400 not_running', async () => {
    expect((await act('held', { action: 'start' })).status).to.equal(200)
    const again = await act('held', { action: 'start' })
    expect([again.status, again.json.code]).to.deep.equal([400, 'already_running'])
    expect((await act('held', { action: 'stop' })).json).to.deep.equal({})
    expect((await ended('held')).StatusText).to.equal('canceled')
    const { status, json } = await act('held', { action: 'stop' })
    expect([status, json.code]).to.deep.equal([400, 'not_running'])
  })

  it('POST /dags/{name} suspend (value "true"/"false")', async () => {
    expect((await act('etl', { action: 'suspend', value: 'true' })).json).to.deep.equal({})
    expect((await v1('GET', '/dags/etl')).json.DAG.Suspended).to.equal(true)
    await act('etl', { action: 'suspend', value: 'false' })
    expect((await v1('GET', '/dags/etl')).json.DAG.Suspended).to.equal(false)
    expect((await act('etl', { action: 'suspend', value: 'yes' })).status).to.equal(400)
  })

  it('POST /dags/{name} mark-success, mark-failed (requestId, step), retry (requestId)', async () => {
    const { RequestId: requestId } = await newest('etl')
    expect((await act('etl', { action: 'mark-success', requestId, step: 'bad' })).json).to.deep.equal({})
    expect((await newest('etl')).Nodes[1].Status).to.equal(4)
    await act('etl', { action: 'mark-failed', requestId, step: 'load' })
    expect((await newest('etl')).Nodes[0].Status).to.equal(2)
    expect((await act('etl', { action: 'mark-failed' })).json.details.errors).to.have.length(2)
    expect((await act('etl', { action: 'retry', requestId })).json).to.deep.equal({})
    await eventually('the retry', async () => ((await newest('etl')).Nodes[0].Status === 4 ? true : undefined))
    expect((await ended('etl')).RequestId).to.equal(requestId)
    expect((await act('etl', { action: 'retry' })).json.message).to.contain("'requestId': required for retry")
    expect((await act('etl', { action: 'retry', requestId: 'nope' })).status).to.equal(404)
  })

  it('POST /dags/{name} save (value = spec), rename (value = name) -> {NewName}', async () => {
    expect((await act('made', { action: 'save', value: 'steps: [echo new]\n' })).json).to.deep.equal({})
    expect(api.engine.spec('made')).to.equal('steps: [echo new]\n')
    const refused = await act('made', { action: 'save', value: 'steps: 5' })
    expect([refused.status, refused.json.details.errors.length]).to.deep.equal([400, 1])
    expect(api.engine.spec('made')).to.equal('steps: [echo new]\n')
    expect((await act('made', { action: 'rename', value: 'renamed' })).json).to.deep.equal({ NewName: 'renamed' })
    expect((await act('renamed', { action: 'rename' })).status).to.equal(400)
    for (const value of ['../up', '.up', '-up', 'u'.repeat(41)]) {
      const { status, json } = await act('renamed', { action: 'rename', value })
      expect([status, json.code], value).to.deep.equal([400, 'bad_request'])
      expect(json.message).to.match(/^field 'value': wanted 1 to 40 of the characters/)
    }
    expect((await act('renamed', { action: 'other' })).json.message).to.contain("field 'action'")
  })

  it('what is no run id is 400 bad_request, however long; latest can be read only', async () => {
    for (const id of ['x'.repeat(65), 'x'.repeat(5_000), '../..']) {
      for (const tab of ['log&step=load', 'scheduler-log']) {
        const { status, json } = await v1('GET', `/dags/etl?tab=${tab}&file=${encodeURIComponent(id)}`)
        expect([status, json.code], tab).to.deep.equal([400, 'bad_request'])
      }
      for (const action of ['retry', 'mark-success', 'mark-failed'])
        expect((await act('etl', { action, requestId: id, step: 'load' })).status, action).to.equal(400)
    }
    expect((await v1('GET', '/dags/etl?tab=log&step=load&file=latest')).status).to.equal(200)
    expect((await act('etl', { action: 'retry', requestId: 'latest' })).status).to.equal(400)
    expect((await act('etl', { action: 'suspend', value: 'false', requestId: '' })).status).to.equal(200)
  })

  it('DELETE /dags/{name}: 204', async () => {
    expect((await v1('DELETE', '/dags/renamed')).status).to.equal(204)
    expect((await v1('DELETE', '/dags/renamed')).status).to.equal(404)
  })

  it('GET /search?q, /tags as v2', async () => {
    const { Results, Errors } = (await v1('GET', '/search?q=monday|today')).json
    expect([Results.length, Results[0].Name, Errors]).to.deep.equal([1, 'etl', []])
    expect(Results[0].Matches[0]).to.have.all.keys('Line', 'LineNumber', 'StartLine')
    expect((await v1('GET', '/search')).status).to.equal(400)
    expect((await v1('GET', '/tags')).json.Tags).to.deep.equal(['etl'])
  })
})
