/** What becomes of a run whose worker is lost. Source: distribution 4. */
import { expect } from 'chai'
import { driveRun, workingRun } from '../../support/charts/charts.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { restartedRun, storedRun } from '../../support/engine/restart.ts'

const LOST = 'worker lost: wa silent for 30 s, outcome unknown'
const retried = step('b', { retry: { limit: 1 } })

describe('run › its worker is lost', () => {
  it('each of its nodes decides for itself', () => {
    const run = workingRun(plan([step('a', { continueOn: { failure: true } }), retried, step('c')]))
    run.ends('c')
    run.loses()
    expect(run.seen.get('node/b')?.value).to.deep.equal({ attempting: 'fencing' })
    expect([run.error('a'), run.shown('a')]).to.deep.equal([LOST, 'failed'])
    expect(run.outcome()).to.equal(undefined)
  })
  it('steps that begin afterwards wait until nothing of it is at work there, and go to another one', () => {
    const run = workingRun(plan([step('a', { continueOn: { failure: true } }), step('b', { depends: ['a'] })]))
    run.loses()
    expect(run.seen.get('node/b')?.value).to.equal('placing')
    run.news('worker.fenced')
    expect(run.context().loss).to.include({ isFenced: true, isWaiting: true })
    run.news('worker.replaced')
    run.ends('b')
    expect(run.outcome()).to.equal('partially_succeeded')
  })
  it('P8 a restart of the engine while a step waits for another worker: it goes on waiting, and is told again', () => {
    const before = workingRun(plan([step('a', { continueOn: { failure: true } }), step('b', { depends: ['a'] })]))
    before.loses()
    before.news('worker.fenced')
    const run = restartedRun(before, storedRun(before))
    expect(run.seen.get('node/b')?.value).to.equal('placing')
    run.loses()
    run.news('worker.fenced')
    expect(run.context().loss).to.include({ isFenced: true, isWaiting: true })
    run.news('worker.replaced')
    run.ends('b')
    expect(run.outcome()).to.equal('partially_succeeded')
  })
  it('a handler goes to another worker; that there is none does not keep the run from ending', () => {
    for (const taken of [true, false]) {
      const run = workingRun(plan([step('a')], { handlers: { exit: step('onExit') } }))
      run.loses()
      expect(run.seen.get('handler/onExit')?.value).to.equal('placing')
      if (taken) {
        run.news('worker.fenced')
        run.news('worker.replaced')
        run.ends('onExit')
      } else run.stage.advance(60_000)
      expect([run.outcome(), run.shown('onExit')]).to.deep.equal(['failed', taken ? 'succeeded' : 'failed'])
    }
  })
  it('before it is prepared: it fails, is prepared anew, or waits', () => {
    const states = (['fail', 'requeue', 'wait'] as const).map((onWorkerLost) => {
      const run = driveRun(plan([step('a')], { onWorkerLost }))
      run.loses()
      return run.state()
    })
    expect(states).to.deep.equal(['failed', 'moving', 'preparing'])
    const run = driveRun(plan([step('a')], { onWorkerLost: 'requeue', timeoutMs: 100_000 }))
    run.loses()
    run.news('worker.fenced')
    run.news('worker.replaced')
    run.prepared()
    expect(run.running()).to.deep.equal(['a'])
    run.stage.advance(100_000)
    expect(run.state()).to.equal('stopping')
  })
  it('7.1.1 a time limit and a stop hold while it waits for another one', () => {
    for (const how of ['stop', 'time'] as const) {
      const run = driveRun(plan([step('a')], { onWorkerLost: 'requeue', timeoutMs: 100_000 }))
      run.loses()
      if (how === 'stop') run.stop()
      else run.stage.advance(100_000)
      expect(run.outcome()).to.equal(how === 'stop' ? 'canceled' : 'failed')
    }
  })
  it('5.6.8 preconditions of the DAG that cannot be evaluated do not hold, and say why', () => {
    const run = driveRun(plan([step('a')], { preconditions: [{ condition: 'true' }] }))
    run.prepared()
    run.loses()
    expect([run.outcome(), run.context().conditions]).to.deep.equal(['canceled', [{ matched: false, error: LOST }]])
  })
  it('its container is left to its worker: it is removed there when that is back', () => {
    const run = workingRun(plan([step('a')], { container: { image: 'x' } as never }))
    run.ends('a')
    expect(run.state()).to.equal('releasing')
    run.loses()
    expect(run.outcome()).to.equal('succeeded')
    const early = workingRun(plan([step('a')], { container: { image: 'x' } as never }))
    early.loses()
    expect(early.outcome()).to.equal('failed')
  })
})
