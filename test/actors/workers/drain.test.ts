/** Workers that drain, as their room answers them. Source: distribution 1 (D16), 4. */
import { expect } from 'chai'
import type { WorkersParts } from '../../../src/actors/workers/workers.ts'
import { A, roomScene } from '../../support/worker/room-scene.ts'

describe('actors › workers › D16 drains', () => {
  const scene = roomScene()
  const { held, stopped, opened, room, pass, worker, answered, shown } = scene

  const answerTo = async (one: ReturnType<typeof worker>, said: { draining?: true; late?: true } = {}) => {
    one.beat(said)
    pass(1)
    pass(1)
    await new Promise(setImmediate)
    const { v: _, n: __, ...answer } = JSON.parse(JSON.stringify(one.answers.splice(0).at(-1)))
    return answer
  }
  const heard = (epoch = 1) => ({ kind: 'heard', epoch })
  const told: string[] = []
  const changed: NonNullable<WorkersParts['changed']> = (_, taker) =>
    void told.push(taker?.isTaking ? 'takes' : taker?.takesSubRuns ? 'takes sub runs' : 'takes nothing')
  beforeEach(() => {
    for (const list of [told, stopped]) list.length = 0
    held.clear()
  })
  async function served() {
    const workers = await room('engine', {}, { changed })
    const one = worker(A)
    one.hello()
    await answered(one)
    return { workers, one }
  }

  it('it is placed nothing at once, hears of it with each heartbeat, and may leave when it holds no run', async () => {
    const { workers, one } = await served()
    held.add('r1')
    await workers.drain(A, { timeoutMs: 60_000 })
    expect([shown(workers), told]).to.deep.equal([['wa draining healthy'], ['takes', 'takes sub runs']])
    const asked = { ...heard(), drain: { timeoutMs: 60_000 } }
    for (let n = 0; n < 2; n++) expect(await answerTo(one)).to.deep.equal(asked)
    held.clear()
    expect(await answerTo(one)).to.deep.equal({ ...asked, free: true })
    await workers.drain(A)
    expect([await answerTo(one), shown(workers), told.at(-1)]).to.deep.equal([heard(), ['wa serving healthy'], 'takes'])
  })
  it('one that was sent a signal is placed nothing from that heartbeat on, and may leave with the answer to it', async () => {
    const { workers, one } = await served()
    expect(await answerTo(one, { draining: true })).to.deep.equal({ ...heard(), free: true })
    expect([shown(workers), workers.list()[0]?.isLeaving, told]).to.deep.equal([
      ['wa draining healthy'],
      true,
      ['takes', 'takes sub runs']
    ])
  })
  it('the engine is restarted meanwhile: it drains as before, and another process does not', async () => {
    const { workers, one } = await served()
    held.add('r1')
    await workers.drain(A, { timeoutMs: 7_000 })
    await opened.pop()?.close()
    const next = await room('engine', {}, { changed })
    expect(shown(next)).to.deep.equal(['wa draining healthy'])
    expect(await answerTo(one)).to.deep.equal({ ...heard(2), drain: { timeoutMs: 7_000 } })
    const successor = worker(A, { session: 's2' })
    successor.hello()
    await answered(successor)
    expect([shown(next), told.at(-1)]).to.deep.equal([['wa serving healthy'], 'takes'])
    await opened.pop()?.close()
    expect(shown(await room())).to.deep.equal(['wa serving healthy'])
  })
  it('its time is over: its runs are asked to stop, once', async () => {
    const { workers, one } = await served()
    held.add('r1')
    await workers.drain(A, { timeoutMs: 1_000 })
    for (let n = 0; n < 3; n++) await answerTo(one, { late: true })
    expect(stopped).to.deep.equal([A])
  })
})
