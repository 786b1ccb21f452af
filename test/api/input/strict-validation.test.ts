/** `strictValidation`: unknown body fields and query values out of range are refused. Source: api-semantics 10.2, T4, A1. */
import { expect } from 'chai'
import { operationList } from '../../../src/api/contract/operations.ts'
import type { Schema } from '../../../src/schema/schema.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

const engineWith = (strictValidation: boolean) => {
  const engine = fakeEngine({ strictValidation }, { hello: planOf('hello') })
  engine.addRun({ name: 'hello', dagRunId: 'r-1', status: 'failed', startedAt: 1, finishedAt: 2 })
  return engine
}

describe('API › strictValidation', () => {
  const engine = engineWith(true)
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())
  /** The sentences of a refusal. */
  const problems = async (method: string, path: string, body?: unknown): Promise<string[]> => {
    const { status, json } = await api.call(method, path, { body })
    expect([status, json.code], `${method} ${path}`).to.deep.equal([400, 'bad_request'])
    expect(json.message).to.equal(json.details.errors.join('; '))
    return json.details.errors
  }

  it('unknown body fields are 400, all of them named with the nearest known one, beside what else is wrong', async () => {
    expect(await problems('POST', '/dags/hello/start', { parms: 'a', singleton: 5, zebra: 1 })).to.deep.equal([
      "field 'singleton': wanted a boolean, found a number",
      "field 'parms': unknown; did you mean 'params'?",
      "field 'zebra': unknown"
    ])
    const unknown = ["field 'x': unknown"]
    for (const [method, path, body] of [
      ['POST', '/dags', { name: 'new' }],
      ['POST', '/dags/validate', { spec: 'steps: []' }],
      ['PUT', '/dags/hello/spec', { spec: 'steps: []' }],
      ['POST', '/dags/hello/rename', { newFileName: 'other' }],
      ['POST', '/dags/hello/suspend', { suspend: true }],
      ['POST', '/dags/hello/enqueue', {}],
      ['POST', '/dag-runs', { spec: 'name: a\nsteps: []' }],
      ['POST', '/dag-runs/enqueue', { spec: 'name: a\nsteps: []' }],
      ['POST', '/dag-runs/hello/r-1/retry', {}],
      ['POST', '/dag-runs/hello/r-1/reschedule', {}],
      ['PATCH', '/dag-runs/hello/r-1/steps/s/status', { status: 4 }]
    ] as const)
      expect(await problems(method, path, { ...body, x: 1 }), path).to.deep.equal(unknown)
    expect(await problems('POST', '/dags/hello/start', { valueOf: 1, toString: 2 })).to.have.length(2)
    expect(engine.started).to.deep.equal([])
    expect([...engine.texts.keys()]).to.deep.equal(['hello'])
  })

  it('query values out of range are 400, all of them named', async () => {
    expect(await problems('GET', '/dags?page=0&perPage=1001&sort=age&order=up&name=x')).to.deep.equal([
      "query parameter 'page': wanted an integer of at least 1, found 0",
      "query parameter 'perPage': wanted an integer from 1 to 1000, found 1001",
      'query parameter \'sort\': wanted name or nextRun or latestRun or status or trend, found "age"',
      'query parameter \'order\': wanted asc or desc, found "up"'
    ])
    expect(await problems('GET', '/dag-runs/hello/r-1/log?tail=0&head=10001&offset=-1&limit=10001')).to.have.length(4)
    for (const [path, least, most] of [
      ['/dag-runs?limit=', 1, 1_000],
      ['/dag-runs/hello?limit=', 1, 1_000],
      ['/dags/hello/dag-runs?limit=', 1, 200]
    ] as const) {
      for (const number of [least - 1, most + 1, -5]) expect(await problems('GET', path + number)).to.have.length(1)
      for (const number of [least, most]) expect((await api.call('GET', path + number)).status).to.equal(200)
    }
    for (const duration of ['0s', 'soon', '5'])
      expect(await problems('GET', `/services/resources/history?duration=${duration}`)).to.have.length(1)
    expect((await api.call('GET', '/services/resources/history?duration=1h30m')).status).to.equal(200)
  })

  it('every number in a query has its range, but for dates and places', () => {
    const places = new Set(['fromDate', 'toDate', 'since', 'at', 'before', 'after', 'from', 'to'])
    const queries: [string, Schema][] = operationList.flatMap(([id, { query = {} }]) =>
      Object.entries(query).flatMap(([name, schema]): [string, Schema][] =>
        schema.type === 'integer' && !places.has(name) ? [[`${id} ${name}`, schema]] : []
      )
    )
    expect(queries.filter(([, schema]) => !schema['x-strict']).map(([name]) => name)).to.deep.equal([])
    expect(queries).not.to.be.empty
  })

  it('what is right, and query parameters that nobody knows, are let through', async () => {
    expect((await api.call('GET', '/dags?page=1&perPage=1000&sort=nextRun&order=desc&colour=red')).status).to.equal(200)
    expect((await api.call('POST', '/dags/hello/start', { body: { params: 'A=1', dryRun: true } })).status).to.equal(
      200
    )
    expect((await api.call('POST', '/dags/hello/start')).status).to.equal(200)
  })

  it('T4 without it they are ignored, and brought into range', async () => {
    const lenient = await served(engineWith(false))
    expect((await lenient.call('POST', '/dags/hello/start', { body: { zebra: 1 } })).status).to.equal(200)
    expect((await lenient.call('GET', '/dags?page=0&perPage=5000&sort=age')).status).to.equal(200)
    await lenient.close()
  })
})
