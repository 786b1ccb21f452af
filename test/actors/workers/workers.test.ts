/** The room of the workers, over a simulated bus and a virtual clock. Source: distribution 1 (D12, D15, D17), 4, 7; api-semantics 7.1. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { Transactions } from '../../../src/actors/journal/transactions.ts'
import { openWorkers, type WorkerNews, type Workers, type WorkersParts } from '../../../src/actors/workers/workers.ts'
import type { Bus } from '../../../src/bus/bus.ts'
import { type Answer, answerIn, BEAT_MS, type Hello, subjectsOf, written } from '../../../src/bus/messages.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { beginEpoch } from '../../../src/store/workers.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedNet } from '../../support/simulated/bus.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
const subjects = subjectsOf('t')

describe('actors › workers', () => {
  let store: Store
  let clock: ReturnType<typeof simulatedClock>
  let net: ReturnType<typeof simulatedNet>
  let faults: unknown[]
  /** Runs that hold a slot of a worker. */
  const held = new Set<string>()
  const stopped: string[] = []
  const news: WorkerNews[] = []
  /** Homes of workers that runs are on. */
  let needed: string[] = []
  const opened: Workers[] = []
  beforeEach(() => {
    store = openStore(join(temporaryFolder(), 'data'))
    clock = simulatedClock()
    net = simulatedNet(clock)
    faults = []
    news.length = 0
    needed = []
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((workers) => workers.close()))
    await store.root.close()
    expect(faults).to.deep.equal([])
  })
  async function room(name = 'engine', given: { id?: string } = {}, changed?: WorkersParts['changed']) {
    const engine = { ...(await beginEpoch(store, clock)), ...given }
    const transactions = { take: (work: () => void) => work() } as Transactions // the only member that alarms use
    const workers = openWorkers({
      ...{ bus: net.open(name), clock, store, transactions, engine, version: '1', cluster: 't', lostAfterMs: 30_000 },
      ...{ fenceAfterMs: 60_000, neededHomes: () => needed, tellRuns: (one) => void news.push(one) },
      isComplete: () => true,
      openRuns: () => new Set(),
      hasRuns: () => held.size > 0,
      stopRuns: (home) => stopped.push(home),
      ...(changed ? { changed } : {}),
      fault: (error) => faults.push(error)
    })
    opened.push(workers)
    return workers
  }
  const pass = (ms: number) => clock.goTo(clock.now() + ms)

  /** A worker that does as it is told by the test. */
  function worker(home: string, given: Partial<Hello> = {}) {
    const bus: Bus = net.open(`${home} ${given.session ?? 's1'}`)
    const answers: Answer[] = []
    let beats = 0
    const self: Hello = {
      ...{ v: 1, minV: 1, id: 'wa', home, session: 's1', labels: { zone: 'a' }, slots: 4, version: '1', host: 'box' },
      ...{ pid: 7, executors: ['shell'] },
      ...given
    }
    const ask = (kind: 'hello' | 'beat', text: string) => {
      bus.ask(subjects.up(home, kind), text, 60_000).then(
        (answer) => answers.push(answerIn(answer)),
        () => {}
      )
    }
    return {
      answers,
      says: (text: string) => ask('hello', text),
      hello: () => ask('hello', written({ kind: 'hello', ...self })),
      beat: (more: { draining?: true; late?: true; trouble?: string } = {}) =>
        ask('beat', written({ kind: 'beat', session: self.session, n: ++beats, load: { cpu: 5 }, ...more } as never))
    }
  }
  /** What was answered, once it has arrived. */
  const answered = async ({ answers }: ReturnType<typeof worker>) => {
    pass(1)
    pass(1)
    await new Promise(setImmediate)
    return answers.splice(0).map((answer) => ('text' in answer ? `${answer.kind}: ${answer.text}` : answer.kind))
  }
  const shown = (workers: Workers) =>
    workers.list().map(({ id, status, health, refusal }) => [id, status, health, refusal].filter(Boolean).join(' '))

  it('one that says hello is listed; its health is the age of its heartbeat; it is gone 30 s after the last', async () => {
    const workers = await room()
    const one = worker(A)
    one.hello()
    expect(await answered(one)).to.deep.equal(['welcome'])
    for (let second = 0; second < 20; second++) {
      pass(BEAT_MS)
      one.beat()
      pass(1)
      expect(shown(workers)).to.deep.equal(['wa serving healthy'])
    }
    expect(workers.list()[0]).to.include({ home: A, slots: 4, host: 'box', version: '1' })
    expect(workers.list()[0]?.load).to.deep.equal({ cpu: 5 })
    const bands = [4_990, 20, 10_000, 14_950].map((ms) => {
      pass(ms)
      return shown(workers)[0]
    })
    expect(bands).to.deep.equal([
      'wa serving healthy',
      'wa serving warning',
      'wa serving unhealthy',
      'wa serving unhealthy'
    ])
    pass(100)
    expect(shown(workers)).to.deep.equal([])
    one.beat()
    pass(1)
    expect(shown(workers)).to.deep.equal(['wa serving healthy'])
  })

  it('D4 runs are told when their worker is lost, when its fence has ended what it had, and when it is back', async () => {
    const workers = await room()
    const one = worker(A, { fences: true })
    one.hello()
    await answered(one)
    news.length = 0
    const told = async (ms: number) => {
      pass(ms)
      await new Promise(setImmediate)
      return news.splice(0).map(({ type, home, worker: id }) => `${type} ${home === A} ${id}`)
    }
    expect(await told(29_000)).to.deep.equal([])
    expect(await told(2_000)).to.deep.equal(['worker.lost true wa'])
    expect(await told(30_000)).to.deep.equal(['worker.fenced true wa'])
    one.beat()
    expect(await told(10)).to.deep.equal(['worker.back true wa'])
    expect(workers.losses()).to.deep.equal({ lost: 1, fenced: 1 })
  })
  it('D15 after a restart of the engine they are told again, with the whole time of the fence; also of one that nobody knows any more', async () => {
    const first = await room()
    const one = worker(A, { fences: true })
    one.hello()
    await answered(one)
    pass(59_000)
    await new Promise(setImmediate)
    await first.close()
    news.length = 0
    needed = [A, B]
    await room('next')
    await new Promise(setImmediate)
    const told = () => news.splice(0).map(({ type, home }) => `${type} ${home === A ? 'a' : 'b'}`)
    expect(told()).to.deep.equal(['worker.lost a', 'worker.lost b'])
    pass(59_000)
    await new Promise(setImmediate)
    expect(told()).to.deep.equal([])
    pass(2_000)
    await new Promise(setImmediate)
    expect(told()).to.deep.equal(['worker.fenced a', 'worker.fenced b'])
  })
  it('the id of a lost worker is free for one with another home', async () => {
    const workers = await room()
    const one = worker(A)
    one.hello()
    await answered(one)
    const other = worker(B)
    other.hello()
    expect((await answered(other))[0]).to.match(/^refused/)
    pass(31_000)
    other.hello()
    expect(await answered(other)).to.deep.equal(['welcome'])
    expect(shown(workers)).to.deep.equal(['wa serving healthy'])
  })
  it('two engines of one cluster: neither places anything until one has gone', async () => {
    const taking: (boolean | undefined)[] = []
    await room('engine', {}, (_, worker) => taking.push(worker?.isTaking))
    const one = worker(A)
    one.hello()
    await answered(one)
    const beats = (ms: number) => {
      for (let passed = 0; passed < ms; passed += BEAT_MS) {
        one.beat()
        pass(BEAT_MS)
      }
    }
    beats(2_000)
    expect(taking.at(-1)).to.equal(true)
    const other = await room('other', { id: 'feed' })
    beats(3_000)
    expect(taking.at(-1)).to.equal(false)
    await other.close()
    beats(8_000)
    expect(taking.at(-1)).to.equal(true)
  })
  it('garbage, another version and an id that is in use are refused by name and listed; the one that serves is not harmed', async () => {
    const workers = await room()
    const [one, same, other] = [worker(A), worker(B), worker('cccccccccccccccc', { id: 'wc', v: 9, minV: 8 })]
    const stranger = worker('dddddddddddddddd')
    one.hello()
    await answered(one)
    same.hello()
    other.hello()
    stranger.says('{"kind":"hello"')
    one.says('nonsense')
    expect(await answered(same)).to.deep.equal([
      `refused: the id wa is in use by the worker with the home ${A}: stop that one, or choose another id`
    ])
    expect(await answered(other)).to.deep.equal([
      'refused: it speaks protocol 8 to 9, and this engine 1: update the engine'
    ])
    for (const garbled of [stranger, one])
      expect(await answered(garbled)).to.deep.equal(['refused: hello: wanted JSON, found something else'])
    expect(shown(workers)).to.deep.equal([
      'dddddddddddddddd incompatible unhealthy hello: wanted JSON, found something else',
      'wa serving healthy',
      `wa incompatible unhealthy the id wa is in use by the worker with the home ${A}: stop that one, or choose another id`,
      'wc incompatible unhealthy it speaks protocol 8 to 9, and this engine 1: update the engine'
    ])
  })

  it('the id of a worker that is lost is free: its machine came back with an empty disk', async () => {
    await room()
    const [one, same] = [worker(A), worker(B)]
    one.hello()
    await answered(one)
    pass(31_000)
    same.hello()
    expect(await answered(same)).to.deep.equal(['welcome'])
  })
  it('nobody speaks for another: a hello that names another home than its subject is refused', async () => {
    const workers = await room()
    const liar = worker(B)
    liar.says(written({ kind: 'hello', ...JSON.parse(written({ kind: 'greet' })), id: 'x', minV: 1, home: A } as never))
    expect((await answered(liar))[0]).to.match(/^refused: hello/)
    expect(workers.list().map(({ home, status }) => [home, status])).to.deep.equal([[B, 'incompatible']])
  })

  it('of two processes on one home the last to say hello serves, and the other is told to leave', async () => {
    const workers = await room()
    const [before, now] = [worker(A), worker(A, { session: 's2' })]
    before.hello()
    await answered(before)
    now.hello()
    await answered(now)
    before.beat()
    expect(await answered(before)).to.deep.equal(['refused: another process of the same home has said hello since'])
    now.beat()
    expect(await answered(now)).to.deep.equal(['heard'])
    expect(shown(workers)).to.have.length(1)
  })

  it('a heartbeat of one that the engine does not know asks for a hello', async () => {
    await room()
    const one = worker(A)
    one.beat()
    expect(await answered(one)).to.deep.equal(['greet'])
  })

  it('the absence of the engine from the bus makes nobody silent', async () => {
    const workers = await room()
    const one = worker(A)
    one.hello()
    await answered(one)
    net.cut('engine', true)
    pass(3_600_000)
    expect(shown(workers)).to.deep.equal(['wa serving healthy'])
    net.cut('engine', false)
    pass(4_900)
    expect(shown(workers)).to.deep.equal(['wa serving healthy'])
    pass(200)
    expect(shown(workers)).to.deep.equal(['wa serving warning'])
  })

  it('the list outlives the engine; the next one has a higher epoch, and goes on with the same process', async () => {
    const first = await room()
    const [one, refused] = [worker(A), worker(B, { v: 9, minV: 9 })]
    one.hello()
    refused.hello()
    await answered(one)
    await opened.pop()?.close()
    pass(3_600_000)
    const next = await room()
    expect(shown(next)).to.deep.equal(shown(first))
    expect(shown(next)).to.have.length(2)
    one.beat()
    expect(await answered(one)).to.deep.equal(['heard'])
    pass(31_000)
    expect(shown(next)).to.deep.equal([])
    pass(3_600_000)
    await opened.pop()?.close()
    expect(store.workers.getKeysCount()).to.equal(0) // both are forgotten
    expect((await beginEpoch(store, clock)).epoch).to.equal(3)
  })

  it('D15 placements hear of a worker when what they depend on has changed, never of a mere heartbeat', async () => {
    const told: string[] = []
    const changed: WorkersParts['changed'] = (home, taker) => {
      expect([A, B]).to.include(home)
      told.push(
        taker ? `${taker.id} ${taker.isTaking ? 'takes' : 'waits'} ${taker.slots} ${taker.labels.zone}` : 'gone'
      )
    }
    const heard = () => told.splice(0)
    await room('engine', {}, changed)
    const [one, refused] = [worker(A), worker(B)]
    one.hello()
    await answered(one)
    for (let second = 0; second < 10; second++) {
      pass(BEAT_MS)
      one.beat()
    }
    pass(1)
    refused.hello() // the id is taken
    await answered(refused)
    one.hello()
    await answered(one)
    expect(heard(), 'the same again says nothing').to.deep.equal(['wa takes 4 a'])
    pass(5_100)
    expect(heard(), 'warning').to.deep.equal(['wa waits 4 a'])
    pass(10_000)
    expect(heard(), 'unhealthy').to.deep.equal([])
    one.beat()
    pass(1)
    expect(heard(), 'heard again').to.deep.equal(['wa takes 4 a'])
    net.cut('engine', true)
    net.cut('engine', false)
    expect(heard(), 'not heard since the engine is back').to.deep.equal(['wa waits 4 a'])
    one.beat()
    pass(1)
    const other = worker(A, { session: 's2', slots: 9, labels: { zone: 'b' } })
    other.hello()
    await answered(other)
    expect(heard(), 'restarted with other labels').to.deep.equal(['wa takes 4 a', 'wa takes 9 b'])
    pass(35_000)
    expect(heard(), 'lost').to.deep.equal(['wa waits 9 b', 'gone'])
    other.beat()
    pass(1)
    expect(heard(), 'back').to.deep.equal(['wa takes 9 b'])
    await opened.pop()?.close()
    expect(heard(), 'the engine closes').to.deep.equal([])
    await room('engine', {}, changed)
    expect(heard(), 'restored, and not heard yet').to.deep.equal(['wa waits 9 b'])
    other.beat()
    pass(1)
    expect(heard()).to.deep.equal(['wa takes 9 b'])
  })

  describe('D16 drains', () => {
    const answerTo = async (one: ReturnType<typeof worker>, said: { draining?: true; late?: true } = {}) => {
      one.beat(said)
      pass(1)
      pass(1)
      await new Promise(setImmediate)
      const { v: _, n: __, ...answer } = JSON.parse(JSON.stringify(one.answers.splice(0).at(-1)))
      return answer
    }
    const heard = (epoch = 1) => ({ kind: 'heard', epoch })
    const told: string[] = []
    const changed: WorkersParts['changed'] = (_, taker) =>
      void told.push(taker?.isTaking ? 'takes' : taker?.takesSubRuns ? 'takes sub runs' : 'takes nothing')
    beforeEach(() => {
      for (const list of [told, stopped]) list.length = 0
      held.clear()
    })
    async function served() {
      const workers = await room('engine', {}, changed)
      const one = worker(A)
      one.hello()
      await answered(one)
      return { workers, one }
    }

    it('it is placed nothing at once, hears of it with each heartbeat, and may leave when it holds no run', async () => {
      const { workers, one } = await served()
      held.add('r1')
      await workers.drain(A, { timeoutMs: 60_000 })
      expect([shown(workers), told]).to.deep.equal([['wa draining healthy'], ['takes', 'takes sub runs']])
      const asked = { ...heard(), drain: { timeoutMs: 60_000 } }
      for (let n = 0; n < 2; n++) expect(await answerTo(one)).to.deep.equal(asked)
      held.clear()
      expect(await answerTo(one)).to.deep.equal({ ...asked, free: true })
      await workers.drain(A)
      expect([await answerTo(one), shown(workers), told.at(-1)]).to.deep.equal([
        heard(),
        ['wa serving healthy'],
        'takes'
      ])
    })
    it('one that was sent a signal is placed nothing from that heartbeat on, and may leave with the answer to it', async () => {
      const { workers, one } = await served()
      expect(await answerTo(one, { draining: true })).to.deep.equal({ ...heard(), free: true })
      expect([shown(workers), workers.list()[0]?.isLeaving, told]).to.deep.equal([
        ['wa draining healthy'],
        true,
        ['takes', 'takes sub runs']
      ])
    })
    it('the engine is restarted meanwhile: it drains as before, and another process does not', async () => {
      const { workers, one } = await served()
      held.add('r1')
      await workers.drain(A, { timeoutMs: 7_000 })
      await opened.pop()?.close()
      const next = await room('engine', {}, changed)
      expect(shown(next)).to.deep.equal(['wa draining healthy'])
      expect(await answerTo(one)).to.deep.equal({ ...heard(2), drain: { timeoutMs: 7_000 } })
      const successor = worker(A, { session: 's2' })
      successor.hello()
      await answered(successor)
      expect([shown(next), told.at(-1)]).to.deep.equal([['wa serving healthy'], 'takes'])
      await opened.pop()?.close()
      expect(shown(await room())).to.deep.equal(['wa serving healthy'])
    })
    it('its time is over: its runs are asked to stop, once', async () => {
      const { workers, one } = await served()
      held.add('r1')
      await workers.drain(A, { timeoutMs: 1_000 })
      for (let n = 0; n < 3; n++) await answerTo(one, { late: true })
      expect(stopped).to.deep.equal([A])
    })
  })

  it('a flood of garbage under ever new homes fills neither the list nor the store', async () => {
    const workers = await room()
    const one = worker(A)
    one.hello()
    await answered(one)
    for (let n = 0; n < 300; n++) worker(n.toString(16).padStart(16, '0'), { session: `${n}` }).says('?')
    pass(1)
    expect(shown(workers)).to.have.length(101)
    one.beat()
    expect(await answered(one)).to.deep.equal(['heard'])
  })

  it('lost, doubled and late messages: who is there is listed once, and who is gone is not', async () => {
    const workers = await room()
    net.weather({ lost: 0.2, doubled: 0.2, lateMs: 1_500 })
    const one = worker(A)
    for (let second = 0; second < 60; second++) {
      if (second % 10 === 0) one.hello()
      one.beat()
      pass(BEAT_MS)
    }
    expect(workers.list().map(({ id, status }) => [id, status])).to.deep.equal([['wa', 'serving']])
    pass(33_000)
    expect(shown(workers)).to.deep.equal([])
  })

  it('one whose disk is full says so: it is placed nothing, is not refused, and takes runs again', async () => {
    const takers: string[] = []
    const workers = await room('engine', {}, (_, taker) => takers.push(String(taker?.isTaking)))
    const one = worker(A)
    one.hello()
    await answered(one)
    for (const more of [{ trouble: 'its disk is full' }, { trouble: 'its disk is full' }, {}]) {
      pass(BEAT_MS)
      one.beat(more)
      expect(await answered(one)).to.deep.equal(['heard'])
      expect(workers.list()[0]).to.include({ status: 'serving', health: 'healthy', trouble: more.trouble ?? '' })
    }
    expect(takers).to.deep.equal(['true', 'false', 'true'])
  })

  it('two engines that call one cluster theirs hear of each other', async () => {
    const [one, other] = [await room(), await room('other', { id: 'feed' })]
    pass(2_000)
    expect(one.rival()).to.match(/^two engines use the cluster t of one bus, this one and that with the id feed/)
    expect(other.rival()).to.match(/^two engines use the cluster t/)
    await opened.pop()?.close()
    pass(6_000)
    expect(one.rival()).to.equal(undefined)
  })
})
