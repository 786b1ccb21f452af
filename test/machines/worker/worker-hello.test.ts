/** What the chart of a worker answers to a hello. Source: distribution 1 (D15, D17), 4. */
import { expect } from 'chai'
import { isEarlier, refusalOf } from '../../../machines/policy/welcome.ts'
import { drive, served } from '../../support/charts/driven-worker.ts'
import { self } from '../../support/charts/workers.ts'

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
  it('D12 who floods is refused by name: a stranger is incompatible, and one that serves goes on, marked until it has been quiet for 10 s', () => {
    const worker = served()
    worker.floods()
    expect([worker.state(), worker.answers.at(-1), worker.context().flood?.reason]).to.deep.equal([
      { serving: 'healthy' },
      'not read: it says too much',
      'it says too much'
    ])
    worker.silence(4_000)
    worker.floods()
    worker.beat()
    worker.silence(4_000)
    worker.hello()
    worker.silence(4_000)
    worker.beat()
    expect(worker.context().flood, '8 s after the last flood').to.not.equal(undefined)
    worker.silence(2_000)
    expect(worker.context().flood, 'a heartbeat says that it is there, and quiet').to.not.equal(undefined)
    worker.beat()
    expect([worker.context().flood, worker.state()]).to.deep.equal([undefined, { serving: 'healthy' }])
    worker.silence(30_000)
    worker.floods()
    expect([worker.state(), worker.answers.at(-1)]).to.deep.equal([{ lost: 'unsure' }, 'not read: it says too much'])
    const stranger = drive()
    stranger.floods()
    expect([stranger.state(), stranger.context().refusal]).to.deep.equal(['incompatible', 'it says too much'])
    stranger.hello()
    expect(stranger.state()).to.deep.equal({ serving: 'healthy' })
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
