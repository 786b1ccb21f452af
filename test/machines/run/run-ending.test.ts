/** How a run is ended: by its time limit, by a stop. Source: execution-semantics 7.1, 7.3, 9.5.5. */
import { expect } from 'chai'
import { driveRun, type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { chain, plan, repeat, step } from '../../support/charts/plans.ts'

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

describe('run › 7.3.6 stop with force kills what is running, handlers included', () => {
  const handlers = { success: step('onSuccess'), cancel: step('onCancel'), exit: step('onExit') }
  const forced = (run: RunDrive) => run.actor.send({ type: 'run.force', at: run.stage.now })
  const received = (run: RunDrive, of: string) => run.stage.the('attempt', of).received

  it('steps are asked and killed at once, also one that repeats; no handler begins', () => {
    const run = workingRun(plan([step('a'), step('b', { repeat: repeat() })], { handlers, cleanUpMs: 60_000 }))
    forced(run)
    for (const node of ['node/a', 'node/b'])
      expect(received(run, node)).to.deep.equal([
        { type: 'attempt.stop', signal: 'SIGTERM' },
        { type: 'attempt.kill', force: true }
      ])
    run.obeys()
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['node/a', 'node/b']])
  })
  it('steps that a stop has asked before are killed, and no handler begins', () => {
    const run = workingRun(plan([step('a')], { handlers, cleanUpMs: 60_000 }))
    run.stop()
    forced(run)
    expect(received(run, 'node/a').at(-1)).to.deep.equal({ type: 'attempt.kill', force: true })
    run.obeys()
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['node/a']])
  })
  it('a step that is being killed is killed again, because its sub runs have not received the force', () => {
    const run = workingRun(plan([step('a')], { cleanUpMs: 3_000 }))
    run.stop()
    run.stage.advance(3_000)
    forced(run)
    expect(received(run, 'node/a').slice(1)).to.deep.equal([
      { type: 'attempt.kill' },
      { type: 'attempt.kill', force: true }
    ])
  })
  it('a handler is killed, the exit handler does not begin; a run whose steps ended well stays succeeded', () => {
    const run = workingRun(plan([step('a')], { handlers }))
    run.ends('a')
    forced(run)
    expect(received(run, 'handler/onSuccess').at(-1)).to.deep.equal({ type: 'attempt.kill', force: true })
    run.obeys()
    expect([run.outcome(), run.begun]).to.deep.equal(['succeeded', ['node/a', 'handler/onSuccess']])
  })
  for (const [where, arrive] of [
    ['being prepared', () => {}],
    ['checking its preconditions', (run: RunDrive) => run.prepared()],
    [
      'in its initial delay',
      (run: RunDrive) => {
        run.prepared()
        run.checked(true)
      }
    ]
  ] as const)
    it(`a run that is ${where} ends canceled without a handler`, () => {
      const run = driveRun(plan([step('a')], { handlers, preconditions, delayMs: 1_000 }))
      arrive(run)
      forced(run)
      if (where === 'being prepared') run.prepared()
      expect([run.outcome(), run.begun]).to.deep.equal(['canceled', []])
    })
})

describe('run › 9.5.5 a stop whose caller kills when its own grace period is over', () => {
  const handlers = { cancel: step('onCancel'), exit: step('onExit') }
  const stopped = () => {
    const run = workingRun(plan([step('a')], { handlers, cleanUpMs: 60_000 }))
    run.stop()
    return { ...run, kill: () => run.actor.send({ type: 'run.kill', at: run.stage.now }) }
  }
  const asked = (run: RunDrive, of: string) => run.stage.the('attempt', of).received.map(({ type }) => type)

  it('the steps are killed, the cancel and exit handlers run, it ends canceled', () => {
    const run = stopped()
    run.stage.advance(2_000)
    run.kill()
    expect(asked(run, 'node/a')).to.deep.equal(['attempt.stop', 'attempt.kill'])
    expect(run.seen.get('node/a')?.context.killAt).to.equal(run.stage.now)
    run.obeys()
    run.ends('onCancel')
    run.ends('onExit')
    expect(run.outcome()).to.equal('canceled')
  })
  it('a running handler continues, until it is killed the second time', () => {
    const run = stopped()
    run.obeys()
    run.kill()
    expect(asked(run, 'handler/onCancel')).to.deep.equal([])
    run.kill()
    expect(asked(run, 'handler/onCancel')).to.deep.equal(['attempt.stop', 'attempt.kill'])
    run.obeys()
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['node/a', 'handler/onCancel']])
  })
  it('no handler starts when its steps outlive the second', () => {
    const run = stopped()
    run.kill()
    run.kill()
    run.obeys()
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['node/a']])
  })
})
