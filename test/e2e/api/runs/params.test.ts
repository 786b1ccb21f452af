/** What a form for a start is made of, and a run like an earlier one with some of its params changed. Source: docs/http-api.md "Starting and stopping", "Running again". */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveApi } from '../../../support/api/live-api.ts'

const SCHEMA = {
  type: 'object',
  properties: { ENV: { type: 'string', enum: ['test', 'live'] }, COUNT: { type: 'integer', default: 3 } }
}

describe('API › the params of a start', () => {
  const api = liveApi({ schedules: false })
  before(() => {
    api.write('typed', 'params: {schema: env.json, values: {ENV: test}}\nsteps: ["echo $ENV $COUNT"]\n')
    api.write('plain', 'params: "one DAY=`echo monday`"\nsteps: ["echo $1 $DAY"]\n')
    writeFileSync(join(api.engine.config.dagsDir, 'env.json'), JSON.stringify(SCHEMA))
  })
  const startedAndEnded = async (name: string, params: string) => {
    const dagRunId = await api.started(name, { params })
    await api.ended(name, dagRunId)
    return dagRunId
  }

  it('of a definition: defaults as written, and the schema; nothing is evaluated', async () => {
    expect(await api.get('/dags/plain/params')).to.deep.equal({
      params: [
        { name: '1', value: 'one' },
        { name: 'DAY', value: '`echo monday`' }
      ]
    })
    expect(await api.get('/dags/typed/params')).to.deep.equal({
      params: [{ name: 'ENV', value: 'test' }],
      schema: SCHEMA
    })
  })
  it('an outline is what a run would do, with the params of the start; of a run what it does, whatever has become of its definition', async () => {
    api.write('outlined', 'params: "DAY=`echo monday`"\nrestartWaitSec: 7\nsteps:\n  - command: echo $DAY\n')
    const step = { name: 'cmd_1', does: 'echo $DAY', executor: 'shell', depends: [], preconditions: [] }
    const rest = { preconditions: [], levels: [[step]], handlers: [], maxActiveSteps: 0, restartWaitSec: 7 }
    expect(await api.get('/dags/outlined/outline')).to.deep.equal({
      name: 'outlined',
      params: 'DAY=`echo monday`',
      ...rest
    })
    expect(await api.get('/dags/outlined/outline?params=DAY%3Dfriday&name=other')).to.deep.equal({
      name: 'other',
      params: 'DAY=friday',
      ...rest
    })
    const dagRunId = await startedAndEnded('outlined', 'DAY=sunday')
    api.write('outlined', 'steps:\n  - command: echo $DAY\n    depends: nothing\n')
    expect(await api.get(`/dag-runs/outlined/${dagRunId}/outline`)).to.deep.equal({
      name: 'outlined',
      params: 'DAY=sunday',
      ...rest
    })
    const refused = await api.call('GET', '/dags/outlined/outline')
    expect([refused.status, refused.json.code, refused.json.details.errors.length]).to.deep.equal([
      400,
      'bad_request',
      1
    ])
    expect((await api.call('GET', '/dags/nobody/outline')).status).to.equal(404)
    expect((await api.call('GET', '/dag-runs/outlined/none/outline')).status).to.equal(404)
  })
  it('of a run: what it was started with', async () => {
    const dagRunId = await startedAndEnded('typed', 'ENV=live')
    for (const id of [dagRunId, 'latest'])
      expect((await api.get(`/dag-runs/typed/${id}/params`)).params).to.deep.equal([
        { name: 'ENV', value: 'live' },
        { name: 'COUNT', value: '3' }
      ])
    expect(await api.codeOf('GET', '/dag-runs/typed/nobody/params')).to.deep.equal([404, 'not_found'])
  })
  it('a schema that cannot be read is a sentence beside the params, without its content', async () => {
    writeFileSync(join(api.engine.config.dagsDir, 'odd.json'), 'hush, no JSON')
    api.write('odd', 'params: {schema: odd.json}\nsteps: ["true"]\n')
    api.write('late', 'params: {schema: "${HOME}/x.json"}\nsteps: ["true"]\n')
    expect(await api.get('/dags/odd/params')).to.deep.equal({ params: [], problem: 'the schema is no valid JSON' })
    expect((await api.get('/dags/late/params')).problem).to.contain('at the start of a run only')
  })

  it('a rerun with other params keeps the rest, and the text of the earlier run; the schema checks them', async () => {
    const before = await startedAndEnded('typed', 'ENV=live COUNT=5')
    const rerun = (params: string) => api.call('POST', `/dag-runs/typed/${before}/reschedule`, { body: { params } })
    const refused = await rerun('{"ENV": "moon"}')
    expect([refused.status, refused.json.code]).to.deep.equal([400, 'bad_request'])
    expect(refused.json.message).to.contain('/ENV')
    const { status, json } = await rerun('{"ENV": "test"}')
    expect(status).to.equal(200)
    expect((await api.ended('typed', json.dagRunId)).params).to.equal('ENV=test COUNT=5')
  })
  it('what is sent back unchanged is no change: a definition that locks its params is rerun, and refuses others', async () => {
    api.write('locked', 'runConfig: {disableParamEdit: true}\nparams: A=1\nsteps: ["true"]\n')
    const before = await startedAndEnded('locked', '')
    const rerun = (params: string) => api.call('POST', `/dag-runs/locked/${before}/reschedule`, { body: { params } })
    expect((await rerun('A=2')).json.message).to.contain('disableParamEdit')
    const { status, json } = await rerun('A=1')
    expect(status).to.equal(200)
    await api.ended('locked', json.dagRunId)
  })
  it('a value of a rerun is data: it is no command, whatever is in it', async () => {
    const before = await startedAndEnded('plain', '')
    const { json } = await api.call('POST', `/dag-runs/plain/${before}/reschedule`, {
      body: { params: JSON.stringify({ DAY: '`echo bad`; echo worse' }) }
    })
    const run = await api.ended('plain', json.dagRunId)
    expect(run.params).to.equal('1=one DAY=`echo bad`; echo worse')
    expect(run.statusLabel).to.equal('succeeded')
  })
})
