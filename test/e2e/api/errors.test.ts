/** Errors that the engine decides about: their status, their code, and an Error object. Source: api-semantics 1.4. */
import { expect } from 'chai'
import { served } from '../../api/client.ts'
import { type Json, liveApi } from '../../support/api/live-api.ts'

describe('API › 1.4 Error object', () => {
  const api = liveApi()
  before(async () => {
    api.write('plain', 'steps: ["true"]')
    api.write('held', 'steps: [sleep 60]')
    api.write('broken', 'steps: [{name: a, depends: b}]')
    await api.started('plain', { dagRunId: 'p1' })
    await api.ended('plain', 'p1')
    await api.started('held', { dagRunId: 'h1' })
    await api.call('POST', '/dags/held/enqueue', { body: { dagRunId: 'q1' } })
  })
  /** Sends requests that all get this status and code. */
  async function each(
    status: number,
    code: string,
    requests: readonly (readonly [method: string, path: string, body?: unknown])[],
    send = api.call
  ): Promise<Json[]> {
    const answers: Json[] = []
    for (const [method, path, body] of requests) {
      const { status: found, json, headers } = await send(method, path, body === undefined ? {} : { body })
      const what = `${method} ${path} ${JSON.stringify(body)}`
      expect([found, json?.code], what).to.deep.equal([status, code])
      expect(json.message, what).to.be.a('string').that.is.not.equal('')
      expect(Object.keys(json).filter((key) => !['code', 'message', 'details'].includes(key))).to.deep.equal([])
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
      answers.push(json)
    }
    return answers
  }

  it('validation of name, id, body, query -> 400 bad_request', async () => {
    await each(400, 'bad_request', [
      ['POST', '/dags', { name: 'bad name!' }],
      ['POST', '/dags', { name: '' }],
      ['GET', '/dag-runs/bad%20name'],
      ['GET', '/dags/bad%2Fname'],
      ['POST', '/dags/plain/start', { dagRunId: 'a b' }],
      ['POST', '/dags/plain/start', { dagName: 'x'.repeat(41) }],
      ['POST', '/dags/plain/start', { params: 7 }],
      ['POST', '/dag-runs', { spec: 'steps: []' }],
      ['POST', '/dags/plain/start', '{'],
      ['POST', '/dags/plain/start', '[]'],
      ['GET', '/dags?page=x'],
      ['GET', '/dag-runs?status=7']
    ])
  })

  it('13.3.4 run or step missing -> 404 not_found, on every path below a run', async () => {
    const paths = [
      '',
      '/log',
      '/steps/s/log',
      '/sub-dag-runs',
      '/sub-dag-runs/s',
      '/sub-dag-runs/s/log',
      '/spec',
      '/outputs',
      '/events'
    ]
    await each(404, 'not_found', [
      ...paths.map((path) => ['GET', `/dag-runs/plain/none${path}`] as const),
      ['GET', '/dags/plain/dag-runs/none'],
      ['GET', '/dag-runs/none/latest'],
      ...['stop', 'retry', 'reschedule', 'dequeue'].map((verb) => ['POST', `/dag-runs/plain/none/${verb}`] as const),
      ['PATCH', '/dag-runs/plain/none/steps/s/status', { status: 4 }],
      ['PATCH', '/dag-runs/plain/p1/sub-dag-runs/none/steps/s/status', { status: 4 }],
      ['PATCH', '/dag-runs/plain/p1/steps/none/status', { status: 4 }],
      ['GET', '/dag-runs/plain/p1/steps/none/log']
    ])
  })

  it('definition exists but invalid: start, enqueue -> 400 bad_request + details.errors', async () => {
    const answers = await each(400, 'bad_request', [
      ['POST', '/dags/broken/start'],
      ['POST', '/dags/broken/enqueue']
    ])
    for (const { details } of answers) expect(details.errors).to.be.an('array').that.is.not.empty
  })

  it('run id already used by that DAG name (start, enqueue, reschedule, retry with new id, inline) -> 409 already_exists', async () => {
    const inline = { spec: 'name: plain\nsteps: []', dagRunId: 'p1' }
    await api.started('plain', { dagRunId: 'p2' })
    await api.ended('plain', 'p2')
    await each(409, 'already_exists', [
      ['POST', '/dags/plain/start', { dagRunId: 'p1' }],
      ['POST', '/dags/plain/enqueue', { dagRunId: 'p1' }],
      ['POST', '/dag-runs/plain/p2/reschedule', { dagRunId: 'p1' }],
      ['POST', '/dag-runs/plain/p2/retry', { dagRunId: 'p1' }],
      ['POST', '/dag-runs', inline],
      ['POST', '/dag-runs/enqueue', inline]
    ])
  })

  it('maxActiveRuns blocks any start; singleton blocks inline start; reschedule blocked; enqueue blocked -> 409 max_run_reached + details.limit/running/queued', async () => {
    const answers = await each(409, 'max_run_reached', [
      ['POST', '/dags/held/start'],
      ['POST', '/dag-runs', { spec: 'name: held\nsteps: []' }],
      ['POST', '/dag-runs/held/h1/reschedule'],
      ['POST', '/dag-runs/enqueue', { spec: 'name: held\nmaxActiveRuns: 1\nsteps: []' }],
      ['POST', '/dag-runs', { spec: 'name: held\nmaxActiveRuns: -1\nsteps: []', singleton: true }]
    ])
    for (const { details } of answers) expect(details).to.include({ running: 1, queued: 1 })
    for (const { details } of answers.slice(0, 4)) expect(details.limit).to.equal(1)
  })

  it('dequeue: run unknown, or not queued -> 404 not_found', async () => {
    await each(404, 'not_found', [
      ['GET', '/dag-runs/held/none/dequeue'],
      ['GET', '/dag-runs/held/h1/dequeue'],
      ['DELETE', '/dag-runs/plain/p1/dequeue']
    ])
  })

  it('PATCH step on an active run -> 400 bad_request', async () => {
    const { nodes } = (await api.call('GET', '/dag-runs/held/h1')).json.dagRun
    const path = (id: string) => `/dag-runs/held/${id}/steps/${nodes[0].step.name}/status`
    await each(400, 'bad_request', [
      ['PATCH', path('h1'), { status: 4 }],
      ['PATCH', path('q1'), { status: 4 }]
    ])
  })

  it('anything unforeseen -> 500 internal_error, generic message, cause only in the server log', async () => {
    const readQueues = () => {
      throw new Error('/secret/path')
    }
    const spoiled = await served({ ...api.engine, readQueues })
    try {
      const [answer] = await each(500, 'internal_error', [['GET', '/queues']], spoiled.call)
      expect(answer).to.deep.equal({ code: 'internal_error', message: 'internal error' })
    } finally {
      await spoiled.close()
    }
  })

  it('no other request was a fault of the server', () => {
    expect(api.faults).to.deep.equal([])
  })
})
