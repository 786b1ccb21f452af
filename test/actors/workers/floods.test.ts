/** Workers that flood the bus, over a simulated one. Source: distribution 1 (D12). */
import { expect } from 'chai'
import { written } from '../../../src/bus/messages.ts'
import { A, B, helloOf, roomScene, subjects } from '../../support/worker/room-scene.ts'

describe('actors › workers › floods', () => {
  const scene = roomScene()

  it('D12 who floods the bus with garbage, heartbeats or new homes is heard a little, listed with the reason and given no run until it is quiet, and harms nobody', async () => {
    const { clock, net } = scene
    const taking = new Map<string, boolean | undefined>()
    const room = await scene.room('engine', {}, { changed: (home, worker) => void taking.set(home, worker?.isTaking) })
    const buses = { [A]: net.open(A), [B]: net.open(B) }
    const say = (home: string, kind: 'hello' | 'beat', text: string, by = buses[home] ?? buses[B]) =>
      by?.tell(subjects.up(home, kind), text)
    const hello = (home: string, id: string) => written({ kind: 'hello', ...helloOf(home, { id, session: '1-a' }) })
    const shown = () => room.list().map(({ id, status, refusal }) => `${id} ${status} ${refusal}`)
    say(A, 'hello', hello(A, 'wa'))
    say(B, 'hello', hello(B, 'wb'))
    clock.goTo(clock.now() + 1)
    for (let count = 0; count < 5_000; count++) say(B, count % 2 ? 'beat' : 'hello', 'garbage')
    for (let count = 0; count < 3_000; count++) {
      const home = (0x1000 + count).toString(16).padStart(16, '0')
      say(home, 'hello', 'garbage', buses[B])
    }
    say(A, 'beat', written({ kind: 'beat', session: '1-a', n: 1, load: { cpu: 3 } }))
    clock.goTo(clock.now() + 1)
    expect(room.list().length).to.be.within(2, 102)
    const reason = 'it says more than 100 things a second: what is more is not heard'
    expect(shown()).to.include.members(['wa serving ', `wb incompatible ${reason}`])
    expect([taking.get(A), taking.get(B)]).to.deep.equal([true, false])
    expect(room.list().find(({ id }) => id === 'wa')?.load).to.deep.equal({ cpu: 3 })
    for (let n = 1; n <= 11; n++) {
      clock.goTo(clock.now() + 1_000)
      say(A, 'beat', written({ kind: 'beat', session: '1-a', n: n + 1, load: {} }))
      say(B, 'beat', written({ kind: 'beat', session: '1-a', n, load: {} }))
    }
    clock.goTo(clock.now() + 1)
    expect(shown(), 'it is quiet').to.include.members(['wa serving ', 'wb serving '])
    expect(taking.get(B)).to.equal(true)
  })
})
