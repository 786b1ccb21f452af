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
