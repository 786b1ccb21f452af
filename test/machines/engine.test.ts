/** The root: requests, slots, restarts, stops. Source: architecture 3, execution-semantics 7.2. */
import { expect } from 'chai'
import { driveEngine, types } from '../support/charts/engine-chart.ts'
import { key } from '../support/charts/plans.ts'

describe('engine › a start', () => {
  it('goes to the queue of its DAG name, is started, and its caller is notified', () => {
    const engine = driveEngine()
    engine.starts('r1')
    expect(engine.results).to.deep.equal([{ type: 'start.admitted', key: key('r1'), at: engine.stage.now }])
    expect(engine.children()).to.have.members(['scheduler', 'queue/dag', 'run/dag/r1'])
    engine.prepares('r1')
    expect(engine.stage.live('attempt')).to.have.length(1)
  })
  it('7.2.3 limit reached: its caller learns why, and nothing is kept of it', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.starts('r2')
    expect(engine.results[1]).to.deep.equal({
      type: 'start.refused',
      key: key('r2'),
      reason: 'max_run_reached',
      limit: 1,
      active: { running: 1, queued: 0 }
    })
    expect(engine.children()).not.to.include('run/dag/r2')
    expect(engine.actor.getSnapshot().context.requests.values()).to.deep.equal([])
  })
  it('7.2.3 singleton: with one running, refused', () => {
    const engine = driveEngine()
    engine.starts('r1', { maxActiveRuns: 5 })
    engine.starts('r2', { maxActiveRuns: 5 }, true)
    expect(engine.results[1]).to.include({ reason: 'already_running' })
  })
  it('7.2.5 negative maxActiveRuns: always starts at once', () => {
    const engine = driveEngine()
    for (const id of ['r1', 'r2', 'r3']) engine.starts(id, { maxActiveRuns: -1 })
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.admitted', 'start.admitted'])
  })
  it('names do not share slots', () => {
    const engine = driveEngine()
    engine.starts('r1', { name: 'a' })
    engine.starts('r1', { name: 'b' })
    expect(engine.children()).to.include.members(['run/a/r1', 'run/b/r1'])
  })
})

describe('engine › a run that waits for its version', () => {
  const differs = (engine: ReturnType<typeof driveEngine>) =>
    engine.actor.send({ type: 'release.differs', key: key('r1'), at: engine.stage.now, version: '2', wanted: '1' })

  it('gives its place to others, counts for no limit, and takes it back when it goes on', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    differs(engine)
    engine.starts('r2', {}, true)
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.admitted'])
    engine.starts('r3')
    expect(engine.results[2]).to.deep.include({ type: 'start.refused', active: { running: 1, queued: 0 } })
    engine.actor.send({ type: 'release.opened', key: key('r1'), at: engine.stage.now })
    engine.starts('r4', { maxActiveRuns: 2 })
    expect(engine.results[3]).to.deep.include({ type: 'start.refused', active: { running: 2, queued: 0 } })
  })
  it('a queued one gets its place, and has as long to start as any other', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    engine.enqueues('r2')
    engine.stage.advance(1_000_000)
    differs(engine)
    expect(engine.due).to.deep.equal(['r2'])
    engine.stage.advance(9_000)
    expect(engine.failed).to.deep.equal([])
  })
  it('a stop ends it, whoever has its place', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    differs(engine)
    engine.actor.send({ type: 'run.stop', key: key('r1'), at: engine.stage.now })
    engine.ends()
    engine.starts('r2')
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.admitted'])
  })
  it('one that is found waiting after a restart has no place; another one has', () => {
    const engine = driveEngine()
    const at = engine.stage.now
    engine.actor.send({ type: 'runs.found', runs: [{ key: key('r1'), queue: 'dag', held: true }], at })
    engine.starts('r2')
    engine.starts('r3')
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.refused'])
  })
})

describe('engine › the end of a run', () => {
  it('frees its slot: the next start of that name is admitted', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    engine.ends()
    expect(engine.children()).to.deep.equal(['scheduler'])
    engine.starts('r2')
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.admitted'])
  })
  it('frees one slot, not those of the other runs', () => {
    const engine = driveEngine()
    engine.starts('r1', { maxActiveRuns: 2 })
    engine.starts('r2', { maxActiveRuns: 2 })
    engine.prepares('r1')
    engine.ends()
    engine.starts('r3', { maxActiveRuns: 2 })
    engine.starts('r4', { maxActiveRuns: 2 })
    expect(types(engine.results).slice(2)).to.deep.equal(['start.admitted', 'start.refused'])
  })
})

describe('engine › after a restart', () => {
  it('a run that was open holds its slot, and continues when it is restored', () => {
    const engine = driveEngine()
    engine.finds('r1')
    engine.starts('r2')
    expect(types(engine.results)).to.deep.equal(['start.refused'])
    expect(engine.children()).not.to.include('run/dag/r1')
    engine.restores('r1')
    expect(engine.children()).to.include('run/dag/r1')
    engine.prepares('r1')
    expect(engine.stage.live('attempt')).to.have.length(1)
  })
  it('two open runs of one name hold two slots, and each gives its own back', () => {
    const engine = driveEngine()
    engine.finds('r1', 'r2')
    engine.restores('r1', 'r2')
    engine.prepares('r1')
    engine.ends()
    expect(engine.children()).to.have.members(['scheduler', 'queue/dag', 'run/dag/r2'])
    engine.starts('r3')
    expect(engine.results[0]).to.deep.include({ type: 'start.refused', active: { running: 1, queued: 0 } })
  })
  it('a queued run starts while others are still being restored, as far as slots are free', () => {
    const engine = driveEngine({ queues: { dag: 2 } })
    engine.finds('r1')
    for (const [index, id] of ['r2', 'r3'].entries())
      engine.actor.send({
        type: 'item.found',
        key: key(id),
        queue: 'dag',
        limit: 5,
        order: index + 1,
        at: engine.stage.now
      })
    expect(engine.due).to.deep.equal(['r2'])
    engine.restores('r1')
    engine.prepares('r1')
    engine.ends()
    expect(engine.due).to.deep.equal(['r2', 'r3'])
  })
  it('a run whose stored state cannot be used is failed by the engine with the reason, and its slot is free', () => {
    const engine = driveEngine()
    engine.finds('r1')
    engine.cannotRestore('r1')
    expect(engine.failed).to.deep.equal([{ error: 'not readable', at: engine.stage.now }])
    engine.starts('r2')
    expect(types(engine.results)).to.deep.equal(['start.admitted'])
  })
})

describe('engine › stop', () => {
  it('reaches its run', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    engine.stops('r1')
    expect(engine.stage.the('attempt').received).to.deep.equal([{ type: 'attempt.stop', signal: 'SIGTERM' }])
  })
  it('of a run that has just ended, or that never existed, has no effect', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    engine.ends()
    engine.stops('r1')
    engine.stops('r2')
    expect(engine.fault()).to.equal(undefined)
    expect(engine.actor.getSnapshot().status).to.equal('active')
  })
})

describe('engine › 12 a queued run', () => {
  it('stays where it is once the queues are held: those that are open, and those that open later', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.prepares('r1')
    engine.enqueues('r2')
    engine.actor.send({ type: 'queues.held' })
    engine.ends()
    engine.enqueues('r3', { name: 'other' })
    expect(engine.due).to.deep.equal([])
  })
  it('12.9 one that was discarded because the store stood still has failed once, whatever is found of it later', () => {
    const engine = driveEngine()
    engine.enqueues('r1')
    const { now } = engine.stage
    engine.stage.advance(10_000)
    engine.cannotLoad('r1')
    expect(engine.failed).to.deep.equal([{ error: 'queued run did not start within 10s', at: now + 10_000 }])
  })
  it('12.8 waits, is dispatched when the slot is free, and runs; its slot is passed on when it ends', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.enqueues('r2')
    engine.enqueues('r3')
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.queued', 'start.queued'])
    expect(engine.due).to.deep.equal([])
    engine.prepares('r1')
    engine.ends()
    expect(engine.due).to.deep.equal(['r2'])
    expect(engine.children()).not.to.include('run/dag/r2')
    engine.loads('r2')
    engine.prepares('r2')
    engine.ends()
    expect(engine.due).to.deep.equal(['r2', 'r3'])
  })
  it('costs a record, not an actor', () => {
    const engine = driveEngine()
    engine.starts('r1')
    for (let n = 2; n < 50; n++) engine.enqueues(`r${n}`)
    expect(engine.children()).to.have.members(['scheduler', 'queue/dag', 'run/dag/r1'])
  })
  it('12.9 is discarded when its record is gone, has another status, or cannot be read; the next one goes', () => {
    const engine = driveEngine()
    engine.enqueues('r1')
    engine.enqueues('r2')
    engine.cannotLoad('r1')
    expect(engine.failed.map(({ error }) => error)).to.deep.equal(['gone'])
    expect(engine.due).to.deep.equal(['r1', 'r2'])
  })
  it('12.11 that does not become a run within 10 s is discarded and failed; what is looked up too late is not started', () => {
    const engine = driveEngine()
    engine.enqueues('r1')
    engine.stage.advance(10_000)
    expect(engine.failed.map(({ error }) => error)).to.deep.equal(['queued run did not start within 10s'])
    engine.loads('r1')
    expect(engine.children()).to.deep.equal(['scheduler'])
  })
  it('12.13 is removed by a dequeue; one that is not queued is not', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.enqueues('r2')
    engine.dequeues('r2')
    engine.dequeues('r2')
    engine.dequeues('r1')
    expect(engine.forgotten).to.deep.equal(['r2'])
    expect(engine.dequeued).to.deep.equal([true, false, false])
  })
  it('12.1 the named queue holds runs of several DAGs; the limit of each DAG name counts over all queues (api-semantics 4.2)', () => {
    const engine = driveEngine({ queues: { batch: 1 } })
    engine.starts('r1', { queue: 'batch' })
    engine.enqueues('r2', { name: 'other', queue: 'batch' })
    expect(engine.due).to.deep.equal([])
    engine.starts('r3')
    expect(engine.results.at(-1)).to.deep.include({ type: 'start.refused', active: { running: 1, queued: 0 } })
  })
})
