/** The endpoint tables, row by row: what a row promises, and every error that it names. Source: http-api "Endpoints". */
import { expect } from 'chai'
import type { Answer, Sent } from '../api/client.ts'
import { DOCUMENTED } from '../support/endpoint-rows.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type JsonShape, lacks, type Members } from '../support/json-shape.ts'
import { type Json, liveApi } from '../support/live-api.ts'

const text = 'string'
/** Members of one type each. */
const all = (type: JsonShape, words: string): Members =>
  Object.fromEntries(words.split(' ').map((word) => [word, type]))
const STATUS: Members = { status: 'integer', statusLabel: text }
const SUMMARY_DAG: Members = {
  ...{ ...all(text, 'name group description defaultParams'), ...all([text], 'params tags') },
  schedule: [{ expression: text }]
}
const SUMMARY: Members = {
  ...all(text, 'rootDAGRunName rootDAGRunId parentDAGRunName parentDAGRunId dagRunId name'),
  ...{ ...STATUS, ...all(text, 'queuedAt startedAt finishedAt log params') }
}
const NODE: Members = {
  ...{ step: { name: text }, ...STATUS, ...all(text, 'stdout stderr startedAt finishedAt error') },
  ...{ ...all('integer', 'retryCount doneCount'), subRunsRepeated: ['object'] },
  subRuns: [{ ...STATUS, ...all(text, 'dagRunId params name') }]
}
const DETAILS: Members = { ...SUMMARY, nodes: [NODE] }
const CONDITION: Members = all(text, 'condition expected error')
const SUB_DETAILS: Members = {
  ...{ ...DETAILS, ...all('object?', 'onExit onSuccess onFailure onCancel'), preconditions: [CONDITION] }
}
const DAG_DETAILS: Members = {
  ...{
    ...SUMMARY_DAG,
    env: [text],
    logDir: text,
    handlerOn: 'object',
    steps: [{ name: text }],
    preconditions: [CONDITION]
  },
  ...all('integer', 'delay histRetentionDays maxActiveRuns maxActiveSteps')
}
const LOG: Members = {
  content: text,
  ...all('integer', 'lineCount totalLines'),
  ...all('boolean', 'hasMore isEstimate')
}
const POINT: Members = { timestamp: 'integer', value: 'number' }

const SPEC =
  'tags: [etl]\nschedule: "0 3 * * *"\nparams: DAY=today\nhandlerOn: {exit: echo bye}\nsteps: [{name: load, command: echo $DAY, output: OUT}, {name: kid, call: kid}]\n---\nname: kid\nsteps: [{name: k1, command: "echo hi"}]\n'

describe('API › the endpoint tables, row by row', () => {
  const api = liveApi({
    settings: { 'queues.config': [{ name: 'batch', maxConcurrency: 1 }] },
    monitoring: { intervalMs: 1_000, retentionMs: 3_600_000 }
  })
  const covered = new Set<string>()
  let sub = ''
  let count = 0

  before(async () => {
    const gate = temporaryFolder()
    api.write('etl', SPEC)
    api.write('held', `maxActiveRuns: 1\nsteps: ['while [ ! -e ${gate}/go ]; do sleep 0.05; done']\n`)
    api.write('broken', '[')
    await api.started('etl', { dagRunId: 'e1' })
    await api.ended('etl', 'e1')
    sub = (await api.call('GET', '/dag-runs/etl/e1/sub-dag-runs')).json.subRuns[0].dagRunId
    await api.startedInline({ spec: 'name: bad\nsteps: [{name: s, command: exit 1}]', dagRunId: 'b1' })
    await api.ended('bad', 'b1')
    await api.started('held', { dagRunId: 'h1' })
  })

  type Call = (path: string, sent?: Sent) => Promise<Answer>
  /** A test of a row: titled with its words, and given what calls its method. */
  function row(method: string, path: string, prove: (call: Call) => Promise<void>): void {
    const found = DOCUMENTED.find((one) => one.method === method && one.path === path)
    covered.add(`${method} ${path}`)
    it(`${method} ${path}: ${found?.words ?? 'no row of the document'}`, () =>
      prove((path, sent) => api.call(method, path, sent)))
  }
  async function promises(answer: Promise<Answer>, shape: JsonShape, status = 200): Promise<Json> {
    const { status: found, json, text } = await answer
    expect([found, ...lacks(json, shape)], text).to.deep.equal([status])
    return json
  }
  async function empty(answer: Promise<Answer>, status = 200): Promise<void> {
    const { status: found, bytes, headers } = await answer
    expect([found, bytes.length, headers['content-type']]).to.deep.equal([status, 0, undefined])
  }
  async function refuses(answer: Promise<Answer>, status: number, code: string): Promise<Json> {
    const { status: found, json, text } = await answer
    expect([found, json?.code], text).to.deep.equal([status, code])
    expect(json.message).to.be.a('string').that.is.not.equal('')
    return json
  }
  const fresh = (word = 'new') => `${word}-${++count}`
  const created = async (spec = 'steps: [echo hi]') => {
    const name = fresh()
    expect((await api.call('POST', '/dags', { body: { name, spec } })).status).to.equal(201)
    return name
  }

  describe('System', () => {
    row('GET', '/health', async (call) => {
      const { status } = await promises(call('/health'), {
        status: text,
        version: text,
        uptime: 'integer',
        timestamp: text
      })
      expect(status).to.equal('healthy')
    })
    row('GET', '/metrics', async (call) => {
      const { status, text, headers } = await call('/metrics')
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8'])
      for (const [name, type] of [
        ...['info', 'uptime_seconds', 'scheduler_running', 'dags_total'].map((name) => [name, 'gauge']),
        ...['dag_runs_currently_running', 'dag_runs_queued_total'].map((name) => [name, 'gauge']),
        ['dag_runs_total', 'counter']
      ])
        expect(text).to.contain(`# TYPE engine_${name} ${type}\n`)
      for (const status of ['succeeded', 'failed', 'aborted'])
        expect(text).to.contain(`engine_dag_runs_total{status="${status}"}`)
      expect(text)
        .to.match(/engine_info\{version="[^"]+",build_date="[^"]+",go_version="[^"]+"\} 1\n/)
        .and.contain('process_cpu')
    })
    row('GET', '/services/resources/history', async (call) => {
      const shape: Members = { cpu: [POINT], memory: [POINT], disk: [POINT], load: [POINT] }
      for (const query of ['', '?duration=10s', '?duration=nonsense'])
        await promises(call(`/services/resources/history${query}`), shape)
    })
  })

  describe('Definitions', () => {
    const PAGE = {
      totalRecords: 'integer',
      currentPage: 'integer',
      totalPages: 'integer',
      nextPage: 'integer?',
      prevPage: 'integer?'
    }
    row('GET', '/dags', async (call) => {
      const item: Members = {
        fileName: text,
        dag: { name: text },
        latestDAGRun: SUMMARY,
        suspended: 'boolean',
        errors: [text]
      }
      const { errors } = await promises(call('/dags'), { dags: [item], errors: [text], pagination: PAGE })
      expect(errors[0]).to.match(/^broken: /)
      const one = await promises(call('/dags?page=1&perPage=1&name=ET&tag=ETL&remoteNode=local'), {
        dags: [{ ...item, dag: SUMMARY_DAG }]
      })
      expect([one.dags.length, one.dags[0].fileName, one.pagination.totalRecords]).to.deep.equal([1, 'etl', 1])
      for (const query of ['page=x', 'perPage=1.5', 'remoteNode=nowhere'])
        await refuses(call(`/dags?${query}`), 400, 'bad_request')
    })
    row('POST', '/dags', async (call) => {
      const name = fresh()
      expect(await promises(call('/dags', { body: { name } }), { name: text }, 201)).to.deep.equal({ name })
      expect((await api.call('GET', `/dags/${name}`)).json.dag.steps[0].command, 'a single echo step').to.equal('echo')
      await refuses(call('/dags', { body: { name } }), 409, 'already_exists')
      for (const body of [{ name: 'a b' }, { name: 'x'.repeat(41) }, {}])
        await refuses(call('/dags', { body }), 400, 'bad_request')
      const { details } = await refuses(
        call('/dags', { body: { name: fresh(), spec: 'steps: [{name: a}]' } }),
        400,
        'bad_request'
      )
      expect(lacks(details, { errors: [text] })).to.deep.equal([])
    })
    row('GET', '/dags/{fileName}', async (call) => {
      const local: Members = { name: text, dag: DAG_DETAILS, errors: [text] }
      const shape: Members = {
        dag: DAG_DETAILS,
        localDags: [local],
        latestDAGRun: DETAILS,
        suspended: 'boolean',
        errors: [text]
      }
      const { localDags } = await promises(call('/dags/etl'), shape)
      expect(localDags.map(({ name }: Json) => name)).to.deep.equal(['kid'])
      await refuses(call('/dags/missing'), 404, 'not_found')
    })
    row('DELETE', '/dags/{fileName}', async (call) => {
      const name = await created()
      await empty(call(`/dags/${name}`), 204)
      await refuses(call(`/dags/${name}`), 404, 'not_found')
    })
    row('GET', '/dags/{fileName}/spec', async (call) => {
      const { spec } = await promises(call('/dags/etl/spec'), { dag: SUMMARY_DAG, spec: text, errors: [text] })
      expect(spec).to.equal(SPEC)
      await refuses(call('/dags/missing/spec'), 404, 'not_found')
    })
    row('PUT', '/dags/{fileName}/spec', async (call) => {
      const name = await created()
      const put = (spec: string) => promises(call(`/dags/${name}/spec`, { body: { spec } }), { errors: [text] })
      expect(await put('steps: [echo other]')).to.deep.equal({ errors: [] })
      expect((await put('steps: [{name: a}]')).errors).to.have.length(1)
      await refuses(call('/dags/missing/spec', { body: { spec: 'steps: []' } }), 404, 'not_found')
      await refuses(call(`/dags/${name}/spec`, { body: {} }), 400, 'bad_request')
    })
    row('POST', '/dags/validate', async (call) => {
      const validate = (body: object) =>
        promises(call('/dags/validate', { body }), { valid: 'boolean', errors: [text] })
      const { valid, dag } = await validate({ spec: 'steps: [echo hi]', name: 'given' })
      expect([valid, dag.name, lacks(dag, SUMMARY_DAG)]).to.deep.equal([true, 'given', []])
      expect(
        (await validate({ spec: 'name: own\nsteps: []', name: 'given' })).dag.name,
        'only when the spec has none'
      ).to.equal('own')
      expect((await validate({ spec: '[' })).valid).to.equal(false)
    })
    row('POST', '/dags/{fileName}/rename', async (call) => {
      const [name, other, next] = [await created(), await created(), fresh()]
      await refuses(call(`/dags/${name}/rename`, { body: { newFileName: 'no way' } }), 400, 'bad_request')
      await refuses(call(`/dags/${name}/rename`, { body: { newFileName: other } }), 409, 'already_exists')
      await empty(call(`/dags/${name}/rename`, { body: { newFileName: next } }))
      await refuses(call(`/dags/${name}/rename`, { body: { newFileName: fresh() } }), 404, 'not_found')
    })
    row('POST', '/dags/{fileName}/suspend', async (call) => {
      const name = await created()
      for (const suspend of [true, false]) {
        await empty(call(`/dags/${name}/suspend`, { body: { suspend } }))
        expect((await api.call('GET', `/dags/${name}`)).json.suspended).to.equal(suspend)
      }
      await refuses(call('/dags/missing/suspend', { body: { suspend: true } }), 404, 'not_found')
    })
    row('GET', '/dags/search', async (call) => {
      const match: Members = { line: text, lineNumber: 'integer', startLine: 'integer' }
      const shape: Members = { results: [{ name: text, dag: SUMMARY_DAG, matches: [match] }], errors: [text] }
      const { results } = await promises(call('/dags/search?q=SCHEDULE'), shape)
      expect(results.map(({ name }: Json) => name)).to.deep.equal(['etl'])
      await refuses(call('/dags/search'), 400, 'bad_request')
    })
    row('GET', '/dags/tags', async (call) => {
      await created('tags: [ETL, Once]\nsteps: []')
      const { tags, errors } = await promises(call('/dags/tags'), { tags: [text], errors: [text] })
      expect(tags).to.deep.equal(['etl', 'once'])
      expect(errors[0]).to.match(/^broken: /)
    })
  })

  describe('Starting and queueing from a definition', () => {
    const ID = { dagRunId: text }
    row('POST', '/dags/{fileName}/start', async (call) => {
      const name = await created('params: A=1\nsteps: [sleep 30]')
      const body = { params: 'A=2', dagRunId: fresh('id'), dagName: fresh('named'), singleton: true }
      expect(await promises(call(`/dags/${name}/start`, { body }), ID)).to.deep.equal({ dagRunId: body.dagRunId })
      expect((await api.call('GET', `/dag-runs/${body.dagName}/${body.dagRunId}`)).json.dagRun).to.include({
        status: 1,
        params: 'A=2'
      })
      await refuses(
        call(`/dags/${name}/start`, { body: { dagName: body.dagName, singleton: true } }),
        409,
        'already_running'
      )
      await refuses(call(`/dags/${name}/start`, { body: { dagName: 'no way' } }), 400, 'bad_request')
      await refuses(call('/dags/missing/start'), 404, 'not_found')
      const { dagRunId } = await promises(call(`/dags/${name}/start`), ID)
      await api.call('POST', `/dag-runs/${name}/${dagRunId}/stop`)
      await api.call('POST', `/dag-runs/${body.dagName}/${body.dagRunId}/stop`)
    })
    row('POST', '/dags/{fileName}/enqueue', async (call) => {
      await promises(call('/dags/held/enqueue'), ID)
      const body = { params: 'X=1', dagRunId: fresh('id'), dagName: fresh('named'), queue: 'batch' }
      const name = await created('steps: [sleep 30]')
      expect(await promises(call(`/dags/${name}/enqueue`, { body }), ID)).to.deep.equal({ dagRunId: body.dagRunId })
      const { queues } = (await api.call('GET', '/queues')).json
      const { running, queued } = queues.find((queue: Json) => queue.name === 'batch')
      expect([...running, ...queued].map(({ dagRunId }: Json) => dagRunId)).to.include(body.dagRunId)
      await refuses(call('/dags/missing/enqueue'), 404, 'not_found')
    })
    row('POST', '/dags/{fileName}/stop-all', async (call) => {
      const name = await created('steps: [sleep 30]')
      const id = await api.started(name)
      expect(await promises(call(`/dags/${name}/stop-all`), { errors: [text] })).to.deep.equal({ errors: [] })
      expect((await api.ended(name, id)).statusLabel).to.equal('canceled')
      await refuses(call('/dags/missing/stop-all'), 404, 'not_found')
    })
  })

  describe('Runs of one definition', () => {
    row('GET', '/dags/{fileName}/dag-runs', async (call) => {
      const { dagRuns, gridData } = await promises(call('/dags/etl/dag-runs'), {
        dagRuns: [SUMMARY],
        gridData: [{ name: text, history: ['integer'] }]
      })
      expect(dagRuns.length).to.be.at.least(1)
      expect(gridData.map(({ name }: Json) => name)).to.deep.equal(['kid', 'load', 'onExit'])
      for (const { history } of gridData) expect(history).to.have.length(dagRuns.length)
    })
    row('GET', '/dags/{fileName}/dag-runs/{dagRunId}', async (call) => {
      await promises(call('/dags/etl/dag-runs/e1'), { dagRun: DETAILS })
      await refuses(call('/dags/etl/dag-runs/none'), 404, 'not_found')
    })
  })

  describe('Runs (global)', () => {
    const lists = async (call: Call, path: string) => {
      await promises(call(path), { dagRuns: [SUMMARY] })
      const { dagRuns } = await promises(
        call(`${path}?status=4&fromDate=0&toDate=99999999999&dagRunId=e1&remoteNode=local`),
        {}
      )
      expect(dagRuns.map(({ dagRunId }: Json) => dagRunId)).to.deep.equal(['e1'])
      for (const query of ['status=7', 'status=x', 'fromDate=x', 'toDate=x'])
        await refuses(call(`${path}?${query}`), 400, 'bad_request')
    }
    row('GET', '/dag-runs', async (call) => {
      await lists(call, '/dag-runs')
      const { dagRuns } = await promises(call('/dag-runs?name=bad'), {})
      expect(dagRuns.map(({ name }: Json) => name)).to.deep.equal(['bad'])
    })
    row('GET', '/dag-runs/{name}', async (call) => {
      await lists(call, '/dag-runs/etl')
      await refuses(call('/dag-runs/a%20b'), 400, 'bad_request')
    })
    row('POST', '/dag-runs', async (call) => {
      const name = fresh('inline')
      const body = {
        spec: 'params: A=1\nsteps: [sleep 30]',
        name,
        params: 'A=2',
        dagRunId: fresh('id'),
        singleton: true
      }
      expect(await promises(call('/dag-runs', { body }), { dagRunId: text })).to.deep.equal({ dagRunId: body.dagRunId })
      for (const singleton of [true, false])
        await refuses(call('/dag-runs', { body: { ...body, dagRunId: '', singleton } }), 409, 'max_run_reached')
      await refuses(call('/dag-runs', { body: { name } }), 400, 'bad_request')
      await refuses(call('/dag-runs', { body: { name, spec: 'steps: [{name: a}]' } }), 400, 'bad_request')
      await api.call('POST', `/dag-runs/${name}/${body.dagRunId}/stop`)
    })
    row('POST', '/dag-runs/enqueue', async (call) => {
      const body = {
        spec: 'maxActiveRuns: 1\nsteps: [sleep 30]',
        name: fresh('inline'),
        params: 'A=2',
        dagRunId: fresh('id'),
        queue: 'batch'
      }
      expect(await promises(call('/dag-runs/enqueue', { body }), { dagRunId: text })).to.deep.equal({
        dagRunId: body.dagRunId
      })
      await refuses(call('/dag-runs/enqueue', { body: { ...body, dagRunId: '' } }), 409, 'max_run_reached')
      await refuses(call('/dag-runs/enqueue', { body: { name: body.name } }), 400, 'bad_request')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}', async (call) => {
      const { dagRun, dagRunDetails } = await promises(call('/dag-runs/etl/e1'), {
        dagRun: DETAILS,
        dagRunDetails: DETAILS
      })
      expect(dagRun).to.deep.equal(dagRunDetails)
      await promises(call('/dag-runs/etl/latest'), { dagRun: DETAILS })
      for (const path of ['/dag-runs/etl/none', '/dag-runs/none/latest']) await refuses(call(path), 404, 'not_found')
    })
    row('POST', '/dag-runs/{name}/{dagRunId}/stop', async (call) => {
      const name = await created('steps: [sleep 30]')
      const id = await api.started(name)
      await empty(call(`/dag-runs/${name}/${id}/stop`))
      await api.ended(name, id)
      await refuses(call(`/dag-runs/${name}/${id}/stop`), 400, 'not_running')
      await refuses(call(`/dag-runs/${name}/none/stop`), 404, 'not_found')
    })
    row('POST', '/dag-runs/{name}/{dagRunId}/retry', async (call) => {
      const body = { dagRunId: fresh('again') }
      await empty(call('/dag-runs/bad/b1/retry', { body }))
      expect((await api.ended('bad', body.dagRunId)).statusLabel).to.equal('failed')
      await refuses(call('/dag-runs/bad/none/retry'), 404, 'not_found')
      await refuses(call('/dag-runs/held/h1/retry'), 400, 'already_running')
    })
    row('POST', '/dag-runs/{name}/{dagRunId}/reschedule', async (call) => {
      const body = { dagRunId: fresh('re'), dagName: fresh('other') }
      expect(
        await promises(call('/dag-runs/etl/e1/reschedule', { body }), { dagRunId: text, queued: 'boolean' })
      ).to.include({ dagRunId: body.dagRunId })
      await api.ended(body.dagName, body.dagRunId)
      await promises(call('/dag-runs/bad/b1/reschedule'), { dagRunId: text, queued: 'boolean' })
      await refuses(call('/dag-runs/held/h1/reschedule'), 409, 'max_run_reached')
      await refuses(call('/dag-runs/etl/none/reschedule'), 404, 'not_found')
      await refuses(call('/dag-runs/etl/e1/reschedule', { body: { dagName: 'no way' } }), 400, 'bad_request')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/dequeue', async (call) => {
      const dagRunId = fresh('waits')
      await api.call('POST', '/dags/held/enqueue', { body: { dagRunId } })
      await empty(call(`/dag-runs/held/${dagRunId}/dequeue`))
      await refuses(call(`/dag-runs/held/${dagRunId}/dequeue`), 404, 'not_found')
      await refuses(call('/dag-runs/held/h1/dequeue'), 404, 'not_found')
    })
  })

  describe('Logs', () => {
    const reads = async (call: Call, path: string, content?: string) => {
      const all = await promises(call(path), LOG)
      expect(all.content).to.equal(content ?? all.content)
      expect(all.lineCount).to.be.greaterThan(0)
      for (const query of ['tail=1', 'head=1', 'offset=1&limit=1', 'limit=1&remoteNode=local'])
        expect((await promises(call(`${path}?${query}`), LOG)).lineCount, query).to.equal(1)
      await refuses(call(`${path}?limit=x`), 400, 'bad_request')
    }
    const steps = async (call: Call, run: string, step: string, content: string) => {
      await reads(call, `${run}/steps/${step}/log`, content)
      expect((await promises(call(`${run}/steps/${step}/log?stream=stderr`), LOG)).content).to.equal('')
      await refuses(call(`${run}/steps/${step}/log?stream=other`), 400, 'bad_request')
      await refuses(call(`${run}/steps/none/log`), 404, 'not_found')
    }
    row('GET', '/dag-runs/{name}/{dagRunId}/log', async (call) => {
      await reads(call, '/dag-runs/etl/e1/log')
      await refuses(call('/dag-runs/etl/none/log'), 404, 'not_found')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/steps/{stepName}/log', (call) =>
      steps(call, '/dag-runs/etl/e1', 'load', 'today')
    )
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/log', async (call) => {
      await reads(call, `/dag-runs/etl/e1/sub-dag-runs/${sub}/log`)
      await refuses(call('/dag-runs/etl/e1/sub-dag-runs/none/log'), 404, 'not_found')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/log', (call) =>
      steps(call, `/dag-runs/etl/e1/sub-dag-runs/${sub}`, 'k1', 'hi')
    )
  })

  describe('Steps', () => {
    const sets = async (call: Call, run: string, step: string) => {
      const path = `${run}/steps/${step}/status`
      for (const status of [0, 1, 2, 3, 5, 4]) {
        await empty(call(path, { body: { status } }))
        const { nodes } = (await api.call('GET', run)).json.dagRunDetails
        expect(nodes.find((node: Json) => node.step.name === step).status).to.equal(status)
      }
      for (const status of [6, -1, 1.5, '4', null, undefined])
        await refuses(call(path, { body: { status } }), 400, 'bad_request')
      await refuses(call(`${run}/steps/none/status`, { body: { status: 4 } }), 404, 'not_found')
    }
    row('PATCH', '/dag-runs/{name}/{dagRunId}/steps/{stepName}/status', async (call) => {
      await sets(call, '/dag-runs/etl/e1', 'load')
      await refuses(call('/dag-runs/etl/none/steps/load/status', { body: { status: 4 } }), 404, 'not_found')
    })
    row('PATCH', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status', async (call) => {
      await sets(call, `/dag-runs/etl/e1/sub-dag-runs/${sub}`, 'k1')
      await refuses(
        call('/dag-runs/etl/e1/sub-dag-runs/none/steps/k1/status', { body: { status: 4 } }),
        404,
        'not_found'
      )
    })
  })

  describe('Sub DAG runs', () => {
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs', async (call) => {
      const entry: Members = { dagRunId: text, params: text, ...STATUS, startedAt: text, finishedAt: 'string?' }
      const { subRuns } = await promises(call('/dag-runs/etl/e1/sub-dag-runs?remoteNode=local'), { subRuns: [entry] })
      expect(subRuns).to.have.length(1)
      await refuses(call('/dag-runs/etl/none/sub-dag-runs'), 404, 'not_found')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}', async (call) => {
      const { dagRunDetails } = await promises(call(`/dag-runs/etl/e1/sub-dag-runs/${sub}`), {
        dagRunDetails: SUB_DETAILS
      })
      expect(dagRunDetails).to.include({ rootDAGRunId: 'e1', parentDAGRunName: 'etl', name: 'kid' })
      await refuses(call('/dag-runs/etl/e1/sub-dag-runs/none'), 404, 'not_found')
    })
  })

  describe('Queues and workers', () => {
    row('GET', '/queues', async (call) => {
      const run: Members = { dagRunId: text, name: text, ...STATUS, startedAt: text, finishedAt: text, log: text }
      const summary: Members = { running: 'integer', queued: 'integer', total: 'integer' }
      const { queues } = await promises(call('/queues'), {
        queues: [{ name: text, type: text, summary, runningDAGRuns: [run], queuedDAGRuns: [run] }]
      })
      const kinds = Object.fromEntries(
        queues.map(({ name, type, maxConcurrency }: Json) => [name, [type, maxConcurrency]])
      )
      expect(kinds).to.include.keys('batch', 'held')
      expect([kinds.batch, kinds.held]).to.deep.equal([
        ['custom', 1],
        ['dag-based', undefined]
      ])
    })
    row('GET', '/workers', async (call) => {
      await refuses(call('/workers?remoteNode=local'), 503, 'service_unavailable')
    })
  })

  it('every row of the document has a test here', () => {
    expect([...covered].sort()).to.deep.equal(DOCUMENTED.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it('no request was a fault of the server', () => {
    expect(api.faults).to.deep.equal([])
  })
})
