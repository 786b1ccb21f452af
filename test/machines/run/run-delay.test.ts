/** delaySec, and how a run meets nodes that repeat. Source: execution-semantics 5.5, 7.1.1, 7.1.5, 7.2.1, 7.3.5, 13.5.3. */
import { expect } from 'chai'
import { driveRun, workingRun } from '../../support/charts/charts.ts'
import { plan, repeat, step } from '../../support/charts/plans.ts'
import { START } from '../../support/charts/stage.ts'
import { restartedRun, storedRun } from '../../support/engine/restart.ts'

const delayMs = 10_000
const condition = { condition: 'test -f go' }

describe('run › 7.1.5 delaySec', () => {
  it('the run is running, waits once, then starts its first nodes', () => {
    const run = workingRun(plan([step('a'), step('b', { depends: ['a'] })], { delayMs }))
    expect(run.state()).to.equal('delaying')
    run.stage.advance(9_999)
    expect(run.running()).to.deep.equal([])
    run.stage.advance(1)
    expect(run.running()).to.deep.equal(['a'])
    expect(run.seen.get('node/a')?.context.startedAt).to.equal(START + delayMs)
    run.ends('a')
    expect(run.running(), 'not before later nodes').to.deep.equal(['b'])
  })
  it('preconditions are evaluated before it: a run that may not start does not wait', () => {
    const given = plan([step('a')], { delayMs, preconditions: [condition] })
    const unmet = driveRun(given)
    unmet.prepared()
    unmet.checked(false)
    expect(unmet.outcome()).to.equal('canceled')
    const met = driveRun(given)
    met.prepared()
    met.stage.advance(3_000)
    met.checked(true)
    expect(met.state()).to.equal('delaying')
    met.stage.advance(9_999)
    expect(met.running()).to.deep.equal([])
    met.stage.advance(1)
    expect(met.running()).to.deep.equal(['a'])
  })
  it('stop ends the wait: canceled, nodes not_started', () => {
    const run = workingRun(plan([step('a')], { delayMs }))
    run.stage.advance(1_000)
    run.stop()
    expect(run.outcome()).to.equal('canceled')
    expect(run.status('a')).to.equal('not_started')
    expect(run.stage.live('alarm')).to.deep.equal([])
  })
  it('7.1.1 timeoutSec counts the delay: it may end the run before its first node', () => {
    const run = workingRun(plan([step('a')], { delayMs, timeoutMs: 4_000 }))
    run.stage.advance(4_000)
    expect(run.outcome()).to.equal('failed')
    expect(run.status('a')).to.equal('canceled')
    expect(run.context().error).to.equal('run timed out after 4s')
  })
  it('7.1.1 and what the delay has left of it is the time of the nodes', () => {
    const run = workingRun(plan([step('a')], { delayMs, timeoutMs: 12_000 }))
    run.stage.advance(delayMs)
    expect(run.running()).to.deep.equal(['a'])
    run.stage.advance(1_999)
    expect(run.state()).to.equal('working')
    run.stage.advance(1)
    run.obeys()
    expect(run.outcome()).to.equal('failed')
  })
  it('a run without steps waits too', () => {
    const run = workingRun(plan([], { delayMs }))
    expect(run.outcome()).to.equal(undefined)
    run.stage.advance(delayMs)
    expect(run.outcome()).to.equal('succeeded')
  })
  it('keeps its instant across a restart, beside the time limit of the run', () => {
    for (const timeoutMs of [0, 60_000]) {
      const before = workingRun(plan([step('a')], { delayMs, timeoutMs }))
      before.stage.advance(4_000)
      const run = restartedRun(before, storedRun(before))
      expect(run.state()).to.equal('delaying')
      run.stage.advance(5_999)
      expect(run.running()).to.deep.equal([])
      run.stage.advance(1)
      expect(run.running()).to.deep.equal(['a'])
    }
  })
  it('both are over when the engine comes back: the time limit holds', () => {
    const before = workingRun(plan([step('a')], { delayMs, timeoutMs: 4_000 }))
    const saved = storedRun(before)
    before.stage.now += 60_000
    const run = restartedRun(before, saved)
    run.stage.advance(0)
    expect(run.outcome()).to.equal('failed')
  })
})

describe('run › nodes that repeat', () => {
  const loop = step('loop', { repeat: repeat({ intervalMs: 60_000 }) })
  it('7.2.1 maxActiveSteps: one that waits for its next pass occupies a slot', () => {
    const run = workingRun(plan([loop, step('other')], { maxActiveSteps: 1 }))
    run.ends('loop')
    expect(run.running()).to.deep.equal(['loop'])
    run.stage.advance(60_000)
    run.ends('loop', 1)
    expect(run.running()).to.deep.equal(['other'])
  })
  it('5.5 a stop when only a repeating step was running that finished its pass: succeeded', () => {
    const run = workingRun(plan([loop]))
    run.stop()
    expect(run.state()).to.equal('stopping')
    expect(run.shown('loop')).to.equal('running')
    run.ends('loop')
    expect(run.status('loop')).to.equal('succeeded')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('5.5 a stop in the wait after a good pass: succeeded, with nothing else to come; else canceled', () => {
    const alone = workingRun(plan([loop]))
    alone.ends('loop')
    alone.stop()
    expect(alone.outcome()).to.equal('succeeded')
    const more = workingRun(plan([loop, step('after', { depends: ['loop'] })]))
    more.ends('loop')
    more.stop()
    expect(more.outcome()).to.equal('canceled')
    expect([more.status('loop'), more.status('after')]).to.deep.equal(['succeeded', 'not_started'])
  })
  it('5.5 a stop whose last pass fails: canceled', () => {
    const run = workingRun(plan([loop]))
    run.stop()
    run.ends('loop', 1)
    expect(run.status('loop')).to.equal('failed')
    expect(run.outcome()).to.equal('canceled')
  })
  it('7.1.1 a run timeout ends it like any other node', () => {
    const run = workingRun(plan([loop], { timeoutMs: 4_000 }))
    run.stage.advance(4_000)
    expect(run.shown('loop')).to.equal('canceled')
    run.obeys()
    expect(run.status('loop')).to.equal('canceled')
    expect(run.outcome()).to.equal('failed')
  })
  it('7.3.6 force ends a handler at once, one that repeats too', () => {
    const run = workingRun(plan([], { handlers: { exit: step('onExit', { repeat: repeat() }) } }))
    run.actor.send({ type: 'run.force', at: run.stage.now })
    expect(run.stage.the('attempt').received).to.deep.include({ type: 'attempt.stop', signal: 'SIGTERM' })
  })
})

describe('run › 13.5.3 onInterrupt at DAG or step level', () => {
  const given = { onInterrupt: 'fail' } as const
  const received = (run: ReturnType<typeof workingRun>, id: string) => run.seen.get(id)?.context.onInterrupt
  it('the value of the step, otherwise that of the DAG; handlers, too', () => {
    const steps = [step('a'), step('b', { onInterrupt: 'rerun' }), step('c', { onInterrupt: 'resume' })]
    const run = workingRun(plan(steps, { ...given, handlers: { exit: step('onExit') } }))
    expect(['a', 'b', 'c'].map((name) => received(run, `node/${name}`))).to.deep.equal(['fail', 'rerun', undefined])
    for (const { name } of steps) run.ends(name)
    expect(received(run, 'handler/onExit')).to.equal('fail')
  })
  it('is kept across a restart', () => {
    const before = workingRun(plan([step('a')], given))
    const run = restartedRun(before, storedRun(before))
    run.stage.the('attempt').answer('attempt.found')
    expect(run.stage.the('attempt').received).to.deep.equal([{ type: 'attempt.kill' }])
  })
})
