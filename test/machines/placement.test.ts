/** Runs that need a worker, from their request to its slot. Source: distribution 1, 4; api-semantics 7.2. */
import { expect } from 'chai'
import { driveEngine, types } from '../support/charts/engine-chart.ts'
import { key, plan, step } from '../support/charts/plans.ts'

const inZone = (zone: string) => ({ workerSelector: { zone }, maxActiveRuns: 100 })
const driven = (lease = 0) => driveEngine({ lease })
type Driven = ReturnType<typeof driven>

/** One run goes from its preparation to its end. */
const runs = (engine: Driven, id: string) => {
  engine.prepares(id)
  engine.stage.live('attempt')[0]?.answer('attempt.ended', { exitCode: 0 })
}
const slots = (engine: Driven) => Object.fromEntries(engine.actor.getSnapshot().context.fleet?.taken ?? [])

describe('placement › a start', () => {
  it('D1 with a worker that fits it is admitted with its placement; a run without a selector has none', () => {
    const engine = driven(3_000_000_000)
    engine.works('wa')
    engine.works('wb', { labels: { zone: 'b' } })
    engine.starts('r1', inZone('b'))
    engine.starts('r2', { maxActiveRuns: 5 })
    expect(engine.results[0]).to.deep.include({
      type: 'start.admitted',
      placement: { home: 'home-wb', id: 'wb', lease: 3_000_000_001 }
    })
    expect(engine.results[1]).to.deep.equal({ type: 'start.admitted', key: key('r2'), at: engine.stage.now })
    expect(engine.children()).to.include.members(['run/dag/r1', 'run/dag/r2'])
  })
  it('D2 without one it is queued, lets others pass, and can be taken out', () => {
    const engine = driven()
    engine.works('wa')
    engine.starts('r1', inZone('mars'))
    engine.enqueues('r2', inZone('mars'))
    engine.enqueues('r3', inZone('a'))
    engine.enqueues('r4', { maxActiveRuns: 100 })
    expect(types(engine.results)).to.deep.equal(['start.queued', 'start.queued', 'start.queued', 'start.queued'])
    expect(engine.due).to.deep.equal(['r3', 'r4'])
    engine.dequeues('r1')
    expect([engine.dequeued, engine.forgotten]).to.deep.equal([[true], ['r1']])
  })
  it('7.2.3 the limit of its DAG counts as for any other', () => {
    const engine = driven()
    engine.starts('r1', { workerSelector: { zone: 'a' } })
    engine.starts('r2', { workerSelector: { zone: 'a' } })
    expect(types(engine.results)).to.deep.equal(['start.queued', 'start.refused'])
  })
  it('without workers in the configuration it waits', () => {
    const engine = driveEngine()
    engine.works('wa')
    engine.starts('r1', inZone('a'))
    expect(types(engine.results)).to.deep.equal(['start.queued'])
    expect(engine.due).to.deep.equal([])
  })
})

describe('placement › D2 a run begins in the turn in which a fitting slot frees', () => {
  it('a worker comes: as many as it has slots, first in, first out', () => {
    const engine = driven()
    for (const id of ['r1', 'r2', 'r3']) engine.starts(id, inZone('a'))
    engine.works('wb', { labels: { zone: 'b' }, slots: 9 })
    expect(engine.due).to.deep.equal([])
    engine.works('wa', { slots: 2 })
    expect(engine.due).to.deep.equal(['r1', 'r2'])
    expect(engine.placed.get('r2')).to.deep.include({ home: 'home-wa', lease: 2 })
  })
  it('a run ends: its slot goes to the next, whatever queue that waits in', () => {
    const engine = driven()
    engine.works('wa')
    engine.starts('r1', inZone('a'))
    engine.starts('r2', { ...inZone('a'), name: 'other' })
    expect(engine.due).to.deep.equal([])
    runs(engine, 'r1')
    expect(engine.due).to.deep.equal(['r2'])
    expect(slots(engine)).to.deep.equal({ 'home-wa': 1 })
  })
  it('queues take turns', () => {
    const engine = driven()
    for (const id of ['1', '2'])
      for (const name of ['a', 'b', 'c']) engine.starts(`${name}${id}`, { ...inZone('a'), name })
    engine.works('wa', { slots: 1 })
    for (let slots = 2; slots <= 6; slots++) engine.works('wa', { slots })
    expect(engine.due).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  })
  it('a worker that is healthy again, or no longer drains, gets what waits', () => {
    const engine = driven()
    engine.works('wa', { isTaking: false })
    engine.starts('r1', inZone('a'))
    expect(types(engine.results)).to.deep.equal(['start.queued'])
    engine.works('wa')
    expect(engine.due).to.deep.equal(['r1'])
  })
  it('a queue whose item has left passes the room on', () => {
    const engine = driven()
    engine.starts('r1', { ...inZone('a'), name: 'one' })
    engine.starts('r2', { ...inZone('a'), name: 'two' })
    engine.actor.send({ type: 'dequeue.requested', key: key('r1', 'one'), at: engine.stage.now })
    engine.works('wa')
    expect(engine.due).to.deep.equal(['r2'])
  })
  it('of a full queue nobody is placed: the slot of the worker is left to others', () => {
    const engine = driveEngine({ lease: 0, queues: { small: 1 } })
    engine.enqueues('r0', { maxActiveRuns: 5, queue: 'small' })
    engine.enqueues('r1', { ...inZone('a'), queue: 'small' })
    engine.enqueues('r2', { ...inZone('a'), queue: 'wide' })
    engine.works('wa', { slots: 9 })
    expect(engine.due).to.deep.equal(['r0', 'r2'])
    expect(slots(engine)).to.deep.equal({ 'home-wa': 1 })
    engine.loads('r0')
    runs(engine, 'r0')
    expect(engine.due).to.deep.equal(['r0', 'r2', 'r1'])
  })
  it('who does not start within 10 s, or cannot be read, gives the slot to the next', () => {
    const engine = driven()
    for (const id of ['r1', 'r2', 'r3']) engine.starts(id, inZone('a'))
    engine.works('wa')
    engine.stage.advance(10_000)
    expect(engine.due).to.deep.equal(['r1', 'r2'])
    engine.cannotLoad('r2')
    expect(engine.due).to.deep.equal(['r1', 'r2', 'r3'])
    expect(slots(engine)).to.deep.equal({ 'home-wa': 1 })
  })
  it('a thousand that wait for the same cost one look, in whatever queue', () => {
    const engine = driven()
    for (let n = 0; n < 1_000; n++)
      engine.starts(`r${n}`, { ...inZone('mars'), maxActiveRuns: -1, name: `dag${n % 10}` })
    let looks = 0
    const worker = { home: 'home-wa', id: 'wa', slots: 9, executors: ['shell'], isTaking: true }
    engine.actor.send({
      type: 'worker.changed',
      at: engine.stage.now,
      worker: Object.defineProperty({ ...worker, labels: {} }, 'labels', {
        get() {
          looks++
          return { zone: 'a' }
        }
      })
    })
    expect(looks).to.equal(1)
    engine.starts('r', inZone('mars'))
    expect(engine.due).to.deep.equal([])
  })
})

describe('placement › D14 slots of a worker', () => {
  it('are held again after a restart before anything starts, also when the worker is not known yet', () => {
    const engine = driven(2_000_000_000)
    engine.actor.send({
      type: 'runs.found',
      at: engine.stage.now,
      runs: [{ key: key('r1'), queue: 'dag' }],
      placed: [{ key: key('r1'), placement: { home: 'home-wa', id: 'wa', lease: 1_000_000_005 } }]
    })
    engine.starts('r2', inZone('a'))
    engine.works('wa')
    expect([engine.due, slots(engine)]).to.deep.equal([[], { 'home-wa': 1 }])
    engine.restores('r1')
    runs(engine, 'r1')
    expect(engine.due).to.deep.equal(['r2'])
    expect(engine.placed.get('r2')?.lease).to.equal(2_000_000_001)
  })
  it('a worker that goes keeps them, for when it is back', () => {
    const engine = driven()
    engine.works('wa')
    engine.starts('r1', inZone('a'))
    engine.leaves('wa')
    engine.starts('r2', inZone('a'))
    engine.works('wa')
    expect([types(engine.results), slots(engine)]).to.deep.equal([['start.admitted', 'start.queued'], { 'home-wa': 1 }])
  })
  it('a queue that throws loses none: what was due is placed once', () => {
    const engine = driven()
    engine.works('wa', { slots: 2 })
    engine.starts('r1', inZone('a'))
    engine.breaksQueue('dag')
    engine.starts('r2', inZone('a'))
    expect(engine.results.at(-1)).to.include({ reason: 'queue_faulted' })
    engine.starts('r3', inZone('a'))
    expect(slots(engine)).to.deep.equal({ 'home-wa': 2 })
  })
})

describe('placement › a sub run with a selector', () => {
  it('is placed by itself, and waits for its worker without a limit', () => {
    const engine = driven()
    engine.calls('s1', 'b')
    expect(types(engine.results)).to.deep.equal(['start.queued'])
    engine.works('wb', { labels: { zone: 'b' } })
    expect(engine.due).to.deep.equal(['s1'])
    engine.loads('s1')
    expect(engine.children()).to.include('run/dag/s1')
    runs(engine, 's1')
    expect([slots(engine), engine.children()]).to.deep.equal([{}, ['scheduler']])
  })
  it('counts for no limit of root runs of its name', () => {
    const engine = driven()
    engine.calls('s1', 'b')
    engine.starts('r1')
    expect(types(engine.results)).to.deep.equal(['start.queued', 'start.admitted'])
  })
  it('on the worker of one that calls it uses the slot of that: nested calls do not wait for each other (D14)', () => {
    const engine = driven()
    engine.works('wa')
    engine.starts('r1', inZone('a'))
    engine.calls('s1', 'a', ['home-wa'])
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.admitted'])
    expect(slots(engine)).to.deep.equal({ 'home-wa': 1 })
    engine.works('wa', { isTaking: false })
    engine.calls('s2', 'a', ['home-wa'])
    expect(engine.results.at(-1)).to.include({ type: 'start.queued' })
    engine.works('wa')
    expect(engine.due).to.deep.equal(['s2'])
  })
  it('a stop, kill or force takes one that waits out of the line', () => {
    for (const type of ['run.stop', 'run.kill', 'run.force'] as const) {
      const engine = driven()
      engine.calls('s1', 'b')
      engine.actor.send({ type, key: key('s1'), at: engine.stage.now })
      expect([engine.forgotten, engine.children()]).to.deep.equal([['s1'], ['scheduler']])
    }
  })
})

describe('placement › a run whose worker is lost', () => {
  const lost = () => {
    const engine = driven()
    engine.works('wa')
    engine.starts('r1', { ...inZone('a'), steps: [step('a', { retry: { limit: 1 } })] })
    engine.prepares('r1')
    engine.loses('wa')
    engine.leaves('wa')
    return engine
  }
  it('goes to another one when it wants to, with a greater lease; the slot of the lost one is free', () => {
    const engine = lost()
    engine.works('wb')
    engine.fences('wa')
    engine.wants('r1')
    expect(engine.placed.get('r1')).to.deep.equal({ home: 'home-wb', id: 'wb', lease: 2 })
    expect(slots(engine)).to.deep.equal({ 'home-wb': 1 })
  })
  it('goes once, however many of its steps want another one: none of them is at work beside the slot of their run', () => {
    const engine = driven()
    engine.works('wa')
    const steps = ['a', 'b', 'c'].map((name) => step(name))
    engine.starts('r1', { ...plan(steps, { type: 'graph', onWorkerLost: 'requeue' }), ...inZone('a') })
    engine.prepares('r1')
    engine.loses('wa')
    engine.leaves('wa')
    engine.works('wb')
    engine.fences('wa')
    engine.works('wc')
    expect(engine.placed.get('r1')).to.deep.equal({ home: 'home-wb', id: 'wb', lease: 2 })
    expect(slots(engine)).to.deep.equal({ 'home-wb': 1 })
    expect(engine.stage.live('attempt')).to.have.length(3)
  })
  it('waits for one, before all that have not begun, and no longer once its own is back', () => {
    const engine = lost()
    engine.fences('wa')
    engine.starts('r2', inZone('a'))
    engine.wants('r1')
    engine.works('wb')
    expect([engine.placed.get('r1')?.id, engine.due]).to.deep.equal(['wb', []])
    const back = lost()
    back.fences('wa')
    back.wants('r1')
    back.isBack('wa')
    back.works('wb')
    expect(back.placed.get('r1')?.id).to.equal('wa')
  })
  it('D4 an attempt of the same run that begins anew waits until it is certain that nothing is at work there', () => {
    const engine = lost()
    engine.works('wb')
    const needs = { labels: { zone: 'a' }, executors: ['shell'], after: 'home-wa' }
    engine.actor.send({
      type: 'start.requested',
      key: key('r9'),
      plan: plan([step('a')]),
      queue: 'dag',
      limit: 100,
      at: 0,
      needs,
      singleton: false,
      exclusive: false,
      mayWait: true
    })
    expect(types(engine.results).at(-1)).to.equal('start.queued')
    engine.fences('wa')
    expect(engine.due).to.deep.equal(['r9'])
  })
  it('a run that has ended waits for none', () => {
    const engine = lost()
    engine.fences('wa')
    engine.wants('r1')
    engine.stops('r1')
    engine.works('wb')
    expect(slots(engine)).to.deep.equal({})
  })
})
