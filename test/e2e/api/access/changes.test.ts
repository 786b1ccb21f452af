/** What a role lets somebody change, and that no text, name or action leads around it. Source: docs/authentication.md "Roles". */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import { accessScene, as } from '../../../support/api/access-scene.ts'

describe('access › changes', () => {
  const { api, write, fileOf } = accessScene()
  const asked = async (caller: string, method: string, path: string, body?: unknown) => {
    const whole = path.startsWith('/api/') ? path : `/api/v2${path}`
    const { status, json } = await api.callAt(method, whole, as(caller, body === undefined ? {} : { body }))
    return [status, json?.message ?? ''] as const
  }
  const status = async (...args: Parameters<typeof asked>) => (await asked(...args))[0]
  const PLAIN = 'steps: [echo hi]\n'
  const IN_ETL = 'group: etl\nsteps: [echo hi]\n'

  it('a runner starts, enqueues, stops and suspends, and edits nothing', async () => {
    expect(await status('runner', 'POST', '/dags/open/start', { dagRunId: 'by-runner' })).to.equal(200)
    await api.engine.result({ name: 'open', dagRunId: 'by-runner' })
    expect(await status('runner', 'POST', '/dag-runs/open/by-runner/retry', {})).to.equal(200)
    expect(await status('runner', 'POST', '/dags/open/suspend', { suspend: false })).to.equal(200)
    expect(await asked('runner', 'PUT', '/dags/open/spec', { spec: PLAIN })).to.deep.equal([
      403,
      'the token runner may not edit open: that takes the role editor, and access.roles says runner'
    ])
    expect(await status('runner', 'POST', '/dags', { name: 'new', spec: PLAIN })).to.equal(403)
    expect(await status('runner', 'POST', '/dag-runs', { spec: PLAIN, name: 'new' })).to.equal(403)
    expect(await asked('runner', 'POST', '/workers/w/drain', { drain: true })).to.deep.equal([
      403,
      'the token runner may not administer this server: that takes the role admin, and access.roles says runner'
    ])
    expect(existsSync(fileOf('new'))).to.equal(false)
  })

  it('a rule widens: who may nothing on the server edits what the rule names, and creates such', async () => {
    expect(await status('etl', 'PUT', '/dags/etl/spec', { spec: IN_ETL })).to.equal(200)
    expect(await status('etl', 'POST', '/dags', { name: 'etl-2', spec: IN_ETL })).to.equal(201)
    expect(await status('etl', 'POST', '/dags', { name: 'free', spec: PLAIN })).to.equal(403)
    expect(await status('etl', 'POST', '/dag-runs', { name: 'etl-inline', spec: IN_ETL })).to.equal(200)
    expect(await status('etl', 'POST', '/dag-runs', { name: 'inline', spec: PLAIN })).to.equal(403)
    expect(await status('etl', 'POST', '/dag-runs/enqueue', { name: 'inline', spec: PLAIN })).to.equal(403)
    expect(await status('etl', 'DELETE', '/dags/etl-2')).to.equal(204)
    write('etl')
  })

  it('a rule narrows: an editor only sees what the rule names', async () => {
    expect(await status('editor', 'GET', '/dags/open/spec')).to.equal(200)
    expect(await asked('editor', 'POST', '/dags/open/start', {})).to.deep.equal([
      403,
      'the token editor may not run open: that takes the role runner, and access.rules[2] says viewer'
    ])
  })

  it('no text takes a definition to where its editor may not edit', async () => {
    const before = readFileSync(fileOf('etl'), 'utf8')
    for (const spec of [PLAIN, `name: open\n${IN_ETL}`, `tags: [secret]\n${PLAIN}`])
      expect(await status('etl', 'PUT', '/dags/etl/spec', { spec }), spec).to.equal(403)
    expect(await status('editor', 'POST', '/dags', { name: 'opera', spec: PLAIN })).to.equal(403)
    expect(await status('editor', 'POST', '/dags', { name: 'fine', spec: `name: open\n${PLAIN}` })).to.equal(403)
    expect(await status('editor', 'POST', '/dags', { name: 'fine', spec: `tags: [Secret]\n${PLAIN}` })).to.equal(403)
    expect(await status('editor', 'POST', '/dag-runs', { name: 'pay', spec: PLAIN })).to.equal(403)
    expect(await status('editor', 'POST', '/dags', { name: 'fine', spec: PLAIN })).to.equal(201)
    expect(await status('editor', 'POST', '/dags/fine/rename', { newFileName: 'opera' })).to.equal(403)
    expect(await status('editor', 'POST', '/dags/fine/rename', { newFileName: 'finer' })).to.equal(200)
    rmSync(fileOf('finer'))
    expect(readFileSync(fileOf('etl'), 'utf8')).to.equal(before)
  })

  it('no run takes a name that its starter may not run', async () => {
    for (const way of ['start', 'enqueue'])
      for (const [dagName, wanted] of Object.entries({ pay: 403, open: 403, another: 200 }))
        expect(await status('editor', 'POST', `/dags/etl/${way}`, { dagName, dryRun: true }), dagName).to.equal(wanted)
    expect(await status('editor', 'POST', '/dag-runs/etl/etl-run/reschedule', { dagName: 'open' })).to.equal(403)
    expect(await status('editor', 'POST', '/dag-runs/etl/etl-run/reschedule', { dagName: 'another' })).to.equal(200)
  })

  it('the actions of version 1 take what the same operations take', async () => {
    const act = (caller: string, name: string, body: object) => status(caller, 'POST', `/api/v1/dags/${name}`, body)
    expect(await act('viewer', 'open', { action: 'start' })).to.equal(403)
    expect(await act('runner', 'open', { action: 'start' })).to.equal(200)
    expect(await act('runner', 'open', { action: 'save', value: PLAIN })).to.equal(403)
    expect(await act('runner', 'pay', { action: 'start' })).to.equal(404)
    expect(await act('editor', 'etl', { action: 'save', value: `tags: [secret]\n${PLAIN}` })).to.equal(403)
    expect(await act('editor', 'etl', { action: 'rename', value: 'opera' })).to.equal(403)
    expect(await status('editor', 'POST', '/api/v1/dags', { action: 'new', value: 'opera' })).to.equal(403)
    expect(await status('viewer', 'GET', '/api/v1/dags/open')).to.equal(200)
    expect(await status('etl', 'GET', '/api/v1/dags/open')).to.equal(404)
    expect(await status('runner', 'DELETE', '/api/v1/dags/open')).to.equal(403)
  })

  it('validate reads files only for who may edit something', async () => {
    const spec = 'params: {schema: /etc/hostname, values: {A: 1}}\nsteps: [echo hi]\n'
    const errors = async (caller: string) =>
      JSON.stringify((await api.call('POST', '/dags/validate', as(caller, { body: { spec, name: 'x' } }))).json.errors)
    expect(await errors('runner')).to.equal(await errors('nobody'))
    expect(await errors('runner')).to.not.equal(await errors('etl'))
  })
})
