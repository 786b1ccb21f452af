/**
 * Workers over the API, with a real NATS server: coordinator started late, killed, moved and gone; what clients read. Source: http-api
 * "Worker", "Queues and workers"; api-semantics 3.1, 7.1, 10.1; distribution 7, 8, 9.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { coordinatorIn } from '../../../src/bus/address-file.ts'
import { type Broker, guardBroker } from '../../../src/bus/broker.ts'
import { openNatsBus } from '../../../src/bus/nats.ts'
import { systemClock } from '../../../src/clock.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/index.ts'
import { silent } from '../../../src/log.ts'
import { served } from '../../api/client.ts'
import { called } from '../../support/cli/called.ts'
import { runningServer } from '../../support/cli/program.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { needsNats } from '../../support/nats.ts'
import { fakeWorker } from '../../support/simulated/fake-worker.ts'
import { eventually } from '../../support/waiting.ts'

const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
const TOKEN = 'sesame-open'
const NONE = { code: 'service_unavailable', message: 'no coordinator is running' }

describe('API › workers', function () {
  this.timeout(60_000)
  needsNats()
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  async function coordinator(home: string, given: { port?: number; cluster?: string } = {}) {
    const port = given.port ?? (await freePort())
    const broker: Broker = await guardBroker({
      host: '127.0.0.1',
      port,
      cluster: given.cluster ?? 'troupe',
      token: TOKEN,
      advertise: 'box',
      folder: join(home, 'data', 'broker'),
      registry: join(home, 'data', 'service-registry'),
      clock: systemClock,
      log: silent,
      environment: { PATH: process.env.PATH ?? '' },
      enrolmentFile: join(home, 'data', 'enrolled-workers.json')
    })
    let isClosed = false
    const close = async () => {
      if (!isClosed) await broker.close()
      isClosed = true
    }
    ends.push(close)
    const pid = Number(readFileSync(join(home, 'data', 'broker', 'nats.pid'), 'utf8'))
    return { port, pid, close }
  }
  async function server(home: string, options: EngineOptions = {}) {
    const engine: Engine = await createEngine({ home, tz: 'UTC', ...options })
    ends.push(() => engine.close())
    const api = await served(engine)
    ends.push(() => api.close())
    return { engine, ...api, workers: () => api.call('GET', '/workers') }
  }
  function worker(port: number, home = A, given: Parameters<typeof fakeWorker>[3] = {}) {
    const bus = openNatsBus({
      servers: [`127.0.0.1:${port}`],
      user: 'worker',
      password: TOKEN,
      name: 'worker',
      inbox: `trp.troupe.inbox.${home}`,
      clock: systemClock
    })
    ends.push(() => bus.close())
    const end = fakeWorker(bus, 'troupe', home, given).serve()
    ends.push(end)
    return { leave: end }
  }
  type Server = Awaited<ReturnType<typeof server>>
  const listed = (api: Server, many = 1) =>
    eventually(`${many} workers`, async () => {
      const { status, json } = await api.workers()
      return status === 200 && json.workers.length === many ? json : undefined
    })

  it('a coordinator that is started after the server is found as soon as somebody asks', async () => {
    const home = temporaryFolder()
    const api = await server(home)
    expect([(await api.workers()).status, (await api.workers()).json]).to.deep.equal([503, NONE])
    expect((await api.call('GET', '/services/coordinator')).json).to.deep.equal({ coordinators: [] })
    expect((await api.call('GET', '/metrics')).text).not.to.contain('engine_bus_connected')

    const { port } = await coordinator(home)
    worker(port, B, { id: 'wb' })
    worker(port, A, { labels: { gpu: 'true' }, slots: 3 })
    const { workers, errors } = await listed(api, 2)
    const [wa, wb] = workers
    expect([wa.id, wb.id, errors]).to.deep.equal(['wa', 'wb', []])
    const { last_heartbeat, lastHeartbeatAt, connectedAt, load, ...rest } = wa
    expect(rest).to.deep.equal({
      id: 'wa',
      labels: { gpu: 'true' },
      health_status: 'WORKER_HEALTH_STATUS_HEALTHY',
      running_tasks: [],
      healthStatus: 'healthy',
      totalPollers: 3,
      busyPollers: 0,
      runningTasks: [],
      status: 'serving',
      reason: '',
      slots: 3,
      version: '1.2.3',
      host: 'box'
    })
    expect([Object.keys(load).every((key) => key === 'cpu'), lastHeartbeatAt]).to.deep.equal([true, last_heartbeat])
    for (const at of [last_heartbeat, connectedAt]) expect(Date.parse(at)).to.be.closeTo(Date.now(), 60_000)

    const { coordinators } = (await api.call('GET', '/services/coordinator')).json
    expect(coordinators).to.have.length(1)
    expect(coordinators[0]).to.include({ instanceId: `box@${port}`, host: 'box', port, status: 'active' })
    const { text } = await api.call('GET', '/metrics')
    for (const line of [
      'engine_workers{health="healthy"} 2',
      'engine_workers{health="warning"} 0',
      'engine_worker_slots{worker="wa"} 3',
      'engine_bus_connected 1',
      'engine_bus_messages_total{kind="hello",direction="in"} 2'
    ])
      expect(text).to.contain(`${line}\n`)
  })

  it('the health of a worker is the age of its heartbeat; an incompatible one is listed with the reason', async () => {
    const home = temporaryFolder()
    const { port } = await coordinator(home)
    const api = await server(home)
    const { leave } = worker(port)
    worker(port, B, { id: 'old', v: 9, minV: 9 })
    const { workers } = await listed(api, 2)
    expect(workers[0]).to.include({
      id: 'old',
      status: 'incompatible',
      health_status: 'WORKER_HEALTH_STATUS_UNHEALTHY'
    })
    expect(workers[0].reason).to.match(/^it speaks protocol 9, and this engine 1: update the engine$/)
    leave()
    await eventually('a warning', async () => {
      const { json } = await api.workers()
      return json.workers[1].health_status === 'WORKER_HEALTH_STATUS_WARNING' || undefined
    })
  })

  it('a broker that is killed comes back: meanwhile the list is what was last known', async () => {
    const home = temporaryFolder()
    const { port, pid } = await coordinator(home)
    const api = await server(home)
    worker(port)
    await listed(api)
    process.kill(pid, 'SIGKILL')
    const away = await eventually('the loss is seen', async () => {
      const { json } = await api.workers()
      return json.errors.length > 0 ? json : undefined
    })
    expect(away.errors[0]).to.match(/^the message bus is out of reach: /)
    expect(away.workers).to.have.length(1)
    const heard = away.workers[0].last_heartbeat
    await eventually('it is heard again', async () => {
      const { json } = await api.workers()
      return json.errors.length === 0 && json.workers[0].last_heartbeat > heard ? true : undefined
    })
    expect((await api.call('GET', '/health')).status).to.equal(200)
  })

  it('a coordinator that is restarted on another port, with another password, is found', async () => {
    const home = temporaryFolder()
    const first = await coordinator(home)
    const api = await server(home)
    worker(first.port)
    await listed(api)
    await first.close()
    await eventually('the loss is seen', async () => {
      const [error = ''] = (await api.workers()).json.errors
      return error.includes('this home has no coordinator') || undefined
    })
    expect((await api.call('GET', '/services/coordinator')).json).to.deep.equal({ coordinators: [] })
    const second = await coordinator(home)
    worker(second.port, B, { id: 'wb' })
    await listed(api, 2)
  })

  it('a restarted server lists the workers before they have said anything again', async () => {
    const home = temporaryFolder()
    const { port } = await coordinator(home)
    const before = await server(home)
    const { leave } = worker(port)
    await listed(before)
    leave()
    await before.close()
    await before.engine.close()
    const after = await server(home)
    const { workers } = await listed(after)
    expect(workers[0]).to.include({ id: 'wa', status: 'serving' })
  })

  it('servers of the operator: a wrong token and a missing server are said in the 503', async () => {
    const { port } = await coordinator(temporaryFolder())
    const nats = [`127.0.0.1:${port}`]
    const refused = await server(temporaryFolder(), { coordinator: { nats }, settings: { 'peer.token': 'a-guess' } })
    const sentence = (api: Server) =>
      eventually('a sentence', async () => {
        const { status, json } = await api.workers()
        expect([status, json.code]).to.deep.equal([503, 'service_unavailable'])
        return json.message === NONE.message ? undefined : json.message
      })
    expect(await sentence(refused)).to.equal(
      'no coordinator is running: it refuses the credential: peer.token must be the same on both sides'
    )
    const nobody = await server(temporaryFolder(), { coordinator: { nats: [`127.0.0.1:${await freePort()}`] } })
    expect(await sentence(nobody)).to.equal('no coordinator is running: nothing listens there')
    const asked = await server(temporaryFolder(), { coordinator: { enabled: true } })
    expect(await sentence(asked)).to.equal(
      'no coordinator is running: this home has no coordinator: start one with troupe coordinator'
    )
  })

  it('a coordinator of another cluster is no coordinator: the 503 names both', async () => {
    const home = temporaryFolder()
    await coordinator(home, { cluster: 'mars' })
    const api = await server(home)
    await eventually('a sentence', async () => {
      const { status, json } = await api.workers()
      return (status === 503 && json.message.includes('serves the cluster mars')) || undefined
    })
  })

  it('two servers in one cluster: 503 for health, with a sentence that says what helps', async () => {
    const port = await freePort()
    const nats = [`127.0.0.1:${port}`]
    const broker = await guardBroker({
      host: '127.0.0.1',
      port,
      cluster: 'troupe',
      token: '',
      advertise: 'box',
      clock: systemClock,
      log: silent,
      folder: temporaryFolder(),
      registry: temporaryFolder(),
      environment: { PATH: process.env.PATH ?? '' },
      enrolmentFile: join(temporaryFolder(), 'enrolled-workers.json')
    })
    ends.push(() => broker.close())
    const one = await server(temporaryFolder(), { coordinator: { nats } })
    await server(temporaryFolder(), { coordinator: { nats } })
    await eventually('it knows', async () => {
      const { status, json } = await one.call('GET', '/health')
      return status === 503 && /^two engines use the cluster troupe /.test(json.error) ? true : undefined
    })
  })

  it('troupe workers, troupe doctor', async () => {
    const { folder: home, end } = await runningServer({ ENGINE_TZ: 'UTC' })
    ends.push(end)
    const troupe = (...argv: string[]) => called(home, { ENGINE_HOME: home, ENGINE_TZ: 'UTC' }, ...argv)
    expect(await troupe('workers')).to.deep.equal({ code: 1, out: '', err: 'Error: no coordinator is running\n' })
    const { port, pid } = await coordinator(home)
    worker(port)
    worker(port, B, { id: 'old', v: 9, minV: 9 })
    const listed = await eventually('both are listed', async () => {
      const { code, out } = await troupe('workers')
      return code === 0 && out.includes('old') && out.includes('wa') ? out : undefined
    })
    const [head, old, why, wa] = listed.split('\n')
    expect(head).to.match(/^worker +health +slots +version +heard +labels$/)
    expect(old).to.match(/^old +incompatible +0\/1 /)
    expect(why).to.contain('it speaks protocol 9')
    expect(wa).to.match(/^wa +healthy +0\/4 +1\.2\.3 +\S+ ago +zone=a$/)
    const { workers, errors } = JSON.parse((await troupe('workers', '--json')).out)
    expect([workers[1].id, workers[1].health_status, errors]).to.deep.equal(['wa', 'WORKER_HEALTH_STATUS_HEALTHY', []])

    const busOf = async () =>
      JSON.parse((await troupe('doctor', '--json')).out).findings.filter(
        ({ check }: { check: string }) => check === 'bus'
      )
    expect(await busOf()).to.deep.equal([])
    process.kill(pid, 'SIGSTOP')
    try {
      const [found] = await busOf()
      expect(found).to.include({ severity: 'error', mending: 'start the coordinator again: troupe coordinator' })
      expect(found.message).to.match(new RegExp(`^the message bus at 127\\.0\\.0\\.1:${port} is out of reach: `))
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    const rival = await server(temporaryFolder(), {
      openBus: () =>
        openNatsBus({
          servers: [`127.0.0.1:${port}`],
          user: 'engine',
          name: 'rival',
          inbox: 'trp.troupe.inbox.rival',
          password: coordinatorIn(join(home, 'data', 'service-registry'))?.password ?? '',
          clock: systemClock
        })
    })
    await rival.engine.bus()
    expect(await busOf()).to.have.nested.property('[0].message', '2 engines use the cluster troupe of one message bus')
  })
})
