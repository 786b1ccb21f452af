/** How a run is ended by its time limit. Source: execution-semantics 7.1. */
import { expect } from 'chai'
import { driveRun, workingRun } from '../../support/charts/charts.ts'
import { chain, plan, step } from '../../support/charts/plans.ts'

const preconditions = [{ condition: 'true' }]

describe('run › 7.1 timeouts', () => {
  const timed = (also = {}) => plan(chain(step('a'), step('b')), { timeoutMs: 60_000, ...also })
  it('7.1.1 timeoutSec counts from the start of the run, preconditions included', () => {
    const run = driveRun(timed({ preconditions }))
    run.stage.advance(20_000)
    run.prepared()
    run.stage.advance(20_000)
    run.checked(true)
    run.stage.advance(19_999)
    expect(run.state()).to.equal('working')
    run.stage.advance(1)
    expect(run.state()).to.equal('stopping')
  })
  it('7.1.1 on expiry running steps are ended and become canceled, pending ones canceled; run failed', () => {
    const run = workingRun(timed())
    run.stage.advance(60_000)
    expect(run.shown('a')).to.equal('canceled')
    expect(run.stage.the('attempt').received).to.deep.equal([{ type: 'attempt.stop', signal: 'SIGTERM' }])
    expect(run.status('b')).to.equal('canceled')
    run.obeys()
    expect(run.outcome()).to.equal('failed')
  })
  it('7.1.1 the error is "run timed out after <n>s"', () => {
    const run = workingRun(timed())
    run.stage.advance(60_000)
    expect(run.context().error).to.equal('run timed out after 60s')
  })
  it('7.1.1 on expiry while preconditions are checked: pending nodes canceled, run failed', () => {
    const run = driveRun(timed({ preconditions }))
    run.prepared()
    run.stage.advance(60_000)
    expect(run.outcome()).to.equal('failed')
    expect(['a', 'b'].map(run.status)).to.deep.equal(['canceled', 'canceled'])
  })
  it('7.1.1 on expiry while it is prepared: pending nodes canceled, run failed', () => {
    const run = driveRun(timed())
    run.stage.advance(60_000)
    expect(run.stage.the('preparation').received).to.deep.equal([{ type: 'preparation.stop' }])
    run.prepared()
    expect(run.outcome()).to.equal('failed')
    expect(run.begun).to.deep.equal([])
    expect(['a', 'b'].map(run.status)).to.deep.equal(['canceled', 'canceled'])
  })
  it('a preparation that gives up after the expiry leaves the run failed, with the time limit as its error', () => {
    const run = driveRun(timed())
    run.stage.advance(60_000)
    run.unprepared('aborted')
    expect(run.outcome()).to.equal('failed')
    expect(run.context().error).to.equal('run timed out after 60s')
  })
  it('7.1.2 SIGKILL after maxCleanUpTimeSec', () => {
    const run = workingRun(timed({ cleanUpMs: 3_000 }))
    run.stage.advance(63_000)
    expect(run.stage.the('attempt').received.at(-1)).to.deep.equal({ type: 'attempt.kill' })
  })
  it('7.1.3 handlers after a run timeout: failure and exit, without that deadline', () => {
    const handlers = { failure: step('onFailure'), cancel: step('onCancel'), exit: step('onExit') }
    const run = workingRun(timed({ handlers }))
    run.stage.advance(60_000)
    run.obeys()
    run.stage.advance(600_000)
    run.ends('onFailure')
    run.stage.advance(600_000)
    run.ends('onExit')
    expect(run.begun).to.deep.equal(['node/a', 'handler/onFailure', 'handler/onExit'])
    expect(run.outcome()).to.equal('failed')
  })
  it('a run that ends in time leaves no alarm behind', () => {
    const run = workingRun(timed({ handlers: { exit: step('onExit') } }))
    run.ends('a')
    run.ends('b')
    expect(run.stage.live('alarm')).to.deep.equal([])
    run.stage.advance(600_000)
    run.ends('onExit')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('6.1.8 a node is not retried after a run timeout; 6.1.7 its wait ends at once', () => {
    const retry = { limit: 5, interval: 1_000_000 }
    const run = workingRun(plan([step('a', { retry })], { timeoutMs: 60_000 }))
    run.ends('a', 1)
    run.stage.advance(60_000)
    expect(run.outcome()).to.equal('failed')
    expect(run.status('a')).to.equal('canceled')
  })
  it('7.1.6 timeoutSec on a handler step works', () => {
    const run = workingRun(plan([], { handlers: { exit: step('onExit', { timeoutMs: 2_000 }) } }))
    run.stage.the('attempt').answer('attempt.began')
    run.stage.advance(2_000)
    run.obeys()
    expect(run.outcome()).to.equal('failed')
  })
})
