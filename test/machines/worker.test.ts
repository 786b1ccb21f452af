/** The chart of a worker. Source: distribution 1 (D15, D17), 4; http-api "Worker"; api-semantics 7.1. */
import { expect } from 'chai'
import { createActor, type SnapshotFrom } from 'xstate'
import { isEarlier, refusalOf } from '../../machines/policy/welcome.ts'
import { type DrainAsked, type WorkerEvent, workerMachine } from '../../machines/worker.ts'
import { invokedActor, onStage, openStage, START } from '../support/charts/stage.ts'
import { beat, hello, self } from '../support/charts/workers.ts'

/** One worker on a stage; `answers` are those that it was given, newest last. */
function drive({ lostAfterMs = 30_000 } = {}) {
  const stage = openStage()
  /** What its runs were told. */
  const news: string[] = []
  const answers: string[] = []
  let stops = 0
  const answer = (name: string) => () => void answers.push(name)
  const machine = createActor(
    workerMachine.provide({
      actors: { alarm: invokedActor('alarm') as never },
      actions: {
        welcome: answer('welcome'),
        refuse: ({ context }) => void answers.push(`refused: ${context.refusal}`),
        refuseGarbled: (_, { reason }) => void answers.push(`not read: ${reason}`),
        acknowledge: (_, { beat: n }) => void answers.push(`heard ${n}`),
        askHello: answer('say hello'),
        refuseReplaced: answer('replaced'),
        sayLost: (_, { silentMs, fencedAt }) =>
          void news.push(`lost for ${silentMs}${fencedAt === undefined ? '' : `, until ${fencedAt}`}`),
        sayFenced: () => void news.push('fenced'),
        sayBack: () => void news.push('back'),
        stopRuns: () => {
          stops++
        }
      }
    }),
    { input: { home: 'a1', at: START, speaks: { min: 1, max: 1 }, lostAfterMs, fenceAfterMs: lostAfterMs + 30_000 } }
  )
  const actor = onStage(stage, machine).start()
  const send = (event: WorkerEvent) => actor.send(event)
  let count = 0
  return {
    answers,
    news,
    state: (): SnapshotFrom<typeof workerMachine>['value'] => actor.getSnapshot().value,
    context: () => actor.getSnapshot().context,
    health: () => [...actor.getSnapshot().tags].join(),
    hello: (given: Parameters<typeof hello>[0] = {}) => send(hello({ at: stage.now, ...given })),
    garbage: (reason = 'hello: wanted a text') => send({ type: 'hello.garbled', at: stage.now, reason }),
    beat: (given: Parameters<typeof beat>[0] = {}) => send(beat({ at: stage.now, beat: ++count, ...given })),
    drain: (drain?: DrainAsked) => send({ type: 'drain.asked', at: stage.now, ...(drain ? { drain } : {}) }),
    deaf: () => send({ type: 'offers.unanswered', at: stage.now }),
    stops: () => stops,
    engine: (what: 'connected' | 'disconnected') => send({ type: `engine.${what}`, at: stage.now }),
    silence: (ms: number) => stage.advance(ms)
  }
}
const served = (options?: Parameters<typeof drive>[0]) => {
  const worker = drive(options)
  worker.hello()
  return worker
}

describe('worker chart › health is the age of the last heartbeat (D15)', () => {
  it('under 5 s healthy, 5 to 15 s warning, over 15 s unhealthy', () => {
    const worker = served()
    const seen = [0, 4_999, 1, 9_999, 1, 14_999].map((ms) => {
      worker.silence(ms)
      return worker.health()
    })
    expect(seen).to.deep.equal(['healthy', 'healthy', 'warning', 'warning', 'unhealthy', 'unhealthy'])
  })
  it('a heartbeat each second keeps it healthy, without an alarm for each', () => {
    const worker = served()
    for (let second = 0; second < 100; second++) {
      worker.silence(1_000)
      worker.beat()
      expect(worker.health()).to.equal('healthy')
    }
    worker.silence(4_999)
    expect(worker.health()).to.equal('healthy')
    worker.silence(1)
    expect(worker.health()).to.equal('warning')
  })
  it('a heartbeat makes it healthy from warning, unhealthy and lost', () => {
    for (const [ms, before] of [
      [5_000, 'warning'],
      [15_000, 'unhealthy'],
      [30_000, '']
    ] as const) {
      const worker = served()
      worker.silence(ms)
      expect(worker.health()).to.equal(before)
      worker.beat()
      expect(worker.health()).to.equal('healthy')
      worker.silence(4_999)
      expect(worker.health()).to.equal('healthy')
    }
  })
  it('is lost after `lostAfter`, and forgotten an hour after its last word', () => {
    const worker = served({ lostAfterMs: 20_000 })
    worker.silence(19_999)
    expect(worker.health()).to.equal('unhealthy')
    worker.silence(1)
    expect(worker.state()).to.deep.equal({ lost: 'unsure' })
    worker.silence(30_000)
    expect(worker.state()).to.deep.equal({ lost: 'fenced' })
    worker.silence(3_600_000 - 50_001)
    expect(worker.state()).to.deep.equal({ lost: 'fenced' })
    worker.silence(1)
    expect(worker.state()).to.equal('forgotten')
  })
  it('D4 its runs are told when it is lost, when its fence has ended what it had, and when it is back', () => {
    const worker = served()
    worker.silence(30_000)
    worker.silence(30_000)
    worker.beat()
    worker.silence(60_000)
    worker.hello({ session: 's2' })
    const lost = (at: number) => `lost for 30000, until ${START + at}`
    expect(worker.news).to.deep.equal(['back', lost(60_000), 'fenced', 'back', lost(120_000), 'fenced', 'back'])
  })
  it('D15 the time of the fence begins anew with the engine; what was certain remains so', () => {
    const worker = served()
    worker.silence(45_000)
    worker.engine('disconnected')
    worker.silence(3_600_000)
    worker.engine('connected')
    worker.silence(59_999)
    expect(worker.state()).to.deep.equal({ lost: 'unsure' })
    worker.silence(1)
    expect(worker.state()).to.deep.equal({ lost: 'fenced' })
    worker.engine('disconnected')
    worker.engine('connected')
    expect(worker.state()).to.deep.equal({ lost: 'fenced' })
  })
  it('one of an earlier release has no fence: nothing is certain but by its own word', () => {
    const worker = drive()
    worker.hello({ fences: false })
    worker.silence(3_599_999)
    expect(worker.state()).to.deep.equal({ lost: 'unsure' })
    expect(worker.news).to.include('lost for 30000')
    worker.silence(1)
    expect(worker.state()).to.equal('forgotten')
  })
  it('one that is heard but hears no offers is asked for a hello, whatever its health', () => {
    const worker = served()
    worker.deaf()
    worker.beat()
    worker.silence(6_000)
    worker.beat()
    expect([worker.health(), worker.answers.slice(-2)]).to.deep.equal(['healthy', ['say hello', 'say hello']])
    worker.hello()
    worker.beat({ beat: 9 })
    expect(worker.answers.at(-1)).to.equal('heard 9')
  })
  it('silence counts only while the engine is connected: its absence makes nobody lost', () => {
    const worker = served()
    worker.silence(3_000)
    worker.engine('disconnected')
    worker.silence(7_200_000)
    expect(worker.health()).to.equal('healthy')
    worker.engine('connected')
    worker.silence(4_999)
    expect(worker.health()).to.equal('healthy')
    worker.silence(1)
    expect(worker.health()).to.equal('warning')
  })
  it('also from warning on, and for one that is lost or refused', () => {
    const waits: [number, string, number][] = [
      [5_000, '{"serving":"warning"}', 15_000],
      [15_000, '{"serving":"unhealthy"}', 30_000],
      [30_000, '{"lost":"unsure"}', 60_000],
      [60_000, '{"lost":"fenced"}', 3_600_000]
    ]
    for (const [ms, state, then] of waits) {
      const worker = served()
      worker.silence(ms)
      worker.engine('disconnected')
      worker.silence(7_200_000)
      worker.engine('connected')
      worker.silence(then - 1)
      expect(JSON.stringify(worker.state())).to.equal(state)
      worker.silence(1)
      expect(JSON.stringify(worker.state())).not.to.equal(state)
    }
    const worker = drive()
    worker.garbage()
    worker.engine('disconnected')
    worker.silence(60_000)
    expect(worker.state()).to.equal('incompatible')
    worker.engine('connected')
    worker.silence(30_000)
    expect(worker.state()).to.equal('forgotten')
  })
  it('heartbeats that overtook one another all count; the latest says what is', () => {
    const worker = served()
    worker.beat({ beat: 2, load: { cpu: 20 } })
    worker.beat({ beat: 1, load: { cpu: 10 } })
    worker.beat({ beat: 2, load: { cpu: 99 } })
    expect([worker.context().load, worker.answers]).to.deep.equal([
      { cpu: 20 },
      ['welcome', 'heard 2', 'heard 1', 'heard 2']
    ])
  })
})

describe('worker chart › hello', () => {
  it('one that is welcome serves, under what it says of itself', () => {
    const worker = served()
    expect([worker.answers, worker.context().self]).to.deep.equal([['welcome'], self()])
  })
  it('another process on the same home takes its place, and the one before is told so', () => {
    const worker = served()
    worker.silence(6_000)
    worker.hello({ session: 's2', self: self({ slots: 9 }) })
    worker.beat({ session: 's1' })
    worker.beat({ session: 's2' })
    expect(worker.health()).to.equal('healthy')
    expect(worker.answers).to.deep.equal(['welcome', 'welcome', 'replaced', 'heard 2'])
    worker.silence(30_000)
    worker.beat({ session: 's1' })
    expect([worker.state(), worker.answers.at(-1)]).to.deep.equal([{ lost: 'unsure' }, 'replaced'])
  })
  it('the heartbeats of one that is replaced do not keep the other alive', () => {
    const worker = served()
    worker.hello({ session: 's2' })
    worker.silence(4_000)
    worker.beat({ session: 's1' })
    worker.silence(1_000)
    expect(worker.health()).to.equal('warning')
  })
  it('a late hello of a process that has a successor is answered as its heartbeats are, and changes nothing', () => {
    for (const silentMs of [0, 31_000]) {
      const worker = drive()
      worker.hello({ session: '10-aa' })
      worker.silence(silentMs)
      const before = worker.state()
      worker.hello({ session: '9-zz' })
      expect([worker.state(), worker.context().session, worker.answers]).to.deep.equal([
        before,
        '10-aa',
        ['welcome', 'replaced']
      ])
      worker.hello({ session: '11-bb' })
      expect([worker.context().session, worker.answers.at(-1)]).to.deep.equal(['11-bb', 'welcome'])
    }
  })
  it('D15 the heartbeat of a process that was started after the known one is no reason to send it away: its hello was heard by an engine that was killed', () => {
    for (const silentMs of [0, 31_000]) {
      const worker = drive()
      worker.hello({ session: '10-aa' })
      worker.silence(silentMs)
      worker.beat({ session: '11-bb' })
      worker.hello({ session: '11-bb' })
      worker.beat({ session: '10-aa' })
      worker.beat({ session: '11-bb' })
      expect(worker.answers).to.deep.equal(['welcome', 'say hello', 'welcome', 'replaced', 'heard 3'])
    }
  })
  it('sessions are in order if they say so; the same one may say hello again', () => {
    expect([isEarlier('9-a', '10-a'), isEarlier('10-a', '9-a'), isEarlier('9-a', '9-b')]).to.deep.equal([
      true,
      false,
      false
    ])
    for (const other of ['', 's1', '-1', '9'])
      expect([isEarlier(other, '10-a'), isEarlier('1-a', other)]).not.to.include(true)
  })
  it('another version is refused by name, and listed (D17)', () => {
    const worker = drive()
    worker.hello({ speaks: { min: 2, max: 3 } })
    const reason = 'it speaks protocol 2 to 3, and this engine 1: update the engine'
    expect([worker.state(), worker.answers, worker.health()]).to.deep.equal([
      'incompatible',
      [`refused: ${reason}`],
      ''
    ])
    worker.beat()
    expect(worker.answers.at(-1)).to.equal('say hello')
  })
  it('versions that overlap are welcome (D17)', () => {
    const own = { min: 2, max: 3 }
    const asked = (min: number, max: number) => refusalOf({ id: 'wa', speaks: { min, max } }, own)
    expect([asked(1, 2), asked(3, 5), asked(1, 9)]).to.deep.equal([undefined, undefined, undefined])
    expect(asked(1, 1)).to.equal('it speaks protocol 1, and this engine 2 to 3: update the worker')
    expect(asked(4, 4)).to.equal('it speaks protocol 4, and this engine 2 to 3: update the engine')
  })
  it('an id that is in use is refused by name; asked again when it is free, it is welcome', () => {
    const worker = drive()
    worker.hello({ idTakenBy: 'b2' })
    expect(worker.context().refusal).to.equal(
      'the id wa is in use by the worker with the home b2: stop that one, or choose another id'
    )
    worker.silence(15_000)
    worker.hello({ idTakenBy: 'b2' })
    worker.silence(15_000)
    expect(worker.state()).to.equal('incompatible')
    worker.hello()
    expect([worker.state(), worker.context().refusal]).to.deep.equal([{ serving: 'healthy' }, ''])
  })
  it('one that no longer asks is forgotten', () => {
    const worker = drive()
    worker.hello({ idTakenBy: 'b2' })
    worker.silence(30_000)
    expect(worker.state()).to.equal('forgotten')
  })
  it('garbage is refused by name; where a worker serves, nothing else follows from it', () => {
    const worker = served()
    worker.garbage()
    expect([worker.state(), worker.answers.at(-1)]).to.deep.equal([
      { serving: 'healthy' },
      'not read: hello: wanted a text'
    ])
    worker.silence(30_000)
    worker.garbage()
    expect([worker.state(), worker.answers.at(-1)]).to.deep.equal([
      { lost: 'unsure' },
      'not read: hello: wanted a text'
    ])
    const stranger = drive()
    stranger.garbage()
    stranger.garbage('hello: wanted a list')
    expect([stranger.state(), stranger.context().refusal]).to.deep.equal(['incompatible', 'hello: wanted a list'])
  })
  it('one that serves or is lost, and comes back with another version, is refused', () => {
    const worker = served()
    worker.hello({ session: 's2', speaks: { min: 9, max: 9 } })
    expect(worker.state()).to.equal('incompatible')
    const lost = served()
    lost.silence(30_000)
    lost.hello({ session: 's2', speaks: { min: 9, max: 9 } })
    expect(lost.state()).to.equal('incompatible')
  })
})

describe('worker chart › drains (D16)', () => {
  it('whatever its health, until it is taken back or another process serves', () => {
    const worker = served()
    worker.drain({ timeoutMs: 60_000 })
    for (const ms of [0, 5_000, 15_000, 15_000]) {
      worker.silence(ms)
      expect(worker.context().drain).to.deep.equal({ timeoutMs: 60_000 })
    }
    expect(worker.state()).to.deep.equal({ lost: 'unsure' })
    worker.hello()
    expect([worker.health(), worker.context().drain]).to.deep.equal(['healthy', { timeoutMs: 60_000 }])
    worker.drain()
    expect(worker.context().drain).to.equal(undefined)
    worker.drain({})
    worker.hello({ session: 's2' })
    expect(worker.context().drain).to.equal(undefined)
  })
  it('because it says so: with its hello and its latest heartbeat', () => {
    const worker = drive()
    worker.hello({ isLeaving: true })
    expect(worker.context().isLeaving).to.equal(true)
    worker.beat({ beat: 2, isLeaving: false })
    worker.beat({ beat: 1, isLeaving: true })
    expect(worker.context().isLeaving).to.equal(false)
    worker.beat({ beat: 3, isLeaving: true })
    expect(worker.context().isLeaving).to.equal(true)
  })
  it('when its time is over its runs are stopped, once', () => {
    const worker = served()
    worker.drain({ timeoutMs: 1_000 })
    worker.beat()
    expect(worker.stops()).to.equal(0)
    for (let n = 0; n < 3; n++) worker.beat({ isLate: true })
    worker.silence(6_000)
    worker.beat({ isLate: true })
    expect([worker.stops(), worker.health()]).to.deep.equal([1, 'healthy'])
    worker.beat({ isLate: false })
    worker.beat({ isLate: true })
    expect(worker.stops(), 'another time').to.equal(2)
  })
})
