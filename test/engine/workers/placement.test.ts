/** Runs that need a worker, over a simulated bus: placed, listed, explained, and waiting. Source: distribution 1, 9; api-semantics 7.1, 7.2. */
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { createEngine, type Engine, type RunKey } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedNet } from '../../support/simulated/bus.ts'
import { fakeWorker } from '../../support/simulated/fake-worker.ts'
import { eventually } from '../../support/waiting.ts'

const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
const inZone = (zone: string) => ({
  spec: `name: in-${zone}\nmaxActiveRuns: 9\nworkerSelector: {zone: ${zone}}\nsteps: [echo a]`
})

describe('engine › placement on workers', () => {
  let net: ReturnType<typeof simulatedNet>
  let engine: Engine
  const home = temporaryFolder()
  async function open(): Promise<void> {
    engine = await createEngine({ home, openBus: () => net.open('engine') })
    await engine.bus() // it is open
  }
  before(async () => {
    net = simulatedNet(systemClock)
    await open()
  })
  after(() => engine.close())
  const why = (key: RunKey) =>
    engine.facts.explain(key).reasons.flatMap(({ about, text }) => (about.kind === 'run' ? [text] : []))
  const statusOf = (key: RunKey) => engine.record(key)?.status
  const worker = () => fakeWorker(net.open('a'), 'troupe', A, { labels: { zone: 'a' }, slots: 1 })
  let placed: RunKey
  let next: RunKey

  it('D2 a run that no worker can take is queued, and explained with the labels that are missing', async () => {
    const key = await engine.start(inZone('mars'))
    expect([statusOf(key), why(key)]).to.deep.equal(['queued', ['no worker has zone=mars (no worker is there)']])
    await worker().hello()
    expect(why(key)).to.deep.equal(['no worker has zone=mars (1 worker: zone is a)'])
    await fakeWorker(net.open('b'), 'troupe', B, { id: 'wb', v: 9, minV: 9, labels: { zone: 'mars' } }).hello()
    expect((await engine.workers()).workers.map(({ status }) => status)).to.deep.equal(['serving', 'incompatible'])
    expect(why(key), 'one that is refused does not count').to.deep.equal([
      'no worker has zone=mars (1 worker: zone is a)'
    ])
    await engine.dequeue(key)
    expect(statusOf(key)).to.equal(undefined)
  })

  it('D1 one that a worker can take is placed there, and listed with it', async () => {
    placed = await engine.start(inZone('a'))
    expect(engine.record(placed)).to.deep.include({ status: 'running', queue: 'in-a' })
    expect(engine.record(placed)?.placement).to.deep.equal({ home: A, id: 'wa', lease: 1_000_000_001 })
    const { workers } = await engine.workers()
    expect(workers.map(({ tasks }) => tasks.map(({ dagRunId }) => dagRunId))).to.deep.equal([[placed.dagRunId], []])
  })

  it('D2 when its slots are taken the next one waits, and is told its place in line', async () => {
    next = await engine.enqueue(inZone('a'))
    expect([statusOf(next), why(next)]).to.deep.equal([
      'queued',
      ['1 worker fits, all slots taken (wa 1/1), next in line: 1st']
    ])
  })

  it('after a restart the slot is held by the run that had it, before the worker is heard (D14)', async () => {
    await engine.close()
    await open()
    await worker().hello()
    await eventually('the run is restored', async () => {
      const { workers } = await engine.workers()
      return workers.find(({ tasks }) => tasks.length === 1)
    })
    expect([statusOf(placed), statusOf(next)]).to.deep.equal(['running', 'queued'])
    expect(why(next)).to.deep.equal(['1 worker fits, all slots taken (wa 1/1), next in line: 1st'])
  })
})
