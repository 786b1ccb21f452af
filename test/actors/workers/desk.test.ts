/** The tasks that an engine has asked of workers, over a bus that loses, doubles and delays. Source: distribution 3, D3, D12, D13. */
import { expect } from 'chai'
import { type Desk, openDesk, type Waiting, type Wish } from '../../../src/actors/workers/tasks/desk.ts'
import type { Bus } from '../../../src/bus/bus.ts'
import { subjectsOf } from '../../../src/bus/messages.ts'
import {
  INLINE_BYTES,
  type Order,
  orderIn,
  PART_BYTES,
  type Reply,
  type TaskEvent,
  wordIn,
  writtenTask
} from '../../../src/bus/tasks.ts'
import { type SimulatedNet, simulatedNet } from '../../support/simulated/bus.ts'
import { type SimulatedClock, simulatedClock } from '../../support/simulated/simulated-clock.ts'

const HOME = 'a'.repeat(16)
const OTHER = 'b'.repeat(16)
const TASK = '1'.repeat(32)
const subjects = subjectsOf('t')

describe('actors › the tasks of workers', () => {
  let clock: SimulatedClock
  let net: SimulatedNet
  let bus: Bus
  let desk: Desk
  let isComplete: boolean
  let said: string[]
  let deaf: string[]
  let open: Set<string>
  let late: { home: string; task: string }[]
  let noted: () => Promise<void>
  beforeEach(() => {
    clock = simulatedClock()
    net = simulatedNet(clock)
    bus = net.open('engine')
    isComplete = true
    said = []
    deaf = []
    open = new Set()
    late = []
    noted = async () => {}
    const engine = { id: 'e1', epoch: 3 }
    desk = openDesk({
      beatOf: () => ({ session: 's', n: 4 }),
      deaf: (home) => deaf.push(home),
      bus,
      clock,
      subjects,
      engine,
      isComplete: () => isComplete,
      openRuns: () => open,
      late(home, { task }) {
        late.push({ home, task })
        return noted()
      }
    })
    bus.hear(subjects.everyUp, ({ subject, text, answer }) => {
      const from = subjects.read(subject)
      if (from) desk.hear({ ...from, text, answer })
    })
  })
  afterEach(() => desk.close())

  const wish = (given: Partial<Wish> = {}): Wish => ({
    placement: { home: HOME, id: 'wa', lease: 7 },
    ...{ what: 'step', task: TASK, run: '2'.repeat(32), name: 'run/a/r/node/a', job: { place: 0 } },
    ...given
  })
  const waiting = (): Waiting => ({
    claimed: () => said.push('claimed'),
    heard: ({ what }) => said.push(what),
    grown: ({ out }) => said.push(`grown to ${out}`),
    refused: ({ why }) => said.push(`refused: ${why}`)
  })
  /** A worker that notes its orders, and answers what it is told to. */
  function worker(
    home = HOME,
    reply: (order: Order) => Reply | undefined = () => ({ kind: 'claimed', state: 'claimed' })
  ) {
    const end = net.open(home)
    const orders: Order[] = []
    end.hear(subjects.down(home), ({ text, answer }) => {
      const order = orderIn(text)
      orders.push(order)
      const given = reply(order)
      if (given) answer(writtenTask(given))
    })
    return {
      orders,
      kinds: () => orders.map(({ kind }) => kind),
      /** @returns what the engine answers */
      async says(event: Partial<TaskEvent>) {
        const whole = { task: TASK, lease: 7, engine: 'e1', session: 's', what: 'began' as const, agoMs: 0 }
        const sizes = { out: 0, err: 0, outFrom: 0, errFrom: 0 }
        const asked = end.ask(
          subjects.up(home, 'event'),
          writtenTask({ kind: 'event', ...whole, ...sizes, ...event }),
          1_000
        )
        const answer = asked.then(
          (text) => wordIn(text).kind,
          () => 'nothing'
        )
        await pass(1_000)
        return answer
      },
      async asks(engine: string, runs: { run: string; lease: number }[]) {
        const asked = end.ask(subjects.up(home, 'runs'), writtenTask({ kind: 'runs', engine, runs }), 1_000)
        const answer = asked.then(wordIn, () => undefined)
        await pass(1_000)
        return answer
      },
      async wants(from: number) {
        const asked = end.ask(
          subjects.up(home, 'job'),
          writtenTask({ kind: 'job', task: TASK, lease: 7, engine: 'e1', from }),
          1_000
        )
        await pass(10)
        return wordIn(await asked)
      }
    }
  }
  const quiet = async () => {
    for (let n = 0; n < 10; n++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await quiet()
      clock.goTo(clock.now() + Math.min(500, left))
    }
    await quiet()
  }

  it('an offer is repeated, the same, until its worker has it on record', async () => {
    let isSilent = true
    const one = worker(HOME, () => (isSilent ? undefined : { kind: 'claimed', state: 'claimed' }))
    desk.begin(wish(), waiting())
    await pass(10_000)
    expect([one.kinds().length > 2, said]).to.deep.equal([true, []])
    isSilent = false
    await pass(20_000)
    const count = one.orders.length
    await pass(60_000)
    expect([one.orders.length, said]).to.deep.equal([count, ['claimed']])
    expect(new Set(one.orders.map((order) => JSON.stringify(order))).size).to.equal(1)
    expect(one.orders[0]).to.include({
      kind: 'offer',
      task: TASK,
      lease: 7,
      epoch: 3,
      what: 'step',
      job: '{"place":0}'
    })
  })
  it('when the bus is back it is offered at once, not after the longest pause', async () => {
    net.cut('engine', true)
    desk.begin(wish(), waiting())
    await pass(120_000)
    const one = worker()
    net.cut('engine', false)
    await pass(500)
    expect(one.kinds()).to.deep.equal(['offer'])
  })
  for (const why of ['full', 'disk'] as const)
    it(`a worker that cannot take it now (${why}) is asked again`, async () => {
      let isRefusing = true
      worker(HOME, () =>
        isRefusing ? { kind: 'refused', why, text: 'not now' } : { kind: 'claimed', state: 'claimed' }
      )
      desk.begin(wish(), waiting())
      await pass(10_000)
      isRefusing = false
      await pass(20_000)
      expect(said).to.deep.equal(['claimed'])
    })
  it('a refusal that no waiting mends is told, with its reason', async () => {
    worker(HOME, () => ({ kind: 'refused', why: 'run', text: 'nothing is known of its run' }))
    desk.begin(wish(), waiting())
    await pass(1_000)
    expect(said).to.deep.equal(['refused: run'])
  })
  it('lost, doubled and late messages: it is claimed once, and its end is said until it is settled', async () => {
    net.weather({ lost: 0.3, doubled: 0.3, lateMs: 3_000 })
    const one = worker()
    const task = desk.begin(wish(), waiting())
    await pass(60_000)
    expect(said).to.deep.equal(['claimed'])
    net.weather({})
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('nothing')
    task.settled()
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('unknown')
    expect(said).to.deep.equal(['claimed', 'ended'])
  })
  it('an event says that it was claimed, when the answer to its offer is lost', async () => {
    const one = worker(HOME, () => undefined)
    desk.begin(wish(), waiting())
    await pass(500)
    expect(await one.says({ what: 'began' })).to.equal('acked')
    expect(said).to.deep.equal(['claimed', 'began'])
  })
  it('D12 another worker says nothing about it, and learns nothing of its job', async () => {
    worker()
    desk.begin(wish(), waiting())
    await pass(500)
    const other = worker(OTHER)
    expect(await other.says({ what: 'ended', result: '{}' })).to.equal('unknown')
    expect((await other.wants(0)).kind).to.equal('unknown')
    desk.progress(OTHER, [{ task: TASK, lease: 7, out: 5, err: 0 }])
    expect(said).to.deep.equal(['claimed'])
    desk.progress(HOME, [{ task: TASK, lease: 7, out: 5, err: 0 }])
    expect(said).to.deep.equal(['claimed', 'grown to 5'])
  })
  it('of another lease nothing is heard', async () => {
    const one = worker()
    desk.begin(wish(), waiting())
    expect(await one.says({ what: 'ended', result: '{}', lease: 6 })).to.equal('unknown')
    expect(said).to.deep.equal(['claimed'])
  })
  it('D6 an end that nobody waits for is passed on; its worker is answered once that is noted, and asks again if it cannot be', async () => {
    const one = worker()
    expect(await one.says({ what: 'began' })).to.equal('unknown')
    expect(late).to.deep.equal([])
    noted = () => Promise.reject(new Error('the disk is full'))
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('nothing')
    noted = async () => {}
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('unknown')
    expect(late).to.deep.equal([
      { home: HOME, task: TASK },
      { home: HOME, task: TASK }
    ])
  })
  it('D8 while runs are being opened again nobody is told that a task is unknown', async () => {
    isComplete = false
    const one = worker()
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('nothing')
    isComplete = true
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('unknown')
  })
  it('a job that does not fit into its offer is handed out in parts', async () => {
    const job = { text: 'x'.repeat(INLINE_BYTES + PART_BYTES) }
    const one = worker()
    desk.begin(wish({ job }), waiting())
    await pass(500)
    expect(one.orders[0]).to.not.have.property('job')
    const parts: Buffer[] = []
    for (let size = 1, from = 0; from < size; ) {
      const part = await one.wants(from)
      if (part.kind !== 'part') throw new Error(part.kind)
      size = part.size
      from += part.data.length
      parts.push(part.data)
    }
    expect(JSON.parse(Buffer.concat(parts).toString())).to.deep.equal(job)
  })
  it('D13 a stop is repeated until it is answered; a kill after it takes its place', async () => {
    let isSilent = true
    const one = worker(HOME, ({ kind }) =>
      kind === 'offer' ? { kind: 'claimed', state: 'began' } : isSilent ? undefined : { kind: 'done' }
    )
    const task = desk.begin(wish(), waiting())
    await pass(500)
    task.stop('SIGINT')
    await pass(6_000)
    task.stop('SIGKILL', 'force')
    await pass(6_000)
    isSilent = false
    await pass(20_000)
    const count = one.orders.length
    await pass(60_000)
    const stops = one.orders.filter(({ kind }) => kind === 'stop') as Extract<Order, { kind: 'stop' }>[]
    expect(one.orders.length).to.equal(count)
    expect(stops[0]).to.include({ signal: 'SIGINT' })
    expect(stops.at(-1)).to.include({ signal: 'SIGKILL', kill: true, force: true })
    const firstKill = stops.findIndex(({ kill }) => kill)
    expect(stops.slice(firstKill).every(({ kill }) => kill)).to.equal(true)
  })
  it('D13 a worker that was away hears which of its runs are over: by placement, and not while runs are being opened again', async () => {
    const [run, other] = ['2'.repeat(32), '3'.repeat(32)]
    open = new Set([`${run}-7`])
    const held = [
      { run, lease: 6 },
      { run, lease: 7 },
      { run: other, lease: 8 }
    ]
    const one = worker()
    expect(await one.asks('e1', held)).to.deep.equal({ kind: 'over', runs: [held[0], held[2]] })
    expect(await one.asks('another', held)).to.equal(undefined)
    isComplete = false
    expect(await one.asks('e1', held)).to.equal(undefined)
  })
  it('two engines that call one cluster theirs: neither speaks for the tasks of the other', async () => {
    const one = worker()
    desk.begin(wish(), waiting())
    await pass(500)
    expect(await one.says({ what: 'ended', result: '{}', engine: 'e2' })).to.equal('nothing')
    expect(await one.says({ what: 'began', task: '9'.repeat(32), engine: 'e2' })).to.equal('nothing')
    expect(said).to.deep.equal(['claimed'])
  })
  it('what cannot be read harms nobody', async () => {
    const end = net.open('somebody')
    for (const text of ['', 'x', '{}', '{"kind":"event"}', '{"kind":"event","task":7}'])
      for (const kind of ['event', 'job'] as const) end.tell(subjects.up(HOME, kind), text)
    worker()
    desk.begin(wish(), waiting())
    await pass(1_000)
    expect(said).to.deep.equal(['claimed'])
  })

  it('D4 an offer says which heartbeat was heard before it, each time; three without an answer in a row, and the worker is taken for deaf', async () => {
    const { orders } = worker(HOME, () => undefined)
    desk.begin(wish(), waiting())
    for (let second = 0; second < 20; second++) {
      clock.goTo(clock.now() + 1_000)
      await new Promise(setImmediate)
    }
    expect(deaf).to.deep.equal([HOME])
    expect(orders.map((order) => order.kind === 'offer' && order.beat?.n)).to.deep.equal(orders.map(() => 4))
  })
  it('D13 what is given up is to be killed as soon as its worker is heard', async () => {
    const { orders } = worker()
    const task = desk.begin(wish(), waiting())
    clock.goTo(clock.now() + 10)
    await new Promise(setImmediate)
    task.giveUp()
    clock.goTo(clock.now() + 10)
    await new Promise(setImmediate)
    expect(orders.at(-1)).to.include({ kind: 'stop', signal: 'SIGKILL', kill: true, force: true, task: TASK })
  })
})
