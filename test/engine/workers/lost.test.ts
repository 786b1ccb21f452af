/**
 * Workers that are lost: an engine and real workers with real steps in one process, over a simulated bus and a clock that is moved on. Their
 * fences look at the clock of the machine, so the test ends what they would have ended. Source: distribution 1 (D4, D6, D7, D13), 4.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine, type RunKey } from '../../../src/index.ts'
import { uptimeMs } from '../../../src/platform/uptime.ts'
import { openWorkerTasks } from '../../../src/worker/open-tasks.ts'
import { openWorker, type Worker } from '../../../src/worker/worker.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedNet } from '../../support/simulated/bus.ts'
import { type SkippingClock, skippingClock } from '../../support/simulated/skipping-clock.ts'
import { eventually } from '../../support/waiting.ts'

const LOST = 'worker lost: wa silent for 30 s, outcome unknown'

describe('engine › a worker is lost', function () {
  this.timeout(60_000)
  let clock: SkippingClock
  let net: ReturnType<typeof simulatedNet>
  let engine: Engine
  let booted: number
  const marks = temporaryFolder()
  const workers = new Map<string, Worker>()
  const homes: Record<string, string> = { a: temporaryFolder(), b: temporaryFolder() }
  const sessions: Record<string, number> = {}
  before(async () => {
    clock = skippingClock()
    booted = uptimeMs() - clock.elapsed()
    net = simulatedNet(clock)
    engine = await createEngine({ home: temporaryFolder(), clock, openBus: () => net.open('engine') })
    await engine.bus()
    await serves('a')
    await serves('b')
  })
  after(async () => {
    await Promise.all([...workers.values()].map((worker) => worker.close()))
    await engine.close()
    clock.close()
  })

  /** A process of the worker `wa` or `wb`, on the same home each time. */
  async function serves(name: string): Promise<void> {
    const id = `w${name}`
    const folder = homes[name] ?? ''
    const homeId = name.repeat(16)
    const bus = net.open(`${id} ${sessions[name] ?? 0}`)
    const session = `${1 + (sessions[name] ?? 0)}-ab`
    sessions[name] = 1 + (sessions[name] ?? 0)
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const tasks = openWorkerTasks({
      bus,
      clock,
      folder,
      homeId,
      session,
      cluster: 'troupe',
      id,
      defaultShell: 'sh',
      environment: { PATH: process.env.PATH ?? '', HOME: folder },
      maxProcesses: 8,
      log,
      uptime: () => booted + clock.elapsed() // the holders of steps look at the machine's, which is behind
    })
    const self = { where: () => 'here', cluster: 'troupe', id, labels: { zone: 'a' }, slots: 9, version: '1' }
    workers.set(name, openWorker({ bus, clock, log, home: { folder, id: homeId, session }, tasks, ...self }))
    await eventually(`${id} takes runs`, async () =>
      (await engine.workers()).workers.find((one) => one.id === id && one.health === 'healthy' && one.status !== 'lost')
    )
  }
  /** Its steps go on. */
  async function vanishes(name: string): Promise<void> {
    await workers.get(name)?.close()
    workers.delete(name)
  }
  /** The worker that a run begins on is `wa`: the other one drains. */
  async function begun(fields: string, steps: string): Promise<RunKey> {
    await engine.drainWorker('wb')
    const name = `r${++count}`
    const key = await engine.start({ spec: `name: ${name}\nworkerSelector: {zone: a}\n${fields}\nsteps:\n${steps}` })
    await eventually('its step begins', () => (marksOf(name).length > 0 ? true : undefined))
    await engine.drainWorker('wb', { drain: false })
    return key
  }
  let count = 0
  const marksOf = (name: string) => {
    const path = join(marks, name)
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  }
  /** Writes a mark with its home and the number of its placement; goes on while there is no `go`. */
  const marking = (more = '') =>
    `  - {name: one, script: "echo $$ $HOME $ENGINE_FENCE >>${marks}/$DAG_NAME; while [ ! -e ${marks}/$DAG_NAME.go ]; do sleep 0.05; done"${more}}`
  const nodeOf = (key: RunKey) => engine.run(key)?.nodes[0]?.node
  const go = ({ name }: RunKey) => writeFileSync(join(marks, `${name}.go`), '')
  const ended = async (key: RunKey) => {
    await engine.result(key)
    return {
      status: engine.record(key)?.status,
      node: nodeOf(key),
      log: readFileSync(engine.record(key)?.log ?? '', 'utf8')
    }
  }
  const killed = ({ name }: RunKey) => process.kill(-Number(marksOf(name)[0]?.split(' ')[0]), 'SIGKILL')

  it('D4 a step with a retry left begins a second time only once its fence has ended it, on another worker, with a greater ENGINE_FENCE', async () => {
    const key = await begun('', marking(', retryPolicy: {limit: 1, intervalSec: 0}'))
    const other = await begun('onWorkerLost: requeue', marking())
    const failing = await begun('handlerOn: {failure: {command: "echo $HOME"}}', marking())
    await vanishes('a')
    await clock.pass(59_000)
    expect(nodeOf(key)?.status).to.equal('running')
    expect(nodeOf(failing)).to.include({ status: 'failed', error: LOST })
    expect([marksOf(key.name), marksOf(other.name)].map(({ length }) => length)).to.deep.equal([1, 1])
    for (const one of [key, other, failing]) killed(one)
    await clock.pass(2_000)
    for (const one of [key, other]) {
      await eventually('it begins on the other worker', () => (marksOf(one.name).length === 2 ? true : undefined))
      const [first = '', second = ''] = marksOf(one.name)
      const [, home, fence] = second.split(' ')
      expect(home).to.equal(homes.b)
      expect(Number(fence)).to.be.greaterThan(Number(first.split(' ')[2]))
      go(one)
      const { status, node, log } = await ended(one)
      expect([status, node?.retryCount]).to.deep.equal(['succeeded', one === key ? 1 : 0])
      expect(log).to.contain('the run goes on on another worker: its folder there is empty')
      expect(engine.record(one)?.placement?.id).to.equal('wb')
    }
    const { status, log } = await ended(failing)
    expect(status).to.equal('failed')
    expect(log).to.contain(LOST)
    await serves('a')
  })
  it('D7 a worker that is back in time goes on with what it has: nothing is run again', async () => {
    const key = await begun('', marking(', retryPolicy: {limit: 1, intervalSec: 0}'))
    const waiting = await begun('onWorkerLost: wait', marking())
    await vanishes('a')
    await clock.pass(40_000)
    expect(nodeOf(key)?.status).to.equal('running')
    await serves('a')
    for (const one of [key, waiting]) {
      go(one)
      const { status, node } = await ended(one)
      expect([status, node?.retryCount, marksOf(one.name).length]).to.deep.equal(['succeeded', 0, 1])
    }
  })
  it('wait: whatever has become of the others, it waits until its worker is back', async () => {
    const key = await begun('onWorkerLost: wait', marking(', retryPolicy: {limit: 1, intervalSec: 0}'))
    await vanishes('a')
    await clock.pass(90_000)
    expect([nodeOf(key)?.status, marksOf(key.name).length]).to.deep.equal(['running', 1])
    const { workers: listed } = await engine.workers()
    expect(listed.find(({ id }) => id === 'wa')).to.include({ status: 'lost' })
    await serves('a')
    go(key)
    expect((await ended(key)).status).to.equal('succeeded')
  })
  it('D13 a run that was stopped ends as canceled when its worker is lost; D4 a retry by hand waits for the fence', async () => {
    const key = await begun('', marking())
    await vanishes('a')
    await engine.stop(key)
    await clock.pass(20_000)
    expect(engine.record(key)?.status).to.equal('running')
    await clock.pass(11_000)
    expect((await ended(key)).status).to.equal('canceled')
    await engine.retry(key)
    await clock.pass(5_000)
    expect([engine.record(key)?.status, marksOf(key.name).length]).to.deep.equal(['queued', 1])
    killed(key)
    await clock.pass(25_000)
    await eventually('it begins on the other worker', () => (marksOf(key.name).length === 2 ? true : undefined))
    go(key)
    expect((await ended(key)).status).to.equal('succeeded')
    await serves('a')
  })
})
