/** What tests expect of runs: plain functions, a plugin for chai, matchers for vitest and jest. */
import * as chai from 'chai'
import type { RunView } from '../../src/engine/engine.ts'
import {
  chaiPlugin,
  checkCalls,
  checkRunStatus,
  checkStepOutput,
  checkStepStatus,
  matchers,
  testEngine
} from '../../src/testing/index.ts'

const { expect } = chai

describe('troupe/testing › checks', () => {
  let view: RunView
  let engine: Awaited<ReturnType<typeof testEngine>>
  before(async () => {
    engine = await testEngine({
      dags: ['name: etl\nhandlerOn: {exit: {command: bye}}\nsteps:\n  - {name: load, command: x, output: N}\n']
    })
    engine.mock('etl/load', { rows: 3 })
    engine.mock('etl/onExit', '')
    view = await engine.result(await engine.start({ fileName: 'etl' }))
  })
  after(() => engine.close())

  it('a check says what was wanted and what was found', () => {
    expect(checkRunStatus(view, 'succeeded').pass).to.equal(true)
    expect(checkRunStatus(view, 'failed').message).to.equal(
      `run ${view.run.dagRunId} of etl: wanted "failed", found "succeeded"`
    )
    expect(checkRunStatus(undefined, 'failed').message).to.contain('wanted a run, found nothing')
    expect(checkStepStatus(view, 'onExit', 'succeeded').pass).to.equal(true)
    expect(checkStepStatus(view, 'laod', 'failed').message).to.contain(
      'has no step "laod"; did you mean load?; it has load, onExit'
    )
    expect(checkStepOutput(view, 'load', { rows: 3 }).pass).to.equal(true)
    expect(checkStepOutput(view, 'load', '{"rows":4}').message).to.contain('found "{\\"rows\\":3}"')
    expect(checkCalls(engine, 'etl/load').pass).to.equal(true)
    expect(checkCalls(engine, 'etl/load', 2).message).to.equal('step etl/load: wanted 2 executions, found 1 execution')
  })
  it('the plugin for chai, and its negation', () => {
    chai.use(chaiPlugin as never) // chai types its plugins with all of itself
    const assert = (subject: unknown) =>
      expect(subject).to.have as unknown as Record<string, (...args: unknown[]) => void>
    assert(view).runStatus?.('succeeded')
    assert(view).stepStatus?.('load', 'succeeded')
    assert(view).stepOutput?.('load', { rows: 3 })
    assert(engine).executed?.('etl/load', 1)
    expect(() => assert(view).runStatus?.('failed')).to.throw('wanted "failed", found "succeeded"')
    const not = expect(view).not.to.have as unknown as Record<string, (...args: unknown[]) => void>
    expect(() => not.runStatus?.('succeeded')).to.throw('not wanted: run')
  })
  it('matchers have the form of vitest and jest', () => {
    const { pass, message } = matchers.toHaveRunStatus(view, 'failed')
    expect(pass).to.equal(false)
    expect(message()).to.contain('wanted "failed"')
    expect(matchers.toHaveStepStatus(view, 'load', 'succeeded').pass).to.equal(true)
    expect(matchers.toHaveStepOutput(view, 'load', { rows: 3 }).pass).to.equal(true)
    expect(matchers.toHaveExecuted(engine, 'etl/onExit', 1).pass).to.equal(true)
  })
})
