/** The id of a request: which ones are kept, and where they go. Decision D1412. */
import { expect } from 'chai'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

const MADE = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/

describe('API › request ids', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  const logged: unknown[] = []
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine, { log: (message, _cause, fields) => logged.push([message, fields]) })
  })
  after(() => api?.close())
  const idFor = async (id?: string, path = '/health') =>
    (await api.call('GET', path, id === undefined ? {} : { headers: { 'X-Request-Id': id } })).headers['x-request-id']

  it('a harmless one is kept, in every answer, a refusal included', async () => {
    for (const id of ['a', '7f0c', '0199-ab_c.d:e+f=g@h', 'x'.repeat(128)]) expect(await idFor(id)).to.equal(id)
    expect(await idFor('abc', '/dags/nobody')).to.equal('abc')
    expect(await idFor('abc', '/nowhere')).to.equal('abc')
  })

  it('without one, or instead of one that could be mistaken for something else, one is made', async () => {
    const odd = ['', ' ', 'a b', '"', '-a', '<b>', 'a,b', 'a;b', 'a/b', '%0a', 'é', 'x'.repeat(129)]
    const made = await Promise.all([undefined, ...odd].map((id) => idFor(id)))
    for (const id of made) expect(id).to.match(MADE)
    expect(new Set(made).size).to.equal(made.length)
  })

  it('what a request asks the engine for has its id', async () => {
    await api.call('POST', '/dags/hello/start', { headers: { 'X-Request-Id': 'start-1' } })
    await api.call('POST', '/dags/hello/enqueue', { headers: { 'X-Request-Id': 'queue-1' } })
    expect(engine.requestIds).to.deep.equal(['start-1', 'queue-1'])
  })

  it('a failure is logged with it, and with the run that the path names', async () => {
    engine.failure = new Error('a defect')
    const headers = { 'X-Request-Id': 'bad-1' }
    await api.call('GET', '/dag-runs/hello/r-1/log', { headers, unchecked: true })
    delete engine.failure
    expect(logged).to.deep.equal([
      ['GET /api/v2/dag-runs/hello/r-1/log failed', { requestId: 'bad-1', name: 'hello', dagRunId: 'r-1' }]
    ])
  })
})
