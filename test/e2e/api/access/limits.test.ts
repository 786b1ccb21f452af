/** Limits of what is open at the same time, on a real engine: runs and streams. Source: docs/operating/limits.md "Callers". */
import { request } from 'node:http'
import { expect } from 'chai'
import { liveApi } from '../../../support/api/live-api.ts'
import { eventually } from '../../../support/waiting.ts'

const TOKENS = ['two', 'free'].map((name) => ({ name, value: name, permissions: ['read', 'run', 'write'] }))
/** Runs without a process, until they are stopped. */
const WAITS = 'maxActiveRuns: 1\nsteps: [{name: wait, executor: signal}]\n'

describe('access › limits.callers', () => {
  const api = liveApi({
    settings: { 'auth.tokens': TOKENS, 'limits.callers': { 'token:two': { runs: 2, streams: 1 } } }
  })
  const as = (token: string, body?: object) => ({
    headers: { Authorization: `Bearer ${token}` },
    ...(body ? { body } : {})
  })
  const start = (token: string, dagRunId: string, way = 'start') =>
    api.call('POST', `/dags/waits/${way}`, as(token, { dagRunId }))
  before(() => api.write('waits', WAITS))

  it('runs that one has started, running or queued, are counted; an end makes place, and others are not touched', async () => {
    expect((await start('free', 'f1')).status).to.equal(200)
    expect((await start('two', 't1', 'enqueue')).status).to.equal(200)
    expect((await start('two', 't2', 'enqueue')).status).to.equal(200)
    const refused = await start('two', 't3', 'enqueue')
    expect([refused.status, refused.headers['retry-after'], refused.json]).to.deep.equal([
      429,
      '5',
      {
        code: 'service_unavailable',
        message:
          '2 runs that you have started wait or run, and limits.callers allows you 2: ask again when one has ended',
        details: { limit: 'runs', allowed: 2 }
      }
    ])
    expect((await start('free', 'f2', 'enqueue')).status).to.equal(200)
    expect((await api.call('POST', '/dag-runs/waits/t1/dequeue', as('two'))).status).to.equal(200)
    await eventually('a place', async () => ((await start('two', 't4', 'enqueue')).status === 200 ? true : undefined))
    expect((await start('two', 't5', 'enqueue')).status).to.equal(429)
  })

  it('requests that come together do not get past it', async () => {
    for (const id of ['t2', 't4']) await api.call('POST', `/dag-runs/waits/${id}/dequeue`, as('two'))
    await eventually('two places', async () =>
      (await start('two', 't6', 'enqueue')).status === 200 ? true : undefined
    )
    await eventually('none is expected', async () =>
      (await api.call('POST', '/dag-runs/waits/t6/dequeue', as('two'))).status === 404 ? true : undefined
    )
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => start('two', `r${n}`, 'enqueue')))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(2)
    expect(answers.filter(({ status }) => status === 429)).to.have.length(10)
  })

  it('one stream may be open; when it ends, another may', async () => {
    const open = () =>
      new Promise<{ status: number; end(): void }>((resolve, reject) => {
        const sent = request(
          { host: '127.0.0.1', port: api.port, path: '/api/v2/events', headers: as('two').headers },
          (response) => {
            response.resume().on('error', () => {})
            resolve({ status: response.statusCode ?? 0, end: () => sent.destroy() })
          }
        )
        sent.on('error', reject).end()
      })
    const first = await open()
    expect(first.status).to.equal(200)
    expect((await open()).status).to.equal(429)
    first.end()
    const next = await eventually('a place', async () => {
      const again = await open()
      return again.status === 200 ? again : undefined
    })
    next.end()
  })
})
