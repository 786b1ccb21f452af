/** How a worker leaves without leaving anything undone. Source: distribution 1 (D16), 8. */
import { expect } from 'chai'
import type { Worker } from '../../src/worker/worker.ts'
import { heard, membershipScene, welcome } from '../support/worker/membership-scene.ts'

describe('worker › membership › D16 drains', () => {
  const scene = membershipScene()
  const { pass, worker, engine } = scene

  const task = { task: 't', lease: 1, state: 'began' as const, run: 'r', name: 'n' }
  const ended = (one: Worker) => {
    let isOver = false
    void one.drained.then(() => {
      isOver = true
    })
    return () => isOver
  }
  it('by a signal: it says so at once, and leaves when its engine has nothing for it and nothing is at work', async () => {
    let free = false
    const { flags } = engine((asked, n) =>
      asked === 'hello' ? welcome() : { ...heard(n), ...(free ? { free: true as const } : {}) }
    )
    const { one } = worker()
    const isOver = ended(one)
    scene.held = [task]
    await pass(3_000)
    one.drain()
    await pass(100)
    expect([flags.at(-1), scene.asks]).to.deep.equal(['draining', 0])
    free = true
    await pass(3_000)
    expect([isOver(), scene.asks > 0], 'a task is on record, and should not be').to.deep.equal([false, true])
    free = false
    scene.held = []
    await pass(3_000)
    expect(isOver(), 'a run may be on its way').to.equal(false)
    free = true
    await pass(1_200)
    expect(isOver()).to.equal(true)
  })
  it('by its engine, which may take it back; a restarted engine says it again', async () => {
    let drain: { timeoutMs?: number } | undefined = {}
    engine((asked, n) => (asked === 'hello' ? welcome() : { ...heard(n), ...(drain ? { drain } : {}), free: true }))
    const { one, said } = worker()
    const isOver = ended(one)
    scene.held = [task]
    await pass(3_000)
    drain = undefined
    scene.held = []
    await pass(3_000)
    expect(isOver()).to.equal(false)
    expect(said.filter((text) => /drain/.test(text))).to.deep.equal([
      'draining: the engine gives no more runs to this worker',
      'no longer draining: this worker takes runs again'
    ])
    drain = {}
    await pass(3_000)
    expect(isOver()).to.equal(true)
  })
  it('when its time is over it asks for its runs to be stopped; without an engine it leaves them', async () => {
    const drain = { timeoutMs: 5_000 }
    const { flags, close } = engine((asked, n) => (asked === 'hello' ? welcome() : { ...heard(n), drain }))
    const { one, said } = worker()
    const isOver = ended(one)
    scene.held = [task]
    await pass(5_500)
    expect(flags.join()).not.to.contain('late')
    await pass(3_000)
    expect(flags.at(-1)).to.equal(' late')
    await pass(60_000)
    expect(isOver(), 'it waits for their ends').to.equal(false)
    await close()
    await pass(30_000)
    expect([isOver(), said.some((text) => /steps at work go on/.test(text))]).to.deep.equal([true, true])
  })
  it('when its time is over and its disk is full it leaves, although its engine waits for the ends of steps', async () => {
    engine((asked, n) => (asked === 'hello' ? welcome() : heard(n)))
    const { one, said } = worker()
    const isOver = ended(one)
    scene.held = [task]
    scene.unwritten = 1
    await pass(3_000)
    one.drain(5_000)
    await pass(10_000)
    expect(isOver(), 'what refuses may pass').to.equal(false)
    await pass(10_000)
    expect([isOver(), said.some((text) => /the disk refuses what came of 1 tasks/.test(text))]).to.deep.equal([
      true,
      true
    ])
  })
  it('without an engine and without a task it leaves at once', async () => {
    const { one } = worker()
    const isOver = ended(one)
    await pass(2_500)
    expect(isOver()).to.equal(false)
    one.drain()
    await pass(100)
    expect(isOver()).to.equal(true)
  })
})
