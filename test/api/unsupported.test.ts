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

  const rows = [
    ['GET', '/metrics', '/metrics'],
    ['GET', '/services/resources/history', '/services/resources/history'],
    ['GET', '/queues', '/queues'],
    ['GET', '/workers', '/workers'],
    ['GET', '/dags/search', '/dags/search'],
    ['GET', '/dags/tags', '/dags/tags'],
    ['DELETE', '/dags/hello', '/dags/{fileName}'],
    ['POST', '/dags/hello/rename', '/dags/{fileName}/rename'],
    ['POST', '/dags/hello/suspend', '/dags/{fileName}/suspend'],
    ['POST', '/dags/hello/enqueue', '/dags/{fileName}/enqueue'],
    ['POST', '/dags/hello/stop-all', '/dags/{fileName}/stop-all'],
    ['GET', '/dags/hello/dag-runs', '/dags/{fileName}/dag-runs'],
    ['POST', '/dag-runs/enqueue', '/dag-runs/enqueue'],
    ['POST', '/dag-runs/n/r/retry', '/dag-runs/{name}/{dagRunId}/retry'],
    ['POST', '/dag-runs/n/r/reschedule', '/dag-runs/{name}/{dagRunId}/reschedule'],
    ['GET', '/dag-runs/n/r/dequeue', '/dag-runs/{name}/{dagRunId}/dequeue'],
    ['PATCH', '/dag-runs/n/r/steps/s/status', '/dag-runs/{name}/{dagRunId}/steps/{stepName}/status'],
    ['GET', '/dag-runs/n/r/sub-dag-runs', '/dag-runs/{name}/{dagRunId}/sub-dag-runs'],
    ['GET', '/dag-runs/n/r/sub-dag-runs/s/log', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/log'],
    ['GET', '/dag-runs/n/r/children/s', '/dag-runs/{name}/{dagRunId}/children/{subDAGRunId}']
  ] as const
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
    expect((await api.call('PUT', '/queues')).status).to.equal(405)
  })
})
