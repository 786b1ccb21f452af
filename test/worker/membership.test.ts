/** How a worker takes part, over a simulated bus and a virtual clock. Source: distribution 3, 4, 7, D17, D18. */
import { expect } from 'chai'
import type { Bus } from '../../src/bus/bus.ts'
import { type Answer, BEAT_MS, beatIn, helloIn, subjectsOf, written } from '../../src/bus/messages.ts'
import type { WorkerTasks } from '../../src/worker/open-tasks.ts'
import { openWorker, type Worker } from '../../src/worker/worker.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedNet } from '../support/simulated/bus.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'

const HOME = '0123456789abcdef'
const subjects = subjectsOf('t')
const welcome = (epoch = 1, engine = 'e1'): Answer => ({
  kind: 'welcome',
  epoch,
  engine,
  beatMs: 1_000,
  lostMs: 30_000
})
const heard = (n: number, epoch = 1): Answer => ({ kind: 'heard', n, epoch })

describe('worker › membership', () => {
  let clock: ReturnType<typeof simulatedClock>
  let net: ReturnType<typeof simulatedNet>
  const opened: Worker[] = []
  /** Tasks on record. */
  let held: ReturnType<WorkerTasks['held']>
  /** How often it asked which runs are over. */
  let asks: number
  beforeEach(() => {
    clock = simulatedClock()
    net = simulatedNet(clock)
    held = []
    asks = 0
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((worker) => worker.close()))
  })

  /** Lets time pass in steps, and what was awaited go on after each. */
  async function pass(ms: number): Promise<void> {
    const until = clock.now() + ms
    while (clock.now() < until) {
      clock.goTo(Math.min(until, clock.now() + 100))
      await new Promise(setImmediate)
    }
  }
  const contacts: string[] = []
  function worker() {
    contacts.length = 0
    const said: string[] = []
    const one = openWorker({
      ...{ bus: net.open('worker'), clock, cluster: 't', id: 'wa', labels: { zone: 'a' }, slots: 4, version: '1.0.0' },
      where: () => 'box:1',
      home: { folder: temporaryFolder(), id: HOME, session: '7-ab' },
      tasks: {
        executors: ['shell'],
        progress: () => [],
        held: () => held,
        askForOverRuns: () => void asks++,
        contact: {
          ...{ isFresh: () => true, isRecent: () => true, isPast: () => false, lapses: () => 0 },
          sent: (n) => void contacts.push(`sent ${n}`),
          answered: (n, fenceMs) => void contacts.push(`answered ${n} ${fenceMs}`)
        },
        listenAnew: () => void contacts.push('listens anew'),
        close: async () => {}
      },
      log: { info: (text) => said.push(text), warn: (text) => said.push(text) }
    })
    opened.push(one)
    let left = ''
    void one.replaced.then((reason) => {
      left = reason
    })
    return { one, said, left: () => left }
  }
  /** An engine that does as the test says. `asked`: what it was asked, newest last. */
  function engine(answer: (kind: string, n: number) => Answer | undefined, name = 'engine') {
    const bus: Bus = net.open(name)
    const asked: string[] = []
    const beats: number[] = []
    /** What each heartbeat says about draining. */
    const flags: string[] = []
    bus.hear(subjects.everyUp, ({ subject, text, answer: reply }) => {
      const { kind = '' } = subjects.read(subject) ?? {}
      asked.push(kind)
      const n = kind === 'beat' ? beatIn(text).n : 0
      if (kind === 'beat') {
        beats.push(n)
        flags.push(`${beatIn(text).draining ? 'draining' : ''}${beatIn(text).late ? ' late' : ''}`)
      }
      if (kind === 'hello') expect(helloIn(text)).to.include({ id: 'wa', home: HOME, session: '7-ab', slots: 4 })
      const given = answer(kind, n)
      if (given) reply(written(given))
    })
    return {
      asked,
      beats,
      flags,
      close: () => bus.close(),
      beacon: (epoch: number, id = 'e1') =>
        bus.tell(subjects.engine, written({ kind: 'engine', engine: id, epoch, version: '1' }))
    }
  }
  const kind = (epoch = 1) => engine((asked, n) => (asked === 'hello' ? welcome(epoch) : heard(n, epoch)))

  it('says hello, then a heartbeat each second; it says once what it serves', async () => {
    const { asked, beats } = kind()
    const { one, said } = worker()
    await pass(10_000)
    expect(asked.slice(0, 3)).to.deep.equal(['hello', 'beat', 'beat'])
    expect(beats).to.deep.equal(beats.map((_, index) => index + 1))
    expect(beats.length).to.be.within(9, 10)
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 1 })
    expect(said).to.deep.equal(['serving the engine e1'])
  })
  it('started before the engine it waits, and says hello as soon as that makes itself heard', async () => {
    const { one, said } = worker()
    await pass(60_000)
    expect(said).to.deep.equal(['no engine of the cluster t answers: the worker waits for one'])
    const { beacon } = kind()
    beacon(1)
    await pass(200)
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 1 })
    expect(said.at(-1)).to.equal('serving the engine e1')
  })
  it('a new start of its engine is greeted at once; an earlier one and another engine are not', async () => {
    let epoch = 3
    const { asked, beacon } = engine((said, n) => (said === 'hello' ? welcome(epoch) : heard(n, epoch)))
    const { one } = worker()
    await pass(2_500)
    asked.length = 0
    beacon(2)
    beacon(3)
    beacon(9, 'another')
    await pass(200)
    expect(asked).to.deep.equal([])
    epoch = 4
    beacon(4)
    await pass(200)
    expect(asked).to.deep.equal(['hello'])
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 4 })
    epoch = 5 // its beacon is lost, the answer to a heartbeat says so, too
    await pass(1_500)
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 5 })
  })
  it('a late welcome of an earlier start of the engine does not count', async () => {
    let epoch = 4
    const { beacon } = engine((said, n) => (said === 'hello' ? welcome(epoch) : heard(n, 4)))
    const { one } = worker()
    await pass(500)
    epoch = 2
    beacon(5)
    await pass(500)
    expect(one.engine()).to.equal(undefined)
    epoch = 5
    await pass(5_000)
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 5 })
  })
  it('one that the engine does not know says hello at once', async () => {
    let known = true
    const { asked } = engine((said, n) => (said === 'hello' ? welcome() : known ? heard(n) : { kind: 'greet' }))
    worker()
    await pass(2_500)
    asked.length = 0
    known = false
    await pass(1_000)
    expect(asked.slice(0, 2)).to.deep.equal(['beat', 'hello'])
  })
  it('refused, it says the reason once and asks again, ever more seldom, for as long as it is refused', async () => {
    let isTaken = true
    const { asked, beacon } = engine((said, n) => {
      if (said === 'beat') return heard(n)
      return isTaken ? { kind: 'refused', why: 'refused', text: 'the id wa is in use' } : welcome()
    })
    const { one, said, left } = worker()
    for (let second = 0; second < 120; second++) {
      beacon(1)
      await pass(BEAT_MS)
    }
    expect(said).to.deep.equal(['refused by the engine, and asking again: the id wa is in use'])
    expect(asked.length).to.be.within(8, 16)
    isTaken = false
    await pass(16_000)
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 1 })
    expect(left()).to.equal('')
  })
  it('refused by one start of an engine it asks the next one at once', async () => {
    let isTaken = true
    const { beacon } = engine(() => (isTaken ? { kind: 'refused', why: 'refused', text: 'update' } : welcome(2)))
    const { one } = worker()
    beacon(1)
    await pass(60_000)
    isTaken = false
    beacon(2)
    await pass(200)
    expect(one.engine()).to.deep.equal({ id: 'e1', epoch: 2 })
  })
  it('replaced by another process of its home, it is to leave', async () => {
    engine((said) => (said === 'hello' ? welcome() : { kind: 'refused', why: 'replaced', text: 'another process' }))
    const { left } = worker()
    await pass(2_500)
    expect(left()).to.equal('another process')
  })
  it('cut off from the bus it says so once, with what is wrong, and takes part when it is back, without a hello', async () => {
    const { asked } = kind()
    const { said } = worker()
    await pass(2_500)
    net.cut('worker', true)
    await pass(60_000)
    asked.length = 0
    net.cut('worker', false)
    await pass(300)
    expect(asked).to.deep.equal(['beat'])
    await pass(2_000)
    expect(said).to.deep.equal([
      'serving the engine e1',
      'not connected to the message bus at box:1: it is cut off',
      'connected to the message bus at box:1',
      'serving the engine e1'
    ])
  })
  it('an engine that goes is waited for: the heartbeats go on, and it is said once', async () => {
    const first = kind()
    const { said } = worker()
    await pass(2_500)
    await first.close()
    await pass(30_000)
    const next = kind(2)
    await pass(3_000)
    expect(next.asked.slice(0, 2)).to.deep.equal(['beat', 'hello'])
    expect(said).to.deep.equal([
      'serving the engine e1',
      'the engine answers no heartbeat: it may be down',
      'serving the engine e1'
    ])
  })
  it('over a bus that loses, doubles and delays it serves nearly all the time, and garbage harms nobody', async () => {
    const { beats } = kind()
    const stranger = net.open('stranger')
    const { one } = worker()
    net.weather({ lost: 0.2, doubled: 0.2, lateMs: 1_000 })
    let serving = 0
    for (let second = 0; second < 60; second++) {
      stranger.tell(subjects.engine, second % 2 ? '{"kind":"engine"}' : 'x')
      await pass(BEAT_MS)
      if (one.engine()) serving++
    }
    expect(serving).to.be.greaterThan(50)
    expect(new Set(beats).size).to.be.greaterThan(35)
  })
  it('closed, it says nothing more', async () => {
    const { asked } = kind()
    const { one } = worker()
    await pass(2_500)
    await one.close()
    asked.length = 0
    await pass(10_000)
    expect(asked).to.deep.equal([])
  })

  describe('D16 drains', () => {
    const task = { task: 't', lease: 1, state: 'began' as const, run: 'r', name: 'n' }
    const ended = (one: Worker) => {
      let isOver = false
      void one.drained.then(() => {
        isOver = true
      })
      return () => isOver
    }
    it('by a signal: it says so at once, and leaves when its engine has nothing for it and nothing is at work', async () => {
      let free = false
      const { flags } = engine((asked, n) =>
        asked === 'hello' ? welcome() : { ...heard(n), ...(free ? { free: true as const } : {}) }
      )
      const { one } = worker()
      const isOver = ended(one)
      held = [task]
      await pass(3_000)
      one.drain()
      await pass(100)
      expect([flags.at(-1), asks]).to.deep.equal(['draining', 0])
      free = true
      await pass(3_000)
      expect([isOver(), asks > 0], 'a task is on record, and should not be').to.deep.equal([false, true])
      free = false
      held = []
      await pass(3_000)
      expect(isOver(), 'a run may be on its way').to.equal(false)
      free = true
      await pass(1_200)
      expect(isOver()).to.equal(true)
    })
    it('by its engine, which may take it back; a restarted engine says it again', async () => {
      let drain: { timeoutMs?: number } | undefined = {}
      engine((asked, n) => (asked === 'hello' ? welcome() : { ...heard(n), ...(drain ? { drain } : {}), free: true }))
      const { one, said } = worker()
      const isOver = ended(one)
      held = [task]
      await pass(3_000)
      drain = undefined
      held = []
      await pass(3_000)
      expect(isOver()).to.equal(false)
      expect(said.filter((text) => /drain/.test(text))).to.deep.equal([
        'draining: the engine gives no more runs to this worker',
        'no longer draining: this worker takes runs again'
      ])
      drain = {}
      await pass(3_000)
      expect(isOver()).to.equal(true)
    })
    it('when its time is over it asks for its runs to be stopped; without an engine it leaves them', async () => {
      const drain = { timeoutMs: 5_000 }
      const { flags, close } = engine((asked, n) => (asked === 'hello' ? welcome() : { ...heard(n), drain }))
      const { one, said } = worker()
      const isOver = ended(one)
      held = [task]
      await pass(5_500)
      expect(flags.join()).not.to.contain('late')
      await pass(3_000)
      expect(flags.at(-1)).to.equal(' late')
      await pass(60_000)
      expect(isOver(), 'it waits for their ends').to.equal(false)
      await close()
      await pass(30_000)
      expect([isOver(), said.some((text) => /steps at work go on/.test(text))]).to.deep.equal([true, true])
    })
    it('without an engine and without a task it leaves at once', async () => {
      const { one } = worker()
      const isOver = ended(one)
      await pass(2_500)
      expect(isOver()).to.equal(false)
      one.drain()
      await pass(100)
      expect(isOver()).to.equal(true)
    })
  })
})
