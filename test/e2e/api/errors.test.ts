/** Every situation of the table of errors, on a real engine. Source: api-semantics 1.4. */
import { expect } from 'chai'
import { erringServer } from '../../support/api/erring-server.ts'
import { oddServer } from '../../support/odd-server.ts'

describe('API › 1.4 Error object', () => {
  const { api, each, under } = erringServer()
  let odd: Awaited<ReturnType<typeof oddServer>>
  before(async () => {
    odd = await oddServer()
  })
  after(() => odd.close())

  it('validation of name, id, body, query -> 400 bad_request', async () => {
    await each(400, 'bad_request', [
      ['POST', '/dags', { name: 'bad name!' }],
      ['POST', '/dags', { name: '' }],
      ['GET', '/dag-runs/bad%20name'],
      ['GET', '/dags/bad%2Fname'],
      ['POST', '/dags/plain/start', { dagRunId: 'a b' }],
      ['POST', '/dags/plain/start', { dagName: 'x'.repeat(41) }],
      ['POST', '/dags/plain/start', { params: 7 }],
      ['POST', '/dags/plain/start', '{'],
      ['POST', '/dags/plain/start', '[]'],
      ['GET', '/dags?page=x'],
      ['GET', '/dag-runs?status=7']
    ])
  })

  it('bad or missing credentials -> 401 unauthorized + WWW-Authenticate', () =>
    under({ 'auth.basic.username': 'u', 'auth.basic.password': 'p' }, async (send) => {
      await each(401, 'unauthorized', [['GET', '/dags']], send)
      const { headers } = await send('GET', '/dags', { headers: { Authorization: 'Basic eDp5' } })
      expect(headers['www-authenticate']).to.equal('Basic realm="restricted"')
    }))

  it('permission flag off -> 403 forbidden', () =>
    under({ 'permissions.writeDAGs': false, 'permissions.runDAGs': false }, async (send) => {
      await each(
        403,
        'forbidden',
        [
          ['DELETE', '/dags/plain'],
          ['POST', '/dags/plain/start']
        ],
        send
      )
    }))

  it('definition missing: GET/DELETE/PUT/start/enqueue/rename/suspend/stop-all -> 404 not_found', async () => {
    await each(404, 'not_found', [
      ['GET', '/dags/missing'],
      ['GET', '/dags/missing/spec'],
      ['DELETE', '/dags/missing'],
      ['PUT', '/dags/missing/spec', { spec: 'steps: []' }],
      ['POST', '/dags/missing/start'],
      ['POST', '/dags/missing/enqueue'],
      ['POST', '/dags/missing/rename', { newFileName: 'other' }],
      ['POST', '/dags/missing/suspend', { suspend: true }],
      ['POST', '/dags/missing/stop-all']
    ])
  })

  it('run missing -> 404 not_found, on every path below a run', async () => {
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

  it('create / rename onto an existing file -> 409 already_exists', async () => {
    await each(409, 'already_exists', [
      ['POST', '/dags', { name: 'plain' }],
      ['POST', '/dags/plain/rename', { newFileName: 'held' }],
      ['POST', '/dags/plain/rename', { newFileName: 'plain' }]
    ])
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

  it('singleton: true on /dags/{f}/start while running -> 409 already_running', async () => {
    await each(409, 'already_running', [['POST', '/dags/held/start', { singleton: true }]])
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

  it('retry while that run, or the allowed number of runs, is active -> 400 already_running', async () => {
    await each(400, 'already_running', [
      ['POST', '/dag-runs/held/h1/retry'],
      ['POST', '/dag-runs/held/q1/retry']
    ])
  })

  it('stop of a run that is not running (queued, finished) -> 400 not_running', async () => {
    await each(400, 'not_running', [
      ['POST', '/dag-runs/held/q1/stop'],
      ['POST', '/dag-runs/plain/p1/stop']
    ])
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

  it('invalid step status -> 400 bad_request', async () => {
    const { nodes } = (await api.call('GET', '/dag-runs/plain/p1')).json.dagRun
    const path = `/dag-runs/plain/p1/steps/${nodes[0].step.name}/status`
    await each(
      400,
      'bad_request',
      [6, 9, -1, 1.5, '4', null].map((status) => ['PATCH', path, { status }] as const)
    )
    await each(400, 'bad_request', [
      ['PATCH', path, {}],
      ['PATCH', path]
    ])
  })

  it('unknown remoteNode -> 400 bad_request', async () => {
    await each(400, 'bad_request', [
      ['GET', '/dags?remoteNode=nowhere'],
      ['POST', '/dags/plain/start?remoteNode=nowhere']
    ])
  })

  it('remote node unreachable -> 502 remote_node_error + details.remoteNode', async () => {
    const answers = await each(502, 'remote_node_error', [
      ['GET', '/dags?remoteNode=dead'],
      ['POST', '/dags/plain/start?remoteNode=dead']
    ])
    for (const { details } of answers) expect(details).to.deep.equal({ remoteNode: 'dead' })
  })

  it('remote node answered 5xx or not JSON -> 502 bad_gateway', () =>
    under({ remoteNodes: [{ name: 'odd', apiBaseURL: `http://127.0.0.1:${odd.port}/api/v2` }] }, async (send) => {
      odd.answers(500, { 'Content-Type': 'application/json' }, '{"code":"internal_error","message":"there"}')
      await each(502, 'bad_gateway', [['GET', '/dags?remoteNode=odd']], send)
      odd.answers(200, { 'Content-Type': 'text/html' }, '<html>')
      await each(502, 'bad_gateway', [['GET', '/dags?remoteNode=odd']], send)
    }))

  it('coordinator absent on /workers -> 503 service_unavailable', async () => {
    await each(503, 'service_unavailable', [['GET', '/workers']])
  })

  it('run did not leave not_started within 5 s: never returned, because a 200 waits until the run is on record', async () => {
    const id = await api.started('plain')
    expect((await api.call('GET', `/dag-runs/plain/${id}`)).json.dagRun.status).to.not.equal(0)
  })

  it('anything unforeseen -> 500 internal_error, generic message, cause only in the server log', () =>
    under(
      {},
      async (send) => {
        const [answer] = await each(500, 'internal_error', [['GET', '/queues']], send)
        expect(answer).to.deep.equal({ code: 'internal_error', message: 'internal error' })
      },
      {
        readQueues() {
          throw new Error('/secret/path')
        }
      }
    ))

  it('no other request was a fault of the server', () => {
    const causes = api.faults.map(String).filter((fault) => !/remote|ECONNREFUSED|coordinator/.test(fault))
    expect(causes).to.deep.equal([])
  })
})
