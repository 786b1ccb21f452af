/** How a run is ended by a stop, and what a second one changes. Source: execution-semantics 7.3. */
import { expect } from 'chai'
import { driveRun, type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { chain, plan, step } from '../../support/charts/plans.ts'

const preconditions = [{ condition: 'true' }]

describe('run › 7.3 stop', () => {
  it('7.3.1 no new node starts; each running node gets SIGTERM or its signalOnStop; its status turns canceled at once', () => {
    const steps = [step('a'), step('b', { signalOnStop: 'SIGINT' }), step('c', { depends: ['a'] }), step('d')]
    const run = workingRun(plan(steps, { maxActiveSteps: 2 }))
    run.stop()
    expect(['a', 'b'].map(run.shown)).to.deep.equal(['canceled', 'canceled'])
    expect(run.stage.live('attempt').map(({ received }) => received)).to.deep.equal([
      [{ type: 'attempt.stop', signal: 'SIGTERM' }],
      [{ type: 'attempt.stop', signal: 'SIGINT' }]
    ])
    run.obeys()
    expect(run.begun).to.deep.equal(['node/a', 'node/b'])
  })
  it('7.3.4 the run stays running until every process is gone and the handlers ran, then canceled', () => {
    const run = workingRun(plan([step('a'), step('b')], { handlers: { cancel: step('onCancel') } }))
    run.stop()
    run.ends('a', -1)
    run.stage.advance(60_000)
    expect(run.state()).to.equal('stopping')
    expect([...run.actor.getSnapshot().tags]).to.deep.equal(['running'])
    run.ends('b', -1)
    expect(run.outcome()).to.equal(undefined)
    run.ends('onCancel')
    expect(run.outcome()).to.equal('canceled')
  })
  it('7.3.4 pending nodes stay not_started', () => {
    const run = workingRun(plan([step('a'), step('b')], { maxActiveSteps: 1 }))
    run.stop()
    run.obeys()
    expect(run.status('b')).to.equal('not_started')
  })
  it('5.2 run stopped: a dependent of a node that the stop cancels stays not_started too', () => {
    const run = workingRun(plan(chain(step('a'), step('b'), step('c'))))
    run.stop()
    run.obeys()
    expect(run.outcome()).to.equal('canceled')
    expect(run.status('a')).to.equal('canceled')
    expect(['b', 'c'].map(run.status)).to.deep.equal(['not_started', 'not_started'])
  })
  it('a node that throws while the run is stopped does not hold it up', () => {
    const run = workingRun(plan([step('a'), step('b')]))
    run.stage.breaks('node/b/alarm') // it waits for nothing before it is asked to stop
    run.stop()
    expect(run.status('b')).to.equal('failed')
    expect(run.outcome()).to.equal(undefined)
    run.obeys()
    expect(run.outcome()).to.equal('canceled')
  })
  it('5.2 run stopped: a dependent of a node that throws then stays not_started', () => {
    const run = workingRun(plan([step('b'), step('c', { depends: ['b'] })]))
    run.stage.breaks('node/b/alarm')
    run.stop()
    expect(run.outcome()).to.equal('canceled')
    expect(run.status('c')).to.equal('not_started')
  })
  it('stops a run that is being prepared: no node starts, handlers cancel and exit', () => {
    const run = driveRun(plan([step('a')], { handlers: { cancel: step('onCancel'), exit: step('onExit') } }))
    run.stop()
    expect(run.stage.the('preparation').received).to.deep.equal([{ type: 'preparation.stop' }])
    run.prepared()
    run.ends('onCancel')
    run.ends('onExit')
    expect(run.begun).to.deep.equal(['handler/onCancel', 'handler/onExit'])
    expect(run.outcome()).to.equal('canceled')
  })
  it('a preparation that gives up because of the stop leaves the run canceled', () => {
    const run = driveRun(plan([step('a')]))
    run.stop()
    run.unprepared('aborted')
    expect(run.outcome()).to.equal('canceled')
    expect(run.status('a')).to.equal('not_started')
  })
  it('stops a run whose preconditions are being checked', () => {
    const run = driveRun(plan([step('a')], { preconditions }))
    run.prepared()
    run.stop()
    expect(run.stage.live('conditions')).to.deep.equal([])
    expect(run.outcome()).to.equal('canceled')
  })
  for (const [where, arrive] of [
    ['at work', (run: ReturnType<typeof driveRun>) => run.prepared()],
    ['being prepared', () => {}]
  ] as const)
    it(`5.5.1 a run that was stopped stays canceled when its time limit passes during the grace period (${where})`, () => {
      const run = driveRun(plan([step('a')], { timeoutMs: 10_000 }))
      arrive(run)
      run.stage.advance(9_000)
      run.stop()
      run.stage.advance(2_000)
      if (where === 'at work') run.obeys()
      else run.prepared()
      expect(run.outcome()).to.equal('canceled')
    })
})

describe('run › who has stopped it', () => {
  const [anna, ops] = [
    { type: 'api', by: 'anna' },
    { type: 'cli', by: 'ops' }
  ] as const

  it('the first who asks is kept, also when a later one uses force', () => {
    const run = workingRun(plan([step('a')], { handlers: { cancel: step('onCancel') } }))
    run.actor.send({ type: 'run.stop', at: run.stage.now, from: anna })
    run.actor.send({ type: 'run.force', at: run.stage.now, from: ops })
    expect(run.context().stoppedBy).to.deep.equal(anna)
  })
  it('one that is being prepared, and one that waits for its version, too', () => {
    const preparing = driveRun(plan([step('a')]))
    preparing.actor.send({ type: 'run.stop', at: preparing.stage.now, from: anna })
    preparing.actor.send({ type: 'run.force', at: preparing.stage.now, from: ops })
    expect(preparing.context().stoppedBy).to.deep.equal(anna)
    const superseded = workingRun(plan([step('a')]))
    superseded.actor.send({ type: 'release.differs', at: superseded.stage.now, version: '2', wanted: '1' })
    superseded.actor.send({ type: 'run.stop', at: superseded.stage.now, from: ops })
    expect(superseded.context().stoppedBy).to.deep.equal(ops)
  })
  it('nobody, if nobody is known, or if its time was over', () => {
    const run = workingRun(plan([step('a')], { timeoutMs: 1_000 }))
    run.stage.advance(1_000)
    run.actor.send({ type: 'run.stop', at: run.stage.now, from: anna })
    expect(run.context().stoppedBy).to.equal(undefined)
  })
})

describe('run › 7.3.6 a stop is idempotent: a second one changes nothing, and never cuts a handler', () => {
  const handlers = { success: step('onSuccess'), cancel: step('onCancel'), exit: step('onExit') }
  const received = (run: RunDrive, of: string) => run.stage.the('attempt', of).received.map(({ type }) => type)

  it('handlers: cancel, then exit; each ends by itself however often the run is stopped', () => {
    const run = workingRun(plan([step('a')], { handlers, cleanUpMs: 3_000 }))
    for (let times = 0; times < 16; times++) run.stop()
    run.obeys()
    for (const handler of ['onCancel', 'onExit']) {
      run.stop()
      run.stage.advance(60_000)
      run.stop()
      expect([run.shown(handler), received(run, `handler/${handler}`)]).to.deep.equal(['running', []])
      run.ends(handler)
    }
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['node/a', 'handler/onCancel', 'handler/onExit']])
  })
  it('a first one, too, when it comes while the handlers of a run that ended well are running', () => {
    const run = workingRun(plan([step('a')], { handlers }))
    run.ends('a')
    run.stop()
    expect(received(run, 'handler/onSuccess')).to.deep.equal([])
    run.ends('onSuccess')
    run.ends('onExit')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('a second stop while steps are ending does not extend their grace period', () => {
    const run = workingRun(plan([step('a')], { cleanUpMs: 3_000 }))
    run.stop()
    run.stage.advance(2_000)
    run.stop()
    expect(received(run, 'node/a')).to.deep.equal(['attempt.stop'])
    run.stage.advance(1_000)
    expect(received(run, 'node/a')).to.deep.equal(['attempt.stop', 'attempt.kill'])
  })
  it('a second one while the run is being prepared', () => {
    const run = driveRun(plan([step('a')], { handlers }))
    run.stop()
    run.stop()
    run.prepared()
    run.ends('onCancel')
    run.ends('onExit')
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['handler/onCancel', 'handler/onExit']])
  })
})
