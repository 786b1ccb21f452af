/** A run releases its container before it ends. Source: execution-semantics 8.4, 8.11, 10.2.24. */
import { expect } from 'chai'
import { driveRun, workingRun } from '../../support/charts/charts.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { restartedRun, storedRun } from '../../support/engine/restart.ts'

const container = {
  image: 'i',
  pull: 'missing' as const,
  env: [],
  volumes: [],
  ports: [],
  keepContainer: false,
  startup: 'keepalive' as const,
  command: [],
  waitFor: 'running' as const
}
const boxed = plan([step('a')], { container, handlers: { exit: step('onExit') } })

describe('run › 10.2.24 end of run (after handlers)', () => {
  it('the container is released after the last handler; the run is running until that has happened', () => {
    const run = workingRun(boxed)
    run.ends('a')
    expect(run.stage.live('release')).to.deep.equal([])
    run.stage.advance(1_000)
    run.ends('onExit')
    expect(run.state()).to.equal('releasing')
    expect(run.outcome()).to.equal(undefined)
    const { at } = run.context()
    run.stage.advance(5_000)
    run.stage.the('release').answer('run.released')
    expect(run.outcome()).to.equal('succeeded')
    expect(run.context().at, '8.11: finished with its last handler').to.equal(at)
  })
  it('a failed run and a stopped one release it, too', () => {
    const failed = workingRun(boxed)
    failed.ends('a', 1)
    failed.ends('onExit')
    failed.stage.the('release').answer('run.released')
    expect(failed.outcome()).to.equal('failed')
    const stopped = driveRun(boxed)
    stopped.stop()
    stopped.prepared()
    stopped.ends('onExit')
    stopped.stage.the('release').answer('run.released')
    expect(stopped.outcome()).to.equal('canceled')
  })
  it('8.4 one that could not be made is not released: the run is failed at once, no handler', () => {
    const run = driveRun(boxed)
    run.unprepared('no such image')
    expect(run.outcome()).to.equal('failed')
    expect(run.begun).to.deep.equal([])
    const stopped = driveRun(boxed)
    stopped.stop()
    stopped.unprepared('aborted')
    expect(stopped.outcome()).to.equal('canceled')
  })
  it('8.4 a stop, or the time limit, before it is there: no handler, which would run inside it', () => {
    const stopped = driveRun(boxed)
    stopped.stop()
    stopped.unprepared('aborted')
    expect(stopped.begun).to.deep.equal([])
    expect(stopped.status('a')).to.equal('not_started')
    const late = driveRun({ ...boxed, timeoutMs: 60_000 })
    late.stage.advance(60_000)
    late.unprepared('aborted')
    expect(late.outcome()).to.equal('failed')
    expect(late.context().error).to.equal('run timed out after 60s')
    expect(late.begun).to.deep.equal([])
  })
  it('a run without a container has nothing to release', () => {
    const run = workingRun(plan([step('a')]))
    run.ends('a')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('a restart in the middle of it releases it again', () => {
    const run = workingRun(boxed)
    run.ends('a')
    run.ends('onExit')
    const again = restartedRun(run, storedRun(run, []))
    expect(again.state()).to.equal('releasing')
    again.stage.the('release').answer('run.released')
    expect(again.outcome()).to.equal('succeeded')
  })
})
