/**
 * What is evaluated when a run is loaded, by definitions as users write them. logDir,
 * params.schema, base. Source: execution-semantics 1.2, 2.3, 3.3.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('load time › logDir', () => {
  const live = liveEngine()

  it('api-semantics 10.3 it replaces `logs/<DAG name>`; ${DAG_NAME}, DAG env and backticks', async () => {
    const folder = temporaryFolder()
    const run = await live.run(
      `name: placed\nenv: {TEAM: a}\nlogDir: ${folder}/\${TEAM}/\${DAG_NAME}-\`echo x\`\nsteps: [{name: one, command: echo out}]`,
      { dagRunId: 'r1' }
    )
    const own = join(folder, 'a', 'placed-x', 'r1')
    expect(run.run.log).to.equal(join(own, 'run.log'))
    expect(run.node('one').stdout).to.equal(join(own, '1', 'one.out'))
    expect(run.out('one')).to.equal('out\n')
    expect(textOf(run.run.log)).to.contain('run started')
    expect(existsSync(join(live.engine.config.logDir, 'placed'))).to.equal(false)
  })

  it('two DAGs may share one: a retry under the id of a run that waits has a separate folder', async () => {
    const folder = temporaryFolder()
    const spec = (name: string, command: string) =>
      `name: ${name}\nqueue: ${name}\nlogDir: ${folder}\nsteps: [{name: one, command: '${command}'}]`
    const waiting = await live.engine.enqueue({ spec: spec('waits', 'echo waits'), dagRunId: 'again' })
    await live.run(spec('fails', 'echo fails; exit 1'), { dagRunId: 'first' })
    const retry = await live.engine.retry({ name: 'fails', dagRunId: 'first' }, { dagRunId: 'again' })
    const { run, out } = await live.ended(retry)
    expect(out('one')).to.equal('fails\n')
    expect(live.engine.run(waiting)?.run.log).to.equal(join(folder, 'again', 'run.log'))
    expect(run.log).to.match(/\/again-[0-9a-f]{6}\/run\.log$/)
  })
})

describe('load time › params schema', () => {
  const folder = temporaryFolder()
  const schema = JSON.stringify({
    properties: { N: { type: 'integer', maximum: 9 }, MODE: { enum: ['fast', 'slow'], default: 'slow' } },
    required: ['N']
  })
  writeFileSync(join(folder, 's.json'), schema)
  const api = liveApi()
  let server: Server
  before((done) => {
    server = createServer((_, response) => response.end(schema)).listen(0, '127.0.0.1', done)
  })
  after(() => void server.close())
  const spec = (at: string, values = '{N: 1}') =>
    `name: typed\nmaxActiveRuns: -1\nworkingDir: ${folder}\nparams: {schema: "${at}", values: ${values}}\nsteps: ["true"]`

  it('2.3.3 the params of a run are completed; 2.3.4 what does not fit is bad_request', async () => {
    const { port } = server.address() as AddressInfo
    for (const at of ['s.json', `http://127.0.0.1:${port}/s.json`]) {
      const started = await api.call('POST', '/dag-runs', { body: { spec: spec(at), params: 'N=7' } })
      expect(started.status).to.equal(200)
      expect((await api.ended('typed', started.json.dagRunId)).params).to.equal('N=7 MODE=slow')
      const refused = await api.call('POST', '/dag-runs', { body: { spec: spec(at), params: 'N=70 MODE=x' } })
      expect(refused.status).to.equal(400)
      expect(refused.json.code).to.equal('bad_request')
      expect(refused.json.message).to.contain(
        'parameter validation failed: /N: must be <= 9; /MODE: must be equal to one'
      )
    }
  })
  it('2.3.5 validating and saving check the defaults against a local file only', async () => {
    const problem = 'parameter validation failed: /N: must be <= 9'
    const bad = spec(join(folder, 's.json'), '{N: 70}')
    const validated = await api.call('POST', '/dags/validate', { body: { spec: bad } })
    expect(validated.json.valid).to.equal(false)
    expect(validated.json.errors.join()).to.contain(problem)
    const created = await api.call('POST', '/dags', { body: { name: 'typed', spec: bad } })
    expect([created.status, created.json.code]).to.deep.equal([400, 'bad_request'])
    api.write('typed', spec(join(folder, 's.json')))
    const put = await api.call('PUT', '/dags/typed/spec', { body: { spec: bad } })
    expect(put.json.errors.join()).to.contain(problem)
    const remote = spec('http://127.0.0.1:9/s.json', '{N: 70}')
    expect((await api.call('POST', '/dags/validate', { body: { spec: remote } })).json.valid).to.equal(true)
    const start = await api.call('POST', '/dag-runs', { body: { spec: remote } })
    expect([start.status, start.json.message]).to.satisfy(
      ([status, message]: [number, string]) => status === 400 && message.startsWith('failed to get JSON schema:')
    )
  })
})

describe('load time › details of a definition', () => {
  const api = liveApi()

  it('logDir as written, and the locks of runConfig', async () => {
    api.write('shown', 'logDir: "/logs/${DAG_NAME}"\nrunConfig: {disableParamEdit: true}\nsteps: ["true"]')
    const { dag } = (await api.call('GET', '/dags/shown')).json
    expect(dag.logDir).to.equal('/logs/${DAG_NAME}')
    expect(dag.runConfig).to.deep.equal({ disableParamEdit: true, disableRunIdEdit: false })
  })
})

describe('load time › base configuration', () => {
  const base = join(temporaryFolder(), 'base.yaml')
  const api = liveApi({ baseConfig: base })
  const outOf = async (name: string) => {
    const { nodes } = await api.ended(name, await api.started(name))
    return textOf(nodes[0].stdout)
  }

  it('1.2.1 it is the base of every definition; a change is seen at the next start; the runs before keep what they had', async () => {
    api.write('based', 'steps: [{name: shows, command: \'echo "$FROM"\'}]')
    expect(await outOf('based')).to.equal('\n')
    writeFileSync(base, 'env: [{FROM: first}]')
    expect(await outOf('based')).to.equal('first\n')
    writeFileSync(base, 'env: [{FROM: other}]')
    expect(await outOf('based')).to.equal('other\n')
    const plans = api.engine
      .runs({ name: 'based' })
      .map(({ dagRunId }) => api.engine.run({ name: 'based', dagRunId })?.plan)
    expect(plans.map((plan) => plan?.env.map(({ value }) => value))).to.deep.equal([['other'], ['first'], []])
  })
})
