/** A worker that drains, by its chart. Source: distribution 1 (D16). */
import { expect } from 'chai'
import { drive, served } from '../../support/charts/driven-worker.ts'

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
