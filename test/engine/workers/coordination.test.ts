/** An engine and its workers over a simulated bus: what is listed, refused, restored and closed. Source: distribution 1 (D12), 2, 7, 9. */
import { expect } from 'chai'
import type { Bus } from '../../../src/bus/bus.ts'
import { systemClock } from '../../../src/clock.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedNet } from '../../support/simulated/bus.ts'
import { fakeWorker } from '../../support/simulated/fake-worker.ts'
import { eventually } from '../../support/waiting.ts'

const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
const homeNumber = (at: number) => at.toString(16).padStart(16, '0')

describe('engine › workers', () => {
  let net: ReturnType<typeof simulatedNet>
  let closedBuses: number
  const opened: Engine[] = []
  beforeEach(() => {
    net = simulatedNet(systemClock)
    closedBuses = 0
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((engine) => engine.close()))
  })

  async function open(options: EngineOptions = {}, name = 'engine'): Promise<Engine> {
    const openBus = (): Bus => {
      const bus = net.open(name)
      return {
        onState: bus.onState,
        ask: bus.ask,
        askForData: bus.askForData,
        tell: bus.tell,
        hear: bus.hear,
        get state() {
          return bus.state
        },
        get trouble() {
          return bus.trouble
        },
        async close() {
          closedBuses++
          await bus.close()
        }
      }
    }
    const engine = await createEngine({ home: temporaryFolder(), openBus, ...options })
    opened.push(engine)
    await engine.bus() // it is open
    return engine
  }
  const idsOf = async (engine: Engine) => (await engine.workers()).workers.map(({ id }) => id)

  it('a worker that says hello is listed with what it said; those by id', async () => {
    const engine = await open()
    const answers = [
      await fakeWorker(net.open('b'), 'troupe', B, { id: 'wb' }).hello(),
      await fakeWorker(net.open('a'), 'troupe', A, { labels: { gpu: 'true' } }).hello()
    ]
    expect(answers.map(({ kind }) => kind)).to.deep.equal(['welcome', 'welcome'])
    const { workers, errors } = await engine.workers()
    expect([workers.map(({ id }) => id), errors]).to.deep.equal([['wa', 'wb'], []])
    const [first] = workers
    expect(first).to.deep.include({ home: A, labels: { gpu: 'true' }, slots: 4, version: '1.2.3', host: 'box', pid: 7 })
    expect(first).to.deep.include({ status: 'serving', health: 'healthy', refusal: '', tasks: [] })
    expect(first?.heardAt).to.be.closeTo(Date.now(), 5_000)
  })

  it('the next engine on the home lists those that were known; its epoch is higher', async () => {
    const home = temporaryFolder()
    const worker = fakeWorker(net.open('a'), 'troupe', A)
    const before = await open({ home })
    const first = await worker.hello()
    await before.close()
    expect(closedBuses).to.equal(1)
    const after = await open({ home })
    expect(await idsOf(after)).to.deep.equal(['wa'])
    expect((await worker.beat()).kind).to.equal('heard')
    const second = await worker.hello()
    expect([first.kind, second.kind]).to.deep.equal(['welcome', 'welcome'])
    if (first.kind !== 'welcome' || second.kind !== 'welcome') return
    expect([second.engine, second.epoch]).to.deep.equal([first.engine, first.epoch + 1])
  })

  it('when the bus is away the list is what was last known, and says so', async () => {
    const engine = await open()
    await fakeWorker(net.open('a'), 'troupe', A).hello()
    net.cut('engine', true)
    const { workers, errors } = await engine.workers()
    expect([workers.length, errors]).to.deep.equal([1, ['the message bus is out of reach: it is cut off']])
    expect(await engine.bus()).to.include({ connected: false, trouble: 'it is cut off' })
    net.cut('engine', false)
    expect((await engine.workers()).errors).to.deep.equal([])
  })

  it('a bus that was never reached is as if there were no coordinator', async () => {
    const openBus = () => {
      const bus = net.open('engine')
      net.cut('engine', true)
      return bus
    }
    const engine = await open({ openBus })
    const error = await engine.workers().catch((error: unknown) => error)
    expect(error).to.include({ code: 'service_unavailable', message: 'no coordinator is running: it is cut off' })
  })

  it('garbage is refused by name and listed as incompatible; a worker that serves is not harmed', async () => {
    const engine = await open()
    await fakeWorker(net.open('a'), 'troupe', A).hello()
    const stranger = fakeWorker(net.open('b'), 'troupe', B)
    for (const text of ['', '{', '[]', '{"kind":"hello"}', JSON.stringify({ kind: 'hello', v: 1, minV: 1, id: 7 })])
      expect(await stranger.says(text), text).to.include({ kind: 'refused', why: 'refused' })
    const impostor = await fakeWorker(net.open('c'), 'troupe', A).says('{"kind":"nonsense"}')
    expect(impostor).to.include({ kind: 'refused', why: 'message' })
    const { workers } = await engine.workers()
    expect(workers.map(({ id, status }) => `${id} ${status}`)).to.deep.equal([`${B} incompatible`, 'wa serving'])
    expect(workers[0]?.refusal).to.equal('hello.id: wanted a text of 1 to 200 characters on one line, found 7')
    expect((await engine.health()).healthy).to.equal(true)
  })

  it('a flood of homes fills neither the list nor the metrics, and others are still welcome', async function () {
    this.timeout(60_000)
    const engine = await open()
    const flood = net.open('flood')
    for (let at = 0; at < 2_000; at++) {
      const worker = fakeWorker(flood, 'troupe', homeNumber(at))
      worker.says('garbage').catch(() => {})
      flood.tell(`trp.troupe.up.${homeNumber(at)}.kind${at}`, '{}')
    }
    const answer = await fakeWorker(net.open('a'), 'troupe', A).hello()
    expect(answer.kind).to.equal('welcome')
    const { workers } = await engine.workers()
    expect(workers.length).to.be.at.most(101)
    const { messages = [] } = (await engine.bus()) ?? {}
    expect(messages.map(({ kind, direction }) => `${direction} ${kind}`)).to.have.members([
      'in hello',
      'in engine',
      'in other',
      'out engine',
      'out answer'
    ])
    expect(messages.find(({ kind }) => kind === 'other')?.count).to.equal(4_000)
  })

  it('two engines that say the same cluster are unhealthy, until one of them is gone', async function () {
    this.timeout(30_000)
    const [one, other] = [await open({}, 'one'), await open({}, 'other')]
    const sick = (engine: Engine) =>
      eventually('both know', async () => {
        const { healthy, error } = await engine.health()
        return healthy ? undefined : error
      })
    for (const engine of [one, other])
      expect(await sick(engine)).to.match(
        /^two engines use the cluster troupe of one bus, this one and that with the id \w+: give one of them another coordinator\.cluster$/
      )
    await other.close()
    await eventually('it is alone', async () => (await one.health()).healthy || undefined, 10_000)
  })

  it('closes room and bus with the engine, and refuses calls after that', async () => {
    const engine = await open()
    await engine.close()
    expect(closedBuses).to.equal(1)
    for (const ask of [() => engine.workers(), () => engine.bus()])
      expect(await ask().catch((error: unknown) => error)).to.include({ code: 'service_unavailable' })
  })

  it('a reader opens no bus', async () => {
    const home = temporaryFolder()
    await open({ home })
    const reader = await createEngine({ home, readOnly: true })
    opened.push(reader)
    expect(await reader.bus()).to.equal(undefined)
    expect(await reader.workers().catch((error: unknown) => error)).to.include({ code: 'service_unavailable' })
  })
})
