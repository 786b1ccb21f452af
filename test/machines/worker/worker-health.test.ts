/** Health of a worker, by its chart. Source: distribution 1 (D4, D15), 4; http-api "Worker"; api-semantics 7.1. */
import { expect } from 'chai'
import { drive, served } from '../../support/charts/driven-worker.ts'
import { START } from '../../support/charts/stage.ts'

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
