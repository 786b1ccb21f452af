/** What an engine asks of workers, over a bus that loses, doubles and delays. Source: distribution 3, D3, D4, D13. */
import { expect } from 'chai'
import type { Order } from '../../../src/bus/tasks.ts'
import { dispatcherScene, HOME, TASK } from '../../support/worker/dispatcher-scene.ts'

describe('actors › the tasks of workers', () => {
  const scene = dispatcherScene()
  const { request, waiting, worker, pass } = scene

  it('an offer is repeated, the same, until its worker has it on record', async () => {
    let isSilent = true
    const one = worker(HOME, () => (isSilent ? undefined : { kind: 'claimed', state: 'claimed' }))
    scene.dispatcher.begin(request(), waiting())
    await pass(10_000)
    expect([one.kinds().length > 2, scene.said]).to.deep.equal([true, []])
    isSilent = false
    await pass(20_000)
    const count = one.orders.length
    await pass(60_000)
    expect([one.orders.length, scene.said]).to.deep.equal([count, ['claimed']])
    expect(new Set(one.orders.map((order) => JSON.stringify(order))).size).to.equal(1)
    expect(one.orders[0]).to.include({
      kind: 'offer',
      task: TASK,
      lease: 7,
      epoch: 3,
      what: 'step',
      job: '{"place":0}'
    })
  })
  it('when the bus is back it is offered at once, not after the longest pause', async () => {
    scene.net.cut('engine', true)
    scene.dispatcher.begin(request(), waiting())
    await pass(120_000)
    const one = worker()
    scene.net.cut('engine', false)
    await pass(500)
    expect(one.kinds()).to.deep.equal(['offer'])
  })
  for (const why of ['full', 'disk'] as const)
    it(`a worker that cannot take it now (${why}) is asked again, and each reason is told once`, async () => {
      let isRefusing = true
      let text = 'not now'
      worker(HOME, () => (isRefusing ? { kind: 'refused', why, text } : { kind: 'claimed', state: 'claimed' }))
      scene.dispatcher.begin(request(), waiting())
      await pass(10_000)
      text = 'not yet'
      await pass(60_000)
      isRefusing = false
      await pass(20_000)
      expect(scene.said).to.deep.equal([`postponed: ${why}, not now`, `postponed: ${why}, not yet`, 'claimed'])
    })
  it('a refusal that no waiting mends is told, with its reason', async () => {
    worker(HOME, () => ({ kind: 'refused', why: 'run', text: 'nothing is known of its run' }))
    scene.dispatcher.begin(request(), waiting())
    await pass(1_000)
    expect(scene.said).to.deep.equal(['refused: run'])
  })
  it('lost, doubled and late messages: it is claimed once, and its end is said until it is settled', async () => {
    scene.net.weather({ lost: 0.3, doubled: 0.3, lateMs: 3_000 })
    const one = worker()
    const task = scene.dispatcher.begin(request(), waiting())
    await pass(60_000)
    expect(scene.said).to.deep.equal(['claimed'])
    scene.net.weather({})
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('nothing')
    task.settled()
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('unknown')
    expect(scene.said).to.deep.equal(['claimed', 'ended'])
  })
  it('D13 a stop is repeated until it is answered; a kill after it takes its place', async () => {
    let isSilent = true
    const one = worker(HOME, ({ kind }) =>
      kind === 'offer' ? { kind: 'claimed', state: 'began' } : isSilent ? undefined : { kind: 'done' }
    )
    const task = scene.dispatcher.begin(request(), waiting())
    await pass(500)
    task.stop('SIGINT')
    await pass(6_000)
    task.stop('SIGKILL', 'force')
    await pass(6_000)
    isSilent = false
    await pass(20_000)
    const count = one.orders.length
    await pass(60_000)
    const stops = one.orders.filter(({ kind }) => kind === 'stop') as Extract<Order, { kind: 'stop' }>[]
    expect(one.orders.length).to.equal(count)
    expect(stops[0]).to.include({ signal: 'SIGINT' })
    expect(stops.at(-1)).to.include({ signal: 'SIGKILL', kill: true, force: true })
    const firstKill = stops.findIndex(({ kill }) => kill)
    expect(stops.slice(firstKill).every(({ kill }) => kill)).to.equal(true)
  })
  it('D4 an offer says which heartbeat was heard before it, each time; three without an answer in a row, and the worker is taken for deaf', async () => {
    const { orders } = worker(HOME, () => undefined)
    scene.dispatcher.begin(request(), waiting())
    for (let second = 0; second < 20; second++) {
      scene.clock.goTo(scene.clock.now() + 1_000)
      await new Promise(setImmediate)
    }
    expect(scene.deaf).to.deep.equal([HOME])
    expect(orders.map((order) => order.kind === 'offer' && order.beat?.n)).to.deep.equal(orders.map(() => 4))
  })
  it('D13 what is given up is to be killed as soon as its worker is heard', async () => {
    const { orders } = worker()
    const task = scene.dispatcher.begin(request(), waiting())
    scene.clock.goTo(scene.clock.now() + 10)
    await new Promise(setImmediate)
    task.giveUp()
    scene.clock.goTo(scene.clock.now() + 10)
    await new Promise(setImmediate)
    expect(orders.at(-1)).to.include({ kind: 'stop', signal: 'SIGKILL', kill: true, force: true, task: TASK })
  })
})
