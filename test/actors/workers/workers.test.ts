/** Who is there, and what becomes of one that is silent, over a simulated bus and a virtual clock. Source: distribution 1 (D4, D15), 4, 7; api-semantics 7.1. */
import { expect } from 'chai'
import { BEAT_MS } from '../../../src/bus/messages.ts'
import { beginEpoch } from '../../../src/store/tables/workers.ts'
import { A, B, roomScene } from '../../support/worker/room-scene.ts'

describe('actors › workers', () => {
  const scene = roomScene()
  const { news, opened, room, pass, worker, answered, shown } = scene

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
    scene.needed = [A, B]
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
  it('the id of a worker that is lost is free: its machine came back with an empty disk', async () => {
    await room()
    const [one, same] = [worker(A), worker(B)]
    one.hello()
    await answered(one)
    pass(31_000)
    same.hello()
    expect(await answered(same)).to.deep.equal(['welcome'])
  })
  it('the absence of the engine from the bus makes nobody silent', async () => {
    const workers = await room()
    const one = worker(A)
    one.hello()
    await answered(one)
    scene.net.cut('engine', true)
    pass(3_600_000)
    expect(shown(workers)).to.deep.equal(['wa serving healthy'])
    scene.net.cut('engine', false)
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
    expect(scene.store.workers.getKeysCount()).to.equal(0) // both are forgotten
    expect((await beginEpoch(scene.store, scene.clock)).epoch).to.equal(3)
  })
  it('lost, doubled and late messages: who is there is listed once, and who is gone is not', async () => {
    const workers = await room()
    scene.net.weather({ lost: 0.2, doubled: 0.2, lateMs: 1_500 })
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
