/** The rows about definitions: what they are, what is started from them, the runs of one. Source: http-api "Endpoints". */
import { expect } from 'chai'
import { lacks, type Members } from '../../../support/api/json-shape.ts'
import type { Json } from '../../../support/api/live-api.ts'
import { type LiveRows, SPEC } from '../../../support/api/live-rows.ts'
import { DAG_DETAILS, DETAILS, SUMMARY, SUMMARY_DAG, text } from '../../../support/api/row-shapes.ts'

export function definitionRows({ api, row, promises, empty, refuses, fresh, created }: LiveRows): void {
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
      expect((await api.call('GET', `/dags/${name}/spec`)).json.spec).to.equal('steps: [echo other]')
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
      const name = await created('params: X=0\nsteps: [sleep 30]')
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
}
