/** The acceptance checklist of the API: definitions, and the port of the server. Source: api-semantics 14; the numbers are its items'. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { statusAndCode } from '../../api/client.ts'
import { liveApi } from '../../support/api/live-api.ts'
import { PROGRAM } from '../../support/cli/program.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('API acceptance › a folder of definitions', () => {
  const api = liveApi()

  it('1. GET /dags on an empty directory', async () => {
    expect((await api.call('GET', '/dags')).text).to.equal(
      '{"dags":[],"errors":[],"pagination":{"totalRecords":0,"currentPage":1,"totalPages":1,"nextPage":null,"prevPage":null}}'
    )
  })

  it('2. 3 DAGs, perPage 2: page 1 next 2 prev null; page 2 next null prev 1; page 9 empty, currentPage 9, next null, prev 2', async () => {
    for (const name of ['one', 'two', 'three']) api.write(name, 'steps: [echo hi]')
    const pages = await Promise.all([1, 2, 9].map((page) => api.call('GET', `/dags?perPage=2&page=${page}`)))
    const all = { totalRecords: 3, totalPages: 2 }
    expect(pages.map(({ json }) => [json.dags.length, json.pagination])).to.deep.equal([
      [2, { ...all, currentPage: 1, nextPage: 2, prevPage: null }],
      [1, { ...all, currentPage: 2, nextPage: null, prevPage: 1 }],
      [0, { ...all, currentPage: 9, nextPage: null, prevPage: 2 }]
    ])
    expect(pages.map(({ status }) => status)).to.deep.equal([200, 200, 200])
  })

  it('3. perPage=5000 equals perPage=1000; page=abc is 400 JSON', async () => {
    for (let at = 0; at < 1_000; at++) api.write(`many-${at}`, 'steps: [echo hi]')
    const [most, capped] = await Promise.all(
      ['1000', '5000'].map((perPage) => api.call('GET', `/dags?perPage=${perPage}`))
    )
    expect(capped?.text).to.equal(most?.text)
    expect(capped?.json.dags).to.have.length(1_000)
    expect(capped?.json.pagination).to.include({ totalRecords: 1_003, totalPages: 2, nextPage: 2 })
    const wrong = await api.call('GET', '/dags?page=abc')
    expect([...statusAndCode(wrong), wrong.headers['content-type']]).to.deep.equal([
      400,
      'bad_request',
      'application/json; charset=utf-8'
    ])
  })

  it('6. PUT an invalid spec: 200 with errors, file bytes unchanged; PUT valid: {"errors":[]}', async () => {
    const path = join(api.engine.config.dagsDir, 'one.yaml')
    const before = readFileSync(path)
    const invalid = await api.call('PUT', '/dags/one/spec', { body: { spec: 'steps: [{name: b, depends: a}]' } })
    expect(invalid.status).to.equal(200)
    expect(invalid.json.errors).to.have.length(2)
    expect(invalid.json.errors.join()).to.contain('step b depends on non-existent step a (line 1, column')
    expect(readFileSync(path).equals(before)).to.equal(true)
    const spec = '# kept\nsteps:\n  - echo "ü"\n'
    expect((await api.call('PUT', '/dags/one/spec', { body: { spec } })).text).to.equal('{"errors":[]}')
    expect(readFileSync(path, 'utf8')).to.equal(spec)
  })
})

describe('API acceptance › definitions and runs', () => {
  const api = liveApi()

  it('5. POST /dags with 41 characters, a space, or an empty name: 400; twice the same: 409; bad spec: 400 and no file', async () => {
    const before = api.digest()
    for (const name of ['x'.repeat(41), 'a b', ''])
      expect(statusAndCode(await api.call('POST', '/dags', { body: { name } })), name).to.deep.equal([
        400,
        'bad_request'
      ])
    const bad = await api.call('POST', '/dags', { body: { name: 'bad', spec: 'steps: [{name: b, depends: a}]' } })
    expect(statusAndCode(bad)).to.deep.equal([400, 'bad_request'])
    expect(bad.json.details.errors).to.have.length(2)
    expect(api.digest()).to.deep.equal(before)
    expect(existsSync(join(api.engine.config.dagsDir, 'bad.yaml'))).to.equal(false)
    const created = await api.call('POST', '/dags', { body: { name: 'x'.repeat(40) } })
    expect([created.status, created.json, created.headers.location]).to.deep.equal([
      201,
      { name: 'x'.repeat(40) },
      `/api/v2/dags/${'x'.repeat(40)}`
    ])
    expect(statusAndCode(await api.call('POST', '/dags', { body: { name: 'x'.repeat(40) } }))).to.deep.equal([
      409,
      'already_exists'
    ])
    await api.ended('x'.repeat(40), await api.started('x'.repeat(40)))
  })

  it('7. GET spec, PUT spec, start (and GET) of a missing definition: 404 each', async () => {
    const before = api.digest()
    const answers = await Promise.all([
      api.call('GET', '/dags/missing/spec'),
      api.call('PUT', '/dags/missing/spec', { body: { spec: 'steps: [echo hi]' } }),
      api.call('POST', '/dags/missing/start', { body: {} }),
      api.call('GET', '/dags/missing')
    ])
    expect(answers.map(statusAndCode)).to.deep.equal(Array(4).fill([404, 'not_found']))
    expect(api.digest()).to.deep.equal(before)
  })
})

describe('API acceptance › the server', () => {
  let child: ChildProcess | undefined
  afterEach(() => child?.kill('SIGKILL'))

  it('31. ENGINE_PORT=1 troupe server --port 2 listens on 2', async () => {
    const [taken, free] = [await freePort(), await freePort()]
    const env = { PATH: process.env.PATH, ENGINE_HOME: temporaryFolder(), ENGINE_PORT: String(taken) }
    child = spawn(process.execPath, [PROGRAM, 'server', '--port', String(free)], { env, stdio: 'ignore' })
    const health = (port: number) => fetch(`http://127.0.0.1:${port}/api/v2/health`).catch(() => undefined)
    const answer = await eventually('the server', () => health(free))
    expect(await answer.json()).to.include({ status: 'healthy' })
    expect(await health(taken)).to.equal(undefined)
  })
})
