/** A coordinator and workers as users start them, with a real broker: who is listed, and what a fault changes. Source: distribution 5, 7, 8, D15. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { coordinatorIn } from '../../../src/bus/address-file.ts'
import { type Cluster, openCluster } from '../../support/cli/cluster.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { gone } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

describe('workers › two processes and a broker', function () {
  this.timeout(60_000)
  needsNats()
  let cluster: Cluster
  const homes = { wa: '', wb: '' }
  before(async () => {
    cluster = await openCluster()
    homes.wa = temporaryFolder()
    homes.wb = temporaryFolder()
  })
  after(() => cluster?.close())
  const worker = (id: 'wa' | 'wb') => cluster.worker(homes[id], id, ['-l', `zone=${id}`, '-m', '4'])
  /** `wa healthy` and the like, once it is so. */
  const listed = (...wanted: string[]) =>
    eventually(wanted.join(), () => {
      const shown = cluster.room.list().map(({ id, health }) => `${id} ${health}`)
      return shown.join() === wanted.join() ? cluster.room.list() : undefined
    })

  it('both are listed with what they say of themselves; SIGTERM ends them with 0', async () => {
    const [a, b] = [worker('wa'), worker('wb')]
    const [first] = await listed('wa healthy', 'wb healthy')
    expect(first).to.deep.include({ labels: { zone: 'wa' }, slots: 4, host: hostname(), pid: a.child.pid })
    await eventually('its load', () =>
      Object.keys(cluster.room.list()[0]?.load ?? {}).length === 3 ? true : undefined
    )
    expect(JSON.parse(a.written.out)).to.include({ id: 'wa', slots: 4, home: first?.home })
    for (const one of [a, b]) one.child.kill('SIGTERM')
    expect(await Promise.all([a.code, b.code])).to.deep.equal([0, 0])
    expect(a.written.err).to.match(
      /connected to the message bus at 127\.0\.0\.1:\d+\n.*serving the engine \w+\n.*draining.*\n.*closing/
    )
    expect(existsSync(join(homes.wa, 'worker', 'lock'))).to.equal(false)
  })
  itLong('killed and started again on its home it is the same worker', async () => {
    const before = worker('wa')
    const home = (await eventually('wa', () => cluster.room.list().find(({ pid }) => pid === before.child.pid)))?.home
    before.child.kill('SIGKILL')
    await before.code
    const next = worker('wa')
    const now = await eventually('its successor', () => cluster.room.list().find(({ pid }) => pid === next.child.pid))
    expect([now.home, now.id, now.health]).to.deep.equal([home, 'wa', 'healthy'])
    expect(cluster.room.list().filter(({ id }) => id === 'wa')).to.have.length(1)
    next.child.kill('SIGKILL')
    await next.code
  })
  it('a second one on the same home exits with 1, and names the first', async () => {
    const first = worker('wb')
    await eventually('wb', () => cluster.room.list().find(({ pid }) => pid === first.child.pid))
    const other = worker('wb')
    expect(await other.code).to.equal(1)
    expect(other.written.err).to.equal(
      `Error: this home is in use by the worker with process id ${first.child.pid}: stop that one, or give another --home\n`
    )
    first.child.kill('SIGKILL')
    await first.code
  })
  it('frozen it is shown with a warning, and healthy again when it goes on', async () => {
    const { child, code } = worker('wa')
    const health = () => cluster.room.list().find(({ pid }) => pid === child.pid)?.health
    const becomes = (wanted: string) => eventually(wanted, () => (health() === wanted ? true : undefined))
    await becomes('healthy')
    child.kill('SIGSTOP')
    await becomes('warning')
    child.kill('SIGCONT')
    await becomes('healthy')
    child.kill('SIGKILL')
    await code
  })
  it('the broker is killed: its coordinator starts it again, everybody comes back, nobody is lost', async () => {
    const one = worker('wb')
    const found = () => cluster.room.list().find(({ pid }) => pid === one.child.pid)
    await eventually('it serves', () => (/serving the engine/.test(one.written.err) ? found() : undefined))
    const broker = Number(readFileSync(cluster.brokerPid, 'utf8'))
    process.kill(broker, 'SIGKILL')
    await gone(broker)
    await eventually('it serves again', () =>
      one.written.err.match(/serving the engine/g)?.length === 2 ? true : undefined
    )
    expect(found()?.health).to.equal('healthy')
    expect(one.written.err).to.contain('not connected to the message bus')
    expect(Number(readFileSync(cluster.brokerPid, 'utf8'))).not.to.equal(broker)
    one.child.kill('SIGKILL')
    await one.code
  })
})

describe('workers › start and end of a coordinator', function () {
  this.timeout(60_000)
  needsNats()

  const workerAt = (home: string, port: number) =>
    program(home, { ENGINE_HOME: home }, 'worker', '--json', '--worker.coordinators', `127.0.0.1:${port}`)

  it('a worker that was there first says what is wrong, and serves once there are a coordinator and an engine', async () => {
    const port = await freePort()
    const home = temporaryFolder()
    const early = workerAt(home, port)
    await eventually('a reason', () => (/nothing listens there/.test(early.written.err) ? true : undefined))
    const cluster = await openCluster({ port })
    try {
      await eventually('it serves', () => (/serving the engine/.test(early.written.err) ? true : undefined))
      expect(cluster.room.list()).to.have.length(1)
    } finally {
      await cluster.close()
    }
    await eventually('it says so', () =>
      early.written.err.match(/not connected to the message bus/g)?.length === 2 ? true : undefined
    )
    early.child.kill('SIGTERM')
    expect(await early.code).to.equal(0)
  })
  it('a worker of the same home finds the coordinator by itself, wherever it listens', async () => {
    const cluster = await openCluster()
    try {
      const { written } = cluster.worker(cluster.home, 'local', [], { near: true })
      await eventually('it serves', () => (/serving the engine/.test(written.err) ? true : undefined))
    } finally {
      await cluster.close()
    }
  })
  it('SIGTERM ends it with 0, and its broker and files with it; a second one on the home and a port in use are refused', async () => {
    const cluster = await openCluster()
    const again = cluster.coordinator(await freePort())
    expect(await again.code).to.equal(1)
    expect(again.written.err).to.match(/^Error: the coordinator of this home runs already: process id \d+, at 127/)
    const broker = Number(readFileSync(cluster.brokerPid, 'utf8'))
    expect(await cluster.close()).to.equal(0)
    await gone(broker)
    expect([cluster.brokerPid, join(cluster.registry, 'coordinator.json')].filter(existsSync)).to.deep.equal([])

    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const refused = cluster.coordinator(port)
    expect(await refused.code).to.equal(1)
    expect(refused.written.err).to.match(/in use.*choose another port than that of 127\.0\.0\.1:\d+ with --coordinator/)
    taken.close()
  })
  itLong('start-all starts one where it is asked for, and ends it', async () => {
    const port = await freePort()
    const server = await runningServer(
      { ENGINE_COORDINATOR_ENABLED: 'true' },
      { argv: ['--port', '0', '--coordinator.port', `${port}`] }
    )
    const registry = join(server.folder, 'data', 'service-registry')
    expect(coordinatorIn(registry)).to.include({ port, host: '127.0.0.1' })
    await server.end()
    expect([coordinatorIn(registry), server.child.exitCode]).to.deep.equal([undefined, 0])
  })
})
