/** Runs that continue an earlier one. Source: execution-semantics 13.1, 13.3. */
import { expect } from 'chai'
import { driveRun } from '../../support/charts/charts.ts'
import { chain, plan, repeat, type StepWish, step } from '../../support/charts/plans.ts'

describe('run › 13.1.5 step retry', () => {
  /** `b` of three is retried alone. */
  const again = (wish: StepWish, handlers: Parameters<typeof plan>[1] = {}) => {
    const steps = chain(step('a'), step('b', wish), step('c'))
    const run = driveRun(plan(steps, handlers), { only: 1, known: [{ status: 'succeeded' }, undefined, undefined] })
    run.prepared()
    return run
  }
  const retry = { limit: 3, interval: 0 }

  it('only that node is run, its retryPolicy ignored', () => {
    const run = again({ retry })
    run.ends('b', 1)
    expect(run.begun).to.deep.equal(['node/b'])
    expect(run.seen.get('node/b')?.context).to.include({ attempt: 1, retryCount: 0 })
    expect(run.outcome()).to.equal('failed')
  })
  it('of a step that repeats, each pass is one execution', () => {
    const run = again({ retry, repeat: repeat({ mode: 'until', exitCodes: [0], limit: 2 }) })
    run.ends('b', 1)
    run.stage.advance(0)
    run.ends('b', 1)
    expect(run.seen.get('node/b')?.context).to.include({ attempt: 2, retryCount: 0, doneCount: 2 })
    expect(run.outcome()).to.equal('failed')
  })
  it('that of a handler is not', () => {
    const run = again({}, { handlers: { exit: step('onExit', { retry: { limit: 1, interval: 1_000 } }) } })
    run.ends('b')
    run.ends('onExit', 1)
    expect(run.seen.get('handler/onExit')?.value).to.equal('waiting')
  })
})
