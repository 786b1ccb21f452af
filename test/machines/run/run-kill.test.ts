/** How a run is ended by a stop with force, and by a caller whose grace period is over. Source: execution-semantics 7.3.6, 9.5.5. */
import { expect } from 'chai'
import { driveRun, type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { plan, repeat, step } from '../../support/charts/plans.ts'

const preconditions = [{ condition: 'true' }]

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
