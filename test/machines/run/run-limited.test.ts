/** The handlers of a run whose server shuts down. Source: execution-semantics 7.1.6. */
import { expect } from 'chai'
import type { Plan } from '../../../machines/vocabulary.ts'
import { type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { restartedRun, storedRun } from '../../support/engine/restart.ts'

const HANDLERS_MS = 5_000
const handlers = { cancel: step('onCancel'), exit: step('onExit') }

const limit = ({ actor, stage }: RunDrive) => actor.send({ type: 'handlers.limited', at: stage.now })
/** A run that its server has asked to stop. */
function stopped(also: Partial<Plan> = {}): RunDrive {
  const run = workingRun(plan([step('a')], { handlers, cleanUpMs: 60_000, ...also }))
  run.stop()
  limit(run)
  return run
}
const asked = (run: RunDrive, of: string) => run.stage.the('attempt', `handler/${of}`).received.map(({ type }) => type)

describe('run › 7.1.6 when the server shuts down with stop, handlers get at most 5 s in total', () => {
  it('they count from the start of the first one; it is killed then, and no further one starts', () => {
    const run = stopped()
    run.stage.advance(20_000)
    expect(run.state()).to.equal('stopping')
    run.obeys()
    run.stage.advance(HANDLERS_MS - 1)
    expect(asked(run, 'onCancel')).to.deep.equal([])
    run.stage.advance(1)
    expect(asked(run, 'onCancel')).to.deep.equal(['attempt.stop', 'attempt.kill'])
    run.obeys()
    expect([run.outcome(), run.begun]).to.deep.equal(['canceled', ['node/a', 'handler/onCancel']])
  })
  it('the exit handler has what the other one has left of them', () => {
    const run = stopped()
    run.obeys()
    run.stage.advance(3_000)
    run.ends('onCancel')
    run.stage.advance(1_999)
    expect(asked(run, 'onExit')).to.deep.equal([])
    run.stage.advance(1)
    expect(asked(run, 'onExit')).to.deep.equal(['attempt.stop', 'attempt.kill'])
  })
  it('of a run that is at its handlers they count from then, however often it is said', () => {
    const run = workingRun(plan([step('a')], { handlers: { exit: step('onExit') } }))
    run.ends('a')
    run.stage.advance(60_000)
    limit(run)
    run.stage.advance(HANDLERS_MS - 1)
    limit(run)
    expect(asked(run, 'onExit')).to.deep.equal([])
    run.stage.advance(1)
    expect(asked(run, 'onExit')).to.deep.equal(['attempt.stop', 'attempt.kill'])
  })
  it('handlers that end in time leave no alarm behind', () => {
    const run = stopped()
    run.obeys()
    run.ends('onCancel')
    expect(run.stage.live('alarm')).to.have.length(1)
    run.ends('onExit')
    expect([run.outcome(), run.stage.live('alarm')]).to.deep.equal(['canceled', []])
  })
  it('it is the limit of that server: after a restart the handlers continue without it', () => {
    const before = stopped()
    before.obeys()
    const run = restartedRun(before, storedRun(before))
    run.stage.advance(10 * HANDLERS_MS)
    expect(asked(run, 'onCancel')).to.deep.equal([])
    expect(run.stage.live('alarm')).to.deep.equal([])
  })
})
