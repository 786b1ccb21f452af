/** Documented paths of later releases are refused by name. Source: http-api "Endpoints". */
import { expect } from 'chai'
import { fakeEngine, planOf } from '../support/fake-engine.ts'
import { served } from './client.ts'

describe('API › paths that are not supported yet', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())

  const rows = [['GET', '/dag-runs/n/r/statechart', '/dag-runs/{name}/{dagRunId}/statechart']] as const
  for (const [method, path, template] of rows) {
    it(`${method} ${template} -> 404 not_found`, async () => {
      const { status, json } = await api.call(method, path)
      expect([status, json]).to.deep.equal([
        404,
        { code: 'not_found', message: `not supported yet: ${method} ${template}` }
      ])
    })
  }

  it('the v1 API -> 404 not_found', async () => {
    const { status, json } = await api.callAt('POST', '/api/v1/dags/hello')
    expect([status, json.message]).to.deep.equal([404, 'not supported yet: POST /api/v1/dags/{name}'])
  })

  it('another method on such a path -> 405', async () => {
    expect((await api.call('PUT', '/dag-runs/n/r/statechart')).status).to.equal(405)
  })
})
