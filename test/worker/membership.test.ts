/** How a worker takes part, over a simulated bus and a virtual clock. Source: distribution 3, 4, 7, D17, D18. */
import { expect } from 'chai'
import { BEAT_MS } from '../../src/bus/messages.ts'
import { heard, membershipScene, subjects, welcome } from '../support/worker/membership-scene.ts'

describe('worker › membership', () => {
  const scene = membershipScene()
  const { pass, worker, engine, kind } = scene

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
    scene.net.cut('worker', true)
    await pass(60_000)
    asked.length = 0
    scene.net.cut('worker', false)
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
    const stranger = scene.net.open('stranger')
    const { one } = worker()
    scene.net.weather({ lost: 0.2, doubled: 0.2, lateMs: 1_000 })
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
})
