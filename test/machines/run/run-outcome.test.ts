/** The status of a run at its end, through its chart. Source: execution-semantics 5.5. */
import { expect } from 'chai'
import { workingRun } from '../../support/charts/charts.ts'
import { plan, type StepWish, step } from '../../support/charts/plans.ts'

const preconditions = [{ condition: 'test -f go' }]
const continued: StepWish = { continueOn: { failure: true } }

/** A run of independent steps, each ending with its code, or skipped. */
function outcomeOf(...ends: [wish: StepWish, end: number | 'skipped'][]) {
  const steps = ends.map(([wish, end], index) =>
    step(`s${index}`, { ...wish, ...(end === 'skipped' ? { preconditions } : {}) })
  )
  const run = workingRun(plan(steps))
  for (const [index, [, end]] of ends.entries())
    if (end === 'skipped') run.skips(`s${index}`)
    else run.ends(`s${index}`, end)
  return run.outcome()
}

describe('run › 5.5 run status at the end (first rule that holds)', () => {
  it('1: the run was stopped, and not all nodes are succeeded/skipped/partially_succeeded: canceled', () => {
    const run = workingRun(plan([step('a'), step('b', { depends: ['a'] })]))
    run.ends('a')
    run.stop()
    run.obeys()
    expect(run.outcome()).to.equal('canceled')
  })
  it('1: also when a node failed before the stop', () => {
    const run = workingRun(plan([step('a'), step('b')]))
    run.ends('a', 1)
    run.stop()
    run.obeys()
    expect(run.outcome()).to.equal('canceled')
  })
  it('2: no failed node without a matching continueOn, one succeeded, one failed with: partially_succeeded', () => {
    expect(outcomeOf([{}, 0], [continued, 1])).to.equal('partially_succeeded')
    expect(outcomeOf([{}, 0], [continued, 1], [{}, 'skipped'])).to.equal('partially_succeeded')
  })
  it('3: any error recorded, a failed node: failed', () => {
    expect(outcomeOf([{}, 0], [{}, 1])).to.equal('failed')
    expect(outcomeOf([{}, 0], [continued, 1], [{}, 1])).to.equal('failed')
  })
  it('4: otherwise succeeded', () => {
    expect(outcomeOf([{}, 0], [{}, 0])).to.equal('succeeded')
    expect(outcomeOf([{}, 0], [{}, 'skipped'])).to.equal('succeeded')
  })
})

describe('run › 5.5 consequences', () => {
  it('all nodes skipped: succeeded', () => {
    expect(outcomeOf([{}, 'skipped'], [{}, 'skipped'])).to.equal('succeeded')
  })
  it('every failed node has markSuccess: succeeded', () => {
    const marked: StepWish = { continueOn: { failure: true, markSuccess: true } }
    expect(outcomeOf([marked, 1], [marked, 2])).to.equal('succeeded')
  })
  it('only failed-with-continueOn and skipped nodes, none succeeded: failed', () => {
    expect(outcomeOf([continued, 1], [{}, 'skipped'])).to.equal('failed')
    expect(outcomeOf([continued, 1])).to.equal('failed')
  })
  it('stop that arrives when all nodes ended well: succeeded', () => {
    const run = workingRun(plan([step('a')], { handlers: { exit: step('onExit') } }))
    run.ends('a')
    run.stop()
    run.ends('onExit')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('run timeout: failed (not canceled), running nodes canceled, dependents canceled', () => {
    const run = workingRun(plan([step('a'), step('b', { depends: ['a'] })], { timeoutMs: 60_000 }))
    run.stage.advance(60_000)
    run.obeys()
    expect(run.outcome()).to.equal('failed')
    expect(['a', 'b'].map(run.status)).to.deep.equal(['canceled', 'canceled'])
  })
  it('run timeout: failed, also when all that ended would make it partially_succeeded', () => {
    const run = workingRun(plan([step('a'), step('b', continued), step('c')], { timeoutMs: 60_000 }))
    run.ends('a')
    run.ends('b', 1)
    run.stage.advance(60_000)
    run.obeys()
    expect(run.outcome()).to.equal('failed')
  })
})

describe('run › 5.5 handlers can change the result once', () => {
  const withHandler = (...steps: Parameters<typeof step>[]) =>
    workingRun(
      plan(
        steps.map((given) => step(...given)),
        { handlers: { exit: step('onExit') } }
      )
    )
  it('succeeded + failing handler = failed', () => {
    const run = withHandler(['a'])
    run.ends('a')
    run.ends('onExit', 1)
    expect(run.outcome()).to.equal('failed')
  })
  it('canceled stays', () => {
    const run = withHandler(['a'])
    run.stop()
    run.obeys()
    run.ends('onExit', 1)
    expect(run.outcome()).to.equal('canceled')
  })
  it('partially_succeeded stays', () => {
    const run = withHandler(['a'], ['b', continued])
    run.ends('a')
    run.ends('b', 1)
    run.ends('onExit', 1)
    expect(run.outcome()).to.equal('partially_succeeded')
  })
  it('a handler that throws fails like one that fails', () => {
    const run = withHandler(['a'])
    run.stage.breaks('handler/onExit/attempt')
    run.ends('a')
    expect(run.outcome()).to.equal('failed')
    expect(run.fault()).to.equal(undefined)
  })
})
