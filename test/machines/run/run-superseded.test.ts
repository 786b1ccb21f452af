/** A run whose definition in code has another version now. Source: embedding 2.7; docs/embedding/upgrades.md. */
import { expect } from 'chai'
import { isSuperseded } from '../../../machines/policy/drift.ts'
import { driveRun, type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { plan, step } from '../../support/charts/plans.ts'

const differs = ({ actor, stage }: RunDrive, version = '2') =>
  actor.send({ type: 'release.differs', at: stage.now, version, wanted: '1' })
const opened = ({ actor, stage }: RunDrive) => actor.send({ type: 'release.opened', at: stage.now })
const chain = () => plan([step('a'), step('b', { depends: ['a'] })])

describe('run › superseded: another version of its definition in code', () => {
  it('onDrift fail, and another version is here: superseded; the same version, or onDrift continue, or a stranger: not', () => {
    const release = { dag: 'a', version: '1', planHash: 'x' }
    const held = plan([step('a')], { release, onDrift: 'fail' })
    expect(isSuperseded(held, { ...release, version: '2' })).to.equal(true)
    expect(isSuperseded(held, { ...release, planHash: 'y' })).to.equal(false)
    expect(isSuperseded(held, undefined)).to.equal(false)
    expect(isSuperseded(plan([step('a')], { release }), { ...release, version: '2' })).to.equal(false)
    expect(isSuperseded(plan([step('a')], { onDrift: 'fail' }), { ...release, version: '2' })).to.equal(false)
  })
  it('it waits where it was: no step is stopped or started, and it goes on when its version opens', () => {
    const run = workingRun(chain())
    differs(run)
    expect(run.state()).to.equal('superseded')
    expect(run.context().superseded).to.deep.equal({ version: '2', wanted: '1', from: 'working' })
    expect(run.running()).to.deep.equal([])
    run.stage.advance(1_000_000)
    opened(run)
    expect(run.context().superseded).to.equal(undefined)
    expect(run.running()).to.deep.equal(['a'])
    run.ends('a')
    run.ends('b')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('yet another version is noted', () => {
    const run = workingRun(chain())
    differs(run)
    differs(run, '3')
    expect(run.context().superseded).to.deep.equal({ version: '3', wanted: '1', from: 'working' })
  })
  it('before its first step it is prepared, checked or delayed again', () => {
    const preparing = driveRun(chain())
    differs(preparing)
    expect(preparing.state()).to.equal('superseded')
    opened(preparing)
    preparing.prepared()
    expect(preparing.running()).to.deep.equal(['a'])

    const checking = driveRun(plan([step('a')], { preconditions: [{ condition: 'true' }] }))
    checking.prepared()
    differs(checking)
    opened(checking)
    expect(checking.state()).to.equal('checking')
    checking.checked(true)
    expect(checking.running()).to.deep.equal(['a'])

    const delaying = workingRun(plan([step('a')], { delayMs: 5_000 }))
    differs(delaying)
    delaying.stage.advance(6_000)
    expect(delaying.state()).to.equal('superseded')
    opened(delaying)
    delaying.stage.advance(0)
    expect(delaying.running()).to.deep.equal(['a'])
  })
  it('a stop ends it as it would have ended where it was: steps at work are stopped, others never start', () => {
    const run = workingRun(chain())
    differs(run)
    run.stop()
    expect(run.state()).to.equal('stopping')
    run.ends('a', 143)
    expect(run.outcome()).to.equal('canceled')
    expect(run.status('b')).to.equal('not_started')

    const preparing = driveRun(chain())
    differs(preparing)
    preparing.stop()
    preparing.prepared()
    expect(preparing.outcome()).to.equal('canceled')
    expect(preparing.begun).to.deep.equal([])
  })
  it('timeoutSec goes on counting', () => {
    const run = workingRun(plan([step('a'), step('b', { depends: ['a'] })], { timeoutMs: 10_000 }))
    differs(run)
    run.stage.advance(10_000)
    expect(run.state()).to.equal('stopping')
    run.ends('a', 143)
    expect(run.outcome()).to.equal('failed')
    expect(run.status('b')).to.equal('canceled')
  })
  it('a run that only ends is left in peace', () => {
    const run = workingRun(plan([step('a')], { handlers: { exit: step('onExit') } }))
    run.ends('a')
    differs(run)
    expect(run.state()).to.deep.equal({ concluding: 'exiting' })
  })
  it('a signal that comes meanwhile is kept whole, and its step gets it when the run goes on', () => {
    const wait = { kind: 'signal' as const }
    const run = workingRun(plan([step('a', { wait, executor: { type: 'signal', config: {} } })]))
    differs(run)
    const signal = { type: 'signal.given' as const, step: 'a', output: '{"cents":5}', by: 'eve' }
    run.actor.send({ ...signal, at: run.stage.now })
    expect(run.context().given?.a?.output).to.equal('{"cents":5}')
    opened(run)
    expect(run.outcome()).to.equal('succeeded')
    expect(run.seen.get('node/a')?.context).to.deep.include({ output: '{"cents":5}' })
  })
})
