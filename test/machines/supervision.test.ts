/** The engine when a run, a queue or its scheduler fails. Source: architecture 3. */
import { expect } from 'chai'
import type { AlarmInput } from '../../machines/slots.ts'
import { driveEngine, types } from '../support/charts/engine-chart.ts'
import { key } from '../support/charts/plans.ts'

describe('engine › a run that throws is restored at most 3 times in 60 s, then failed by the engine, with the reason', () => {
  /** An engine whose run `r1` throws whenever it is started. */
  const broken = () => {
    const engine = driveEngine({ settlesFaults: false })
    engine.stage.breaks('run/dag/r1/preparation')
    engine.starts('r1')
    return engine
  }
  it('is reported to the system, which knows the time and what is stored', () => {
    const engine = broken()
    expect(engine.faults.map(({ actorId, error }) => [actorId, String(error)])).to.deep.equal([
      ['run/dag/r1', 'Error: preparation is broken']
    ])
    expect(engine.children()).not.to.include('run/dag/r1')
  })
  it('the 1st, 2nd and 3rd time it is restored, the 4th time it is failed', () => {
    const engine = broken()
    for (const times of [1, 2, 3]) {
      engine.faulted('run/dag/r1')
      expect(engine.faults).to.have.length(times + 1)
      expect(engine.failed).to.deep.equal([])
    }
    engine.stage.advance(1)
    engine.faulted('run/dag/r1')
    expect(engine.faults).to.have.length(4)
    expect(engine.failed).to.deep.equal([{ error: 'it threw', at: engine.stage.now }])
  })
  it('a restart older than 60 s does not count', () => {
    const engine = broken()
    engine.faulted('run/dag/r1')
    engine.stage.advance(1)
    for (const _ of [2, 3]) engine.faulted('run/dag/r1')
    engine.stage.advance(59_999)
    engine.faulted('run/dag/r1')
    expect(engine.failed).to.deep.equal([])
    engine.faulted('run/dag/r1')
    expect(engine.failed).to.have.length(1)
  })
  it('a failed run frees its slot, and no run takes the engine down', () => {
    const engine = driveEngine()
    engine.stage.breaks('run/dag/r1/preparation')
    engine.starts('r1')
    expect(engine.failed).to.have.length(1)
    expect(engine.children()).to.deep.equal(['scheduler'])
    engine.starts('r2')
    expect(types(engine.results)).to.deep.equal(['start.admitted', 'start.admitted'])
    expect(engine.fault()).to.equal(undefined)
  })
  it('keeps its slot while it is restored', () => {
    const engine = broken()
    engine.starts('r2')
    expect(engine.results.at(-1)).to.deep.include({ type: 'start.refused', active: { running: 1, queued: 0 } })
  })
  it('runs are counted apart', () => {
    const engine = driveEngine({ settlesFaults: false })
    engine.stage.breaks('preparation')
    for (const id of ['r1', 'r2']) engine.starts(id, { maxActiveRuns: 2 })
    for (const _ of [1, 2, 3]) engine.faulted('run/dag/r1')
    engine.faulted('run/dag/r2')
    expect(engine.failed).to.deep.equal([])
  })
  it('a run that ends forgets its restarts', () => {
    const engine = driveEngine()
    engine.stage.breaks('run/dag/r1/preparation', 2)
    engine.starts('r1')
    expect(engine.actor.getSnapshot().context.restartedAt['run/dag/r1']).to.have.length(2)
    engine.prepares('r1')
    engine.ends()
    expect(engine.actor.getSnapshot().context.restartedAt).to.deep.equal({})
  })
  it('a node that throws fails the node only', () => {
    const engine = driveEngine()
    engine.stage.breaks('node/a/attempt')
    engine.starts('r1')
    engine.prepares('r1')
    expect(engine.faults).to.deep.equal([])
    expect(engine.children()).to.deep.equal(['scheduler'])
  })
})

describe('engine › the engine never dies of one queue or of its scheduler', () => {
  it('a queue that throws is opened again by the next request', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.breaksQueue('dag')
    engine.starts('r2')
    expect(engine.fault()).to.equal(undefined)
    expect(engine.children()).not.to.include('queue/dag')
    engine.starts('r3', { maxActiveRuns: 2 })
    expect(engine.results.at(-1)).to.deep.include({ type: 'start.admitted', key: key('r3') })
  })
  it('7.2.2 a queue that is opened again knows the runs that continue: they hold their slots', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.breaksQueue('dag')
    engine.starts('r2')
    engine.starts('r3')
    expect(engine.results.at(-1)).to.deep.include({
      type: 'start.refused',
      key: key('r3'),
      active: { running: 1, queued: 0 }
    })
  })
  it('12 a queue that is opened again: waiting items are requeued, dispatched ones keep their slot', () => {
    const engine = driveEngine()
    engine.enqueues('r1')
    engine.enqueues('r2')
    engine.breaksQueue('dag')
    engine.starts('r3')
    for (const [dagRunId, order] of [
      ['r1', 1],
      ['r2', 2]
    ] as const)
      engine.actor.send({
        type: 'item.found',
        key: key(dagRunId),
        queue: 'dag',
        limit: 1,
        order,
        at: engine.stage.now
      })
    expect(engine.due).to.deep.equal(['r1'])
    engine.loads('r1')
    engine.prepares('r1')
    engine.ends()
    expect(engine.due).to.deep.equal(['r1', 'r2'])
  })
  it('a scheduler that throws is restarted while the runs continue', () => {
    const engine = driveEngine()
    engine.starts('r1')
    engine.stage.breaks('scheduler/alarm', 1)
    engine.stage.advance(60_000)
    expect(engine.children()).to.have.members(['scheduler', 'queue/dag', 'run/dag/r1'])
    expect(engine.stage.live('alarm', 'scheduler')).to.have.length(1)
    expect(engine.fault()).to.equal(undefined)
  })
  it('11.5 a scheduler that is restarted waits for second 0 of the next minute: no minute has two ticks', () => {
    const engine = driveEngine()
    engine.stage.advance(600_000)
    engine.stage.breaks('scheduler/alarm', 1)
    engine.stage.advance(60_000)
    const due = engine.stage.invoked
      .filter(({ of, slot }) => of === 'scheduler' && slot === 'alarm')
      .map(({ input }) => (input as AlarmInput).dueAt)
    expect(due).to.deep.equal([...new Set(due)].sort((a, b) => a - b))
  })
  it('a scheduler that throws whenever it is started is stopped for good: the engine does not spin', () => {
    const engine = driveEngine()
    engine.stage.breaks('scheduler/alarm', 200)
    engine.stage.advance(60_000)
    // All 200 were used up when one of them is at work again.
    expect(engine.stage.live('alarm', 'scheduler')).to.have.length(0)
    expect(engine.actor.getSnapshot().status).to.equal('active')
  })
})
