/** Who is refused, and harms nobody by it. Source: distribution 1 (D12, D17), 4, 7. */
import { expect } from 'chai'
import { written } from '../../../src/bus/messages.ts'
import { A, B, roomScene } from '../../support/worker/room-scene.ts'

describe('actors › workers that are refused', () => {
  const scene = roomScene()
  const { room, pass, worker, answered, shown } = scene

  it('garbage, another version and an id that is in use are refused by name and listed; the one that serves is not harmed', async () => {
    const workers = await room()
    const [one, same, other] = [worker(A), worker(B), worker('cccccccccccccccc', { id: 'wc', v: 9, minV: 8 })]
    const stranger = worker('dddddddddddddddd')
    one.hello()
    await answered(one)
    same.hello()
    other.hello()
    stranger.says('{"kind":"hello"')
    one.says('nonsense')
    expect(await answered(same)).to.deep.equal([
      `refused: the id wa is in use by the worker with the home ${A}: stop that one, or choose another id`
    ])
    expect(await answered(other)).to.deep.equal([
      'refused: it speaks protocol 8 to 9, and this engine 1: update the engine'
    ])
    for (const garbled of [stranger, one])
      expect(await answered(garbled)).to.deep.equal(['refused: hello: wanted JSON, found something else'])
    expect(shown(workers)).to.deep.equal([
      'dddddddddddddddd incompatible unhealthy hello: wanted JSON, found something else',
      'wa serving healthy',
      `wa incompatible unhealthy the id wa is in use by the worker with the home ${A}: stop that one, or choose another id`,
      'wc incompatible unhealthy it speaks protocol 8 to 9, and this engine 1: update the engine'
    ])
  })
  it('nobody speaks for another: a hello that names another home than its subject is refused', async () => {
    const workers = await room()
    const liar = worker(B)
    liar.says(written({ kind: 'hello', ...JSON.parse(written({ kind: 'greet' })), id: 'x', minV: 1, home: A } as never))
    expect((await answered(liar))[0]).to.match(/^refused: hello/)
    expect(workers.list().map(({ home, status }) => [home, status])).to.deep.equal([[B, 'incompatible']])
  })
  it('of two processes on one home the last to say hello serves, and the other is told to leave', async () => {
    const workers = await room()
    const [before, now] = [worker(A), worker(A, { session: 's2' })]
    before.hello()
    await answered(before)
    now.hello()
    await answered(now)
    before.beat()
    expect(await answered(before)).to.deep.equal(['refused: another process of the same home has said hello since'])
    now.beat()
    expect(await answered(now)).to.deep.equal(['heard'])
    expect(shown(workers)).to.have.length(1)
  })
  it('a heartbeat of one that the engine does not know asks for a hello', async () => {
    await room()
    const one = worker(A)
    one.beat()
    expect(await answered(one)).to.deep.equal(['greet'])
  })
  it('a flood of garbage under ever new homes fills neither the list nor the store', async () => {
    const workers = await room()
    const one = worker(A)
    one.hello()
    await answered(one)
    for (let n = 0; n < 300; n++) worker(n.toString(16).padStart(16, '0'), { session: `${n}` }).says('?')
    pass(1)
    expect(shown(workers)).to.have.length(101)
    one.beat()
    expect(await answered(one)).to.deep.equal(['heard'])
  })
})
