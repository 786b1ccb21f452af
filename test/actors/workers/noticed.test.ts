/** Events about workers for the targets of `notify`. Source: docs/notifications.md "Events". */
import { expect } from 'chai'
import { BEAT_MS } from '../../../src/bus/messages.ts'
import { A, roomScene } from '../../support/worker/room-scene.ts'

describe('actors › workers › events', () => {
  const scene = roomScene()
  const { noticed, room, pass, worker, answered } = scene

  it('a worker that is lost is told once, and one that was lost when it is back; a hello by itself is no event', async () => {
    await room()
    const one = worker(A, { fences: true })
    one.hello()
    await answered(one)
    one.hello()
    await answered(one)
    pass(BEAT_MS)
    one.beat()
    pass(1)
    expect(noticed).to.deep.equal([])
    pass(31_000)
    expect(noticed).to.deep.equal(['worker.lost wa'])
    pass(30_000)
    one.beat()
    pass(10)
    expect(noticed).to.deep.equal(['worker.lost wa', 'worker.back wa'])
  })
})
