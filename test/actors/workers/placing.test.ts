/** What placements hear of workers. Source: distribution 1 (D15), 4. */
import { expect } from 'chai'
import type { WorkersParts } from '../../../src/actors/workers/workers.ts'
import { BEAT_MS } from '../../../src/bus/messages.ts'
import { A, B, roomScene } from '../../support/worker/room-scene.ts'

describe('actors › workers that take runs', () => {
  const scene = roomScene()
  const { opened, room, pass, worker, answered } = scene

  it('two engines of one cluster: neither places anything until one has gone', async () => {
    const taking: (boolean | undefined)[] = []
    await room('engine', {}, { changed: (_, worker) => taking.push(worker?.isTaking) })
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
  it('D15 placements hear of a worker when what they depend on has changed, never of a mere heartbeat', async () => {
    const told: string[] = []
    const changed: WorkersParts['changed'] = (home, taker) => {
      expect([A, B]).to.include(home)
      told.push(
        taker ? `${taker.id} ${taker.isTaking ? 'takes' : 'waits'} ${taker.slots} ${taker.labels.zone}` : 'gone'
      )
    }
    const heard = () => told.splice(0)
    await room('engine', {}, { changed })
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
    scene.net.cut('engine', true)
    scene.net.cut('engine', false)
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
    await room('engine', {}, { changed })
    expect(heard(), 'restored, and not heard yet').to.deep.equal(['wa waits 9 b'])
    other.beat()
    pass(1)
    expect(heard()).to.deep.equal(['wa takes 9 b'])
  })
  it('one whose disk is full says so: it is placed nothing, is not refused, and takes runs again', async () => {
    const takers: string[] = []
    const workers = await room('engine', {}, { changed: (_, taker) => takers.push(String(taker?.isTaking)) })
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
})
