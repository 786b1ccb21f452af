/** Names that a definition and its file may have, and what the list shows of others. Source: api-semantics 1.3, 3.2, 3.3. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { described, namesListed, soon } from '../../../support/api/listed-definitions.ts'
import { liveApi } from '../../../support/api/live-api.ts'

describe('API › writing definitions', () => {
  const api = liveApi()
  const path = (file: string) => join(api.engine.config.dagsDir, file)
  const put = (fileName: string, spec: string) => api.call('PUT', `/dags/${fileName}/spec`, { body: { spec } })

  it('U14 a name with dots: created, read, replaced, started; 400 when there is no such definition', async () => {
    const created = await api.call('POST', '/dags', { body: { name: 'etl.v1.2', spec: described('dots') } })
    expect([created.status, created.json]).to.deep.equal([201, { name: 'etl.v1.2' }])
    expect(existsSync(path('etl.v1.2.yaml'))).to.equal(true)
    expect((await api.call('GET', '/dags/etl.v1.2')).json.dag).to.include({ name: 'etl.v1.2', description: 'dots' })
    expect((await put('etl.v1.2', described('more dots'))).json).to.deep.equal({ errors: [] })
    const id = await api.started('etl.v1.2')
    expect((await api.ended('etl.v1.2', id)).statusLabel).to.equal('succeeded')
    expect((await api.call('GET', '/dags/etl.v1.2/dag-runs/latest')).json.dagRun.dagRunId).to.equal(id)
    expect(await namesListed(api)).to.include('etl.v1.2')
    for (const missing of ['etl.v9', '.etl', 'etl..'])
      expect((await api.call('GET', `/dags/${missing}`)).json.code, missing).to.equal('bad_request')
  })

  it('fileName matches ^[a-zA-Z0-9_-]+$: one with - in front is read, replaced, started, suspended, renamed and removed', async () => {
    api.write('-lead', described('dash'))
    expect(await namesListed(api)).to.include('-lead')
    expect((await api.call('GET', '/dags/-lead')).json.dag).to.include({ name: '-lead', description: 'dash' })
    expect((await put('-lead', described('more'))).json).to.deep.equal({ errors: [] })
    expect((await api.call('GET', '/dags/-lead/spec')).json.spec).to.equal(described('more'))
    const id = await api.started('-lead')
    expect((await api.ended('-lead', id)).statusLabel).to.equal('succeeded')
    expect((await api.call('GET', '/dags/-lead/dag-runs')).json.dagRuns).to.have.length(1)
    expect((await api.call('POST', '/dags/-lead/suspend', { body: { suspend: true } })).status).to.equal(200)
    api.write('-other', described('removed'))
    expect((await api.call('DELETE', '/dags/-other')).status).to.equal(204)
    const renamed = (newFileName: string) => api.call('POST', '/dags/-lead/rename', { body: { newFileName } })
    expect((await renamed('-new')).status, 'a new name has no - in front').to.equal(400)
    expect((await renamed('led')).status).to.equal(200)
    expect((await api.call('GET', '/dags/led')).json).to.include({ suspended: true })
    expect((await api.call('GET', '/dags/led/dag-runs/latest')).json.dagRun.dagRunId).to.equal(id)
  })

  it('a file with a name that a definition cannot have is listed, with the problem in its own errors; by path it is 400', async () => {
    for (const name of ['sp ace', 'ünï', 'a+b']) {
      api.write(name, 'name: fine\nschedule: "* * * * *"\nsteps: ["true"]\n')
      const path = `/dags/${encodeURIComponent(name)}`
      const { dags } = (await api.call('GET', `/dags?name=${encodeURIComponent(name)}`)).json
      expect(dags, name).to.have.length(1)
      expect(dags[0]).to.deep.include({ fileName: name, suspended: false })
      expect(dags[0].dag).to.include({ name, nextRun: '' })
      expect(dags[0].dag.schedule).to.deep.equal([])
      expect(dags[0].errors).to.deep.equal([
        `file name: wanted letters, digits, "_", "-" and ".", found ${JSON.stringify(name)}: rename the file`
      ])
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/spec'],
        ['DELETE', ''],
        ['POST', '/start']
      ] as const) {
        const { status, json } = await api.call(method, path + rest)
        expect([status, json.code], `${method} ${name}${rest}`).to.deep.equal([400, 'bad_request'])
      }
      const { errors } = (await api.call('GET', '/dags/tags')).json
      expect(errors.some((error: string) => error.startsWith(`${name}: `))).to.equal(true)
    }
    const text = (await api.call('GET', '/metrics')).text
    expect(Number(/^engine_dags_total (\d+)$/m.exec(text)?.[1])).to.equal((await namesListed(api)).length)
    for (const name of ['sp ace', 'ünï', 'a+b']) rmSync(path(`${name}.yaml`))
    await soon('they are gone', async () => !(await namesListed(api)).includes('ünï'))
  })

  it('the DAG name is the name of the spec, else of the file; history goes by it', async () => {
    api.write('file-name', 'name: dag-name\nsteps: ["true"]\n')
    const id = await api.started('file-name')
    await api.ended('dag-name', id)
    const listed = (await api.call('GET', '/dags?name=file-name')).json.dags[0]
    expect([listed.fileName, listed.dag.name, listed.latestDAGRun.dagRunId]).to.deep.equal([
      'file-name',
      'dag-name',
      id
    ])
    expect((await api.call('GET', `/dags/file-name/dag-runs/${id}`)).status).to.equal(200)
    expect((await api.call('GET', '/dag-runs/file-name')).json).to.deep.equal({ dagRuns: [] })
  })

  it('only *.yaml and *.yml directly in the folder', async () => {
    mkdirSync(path('deeper'))
    writeFileSync(path('deeper/inner.yaml'), described('inner'))
    for (const file of ['.hidden.yaml', 'notes.txt', 'noext', 'x.yaml.bak', '.yaml'])
      writeFileSync(path(file), described('no'))
    expect((await namesListed(api)).filter((name) => /inner|hidden|notes|noext|bak|^$/.test(name))).to.deep.equal([])
    rmSync(path('deeper'), { recursive: true })
  })
})
