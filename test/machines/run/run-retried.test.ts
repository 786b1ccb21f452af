/** Runs that continue an earlier one. Source: execution-semantics 13.1, 13.3. */
import { expect } from 'chai'
import { type Known, openRunState, resolve } from '../../../machines/policy/readiness.ts'
import type { NodeStatus } from '../../../machines/vocabulary.ts'
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

describe('run › a retry from a step on', () => {
  const on = (...depends: string[]) => ({ depends })
  /** a ▶ b ▶ c, a ▶ x ▶ y, c and x ▶ z. */
  const steps = [
    step('a'),
    step('b', { ...on('a'), retry: { limit: 1 } }),
    step('c', on('b')),
    step('x', on('a')),
    step('y', on('x')),
    step('z', on('c', 'x'))
  ]
  const from = (known: (Known | undefined)[]) => {
    const run = driveRun(plan(steps), { only: [1, 2, 5], known })
    run.prepared()
    return run
  }
  const ended = (...statuses: NodeStatus[]) =>
    statuses.map((status) => (status === 'not_started' ? undefined : { status }))

  it('the step and what depends on it run, one after the other, their retryPolicy included; the other branch does not', () => {
    const run = from(ended('succeeded', 'not_started', 'not_started', 'succeeded', 'succeeded', 'not_started'))
    run.ends('b', 1)
    run.stage.advance(0)
    for (const name of ['b', 'c', 'z']) run.ends(name)
    expect(run.begun).to.deep.equal(['node/b', 'node/c', 'node/z'])
    expect(run.outcome()).to.equal('succeeded')
  })
  it('the step runs whatever has become of those before it; a branch that has failed stays failed, and what also depends on it follows', () => {
    const run = from(ended('failed', 'not_started', 'not_started', 'failed', 'canceled', 'not_started'))
    for (const name of ['b', 'c']) run.ends(name)
    expect(run.begun).to.deep.equal(['node/b', 'node/c'])
    expect(run.outcome()).to.equal('failed')
  })
  it('what also depends on a step that never started is left out', () => {
    const run = from(ended('succeeded', 'not_started', 'not_started', 'not_started', 'not_started', 'not_started'))
    for (const name of ['b', 'c']) run.ends(name)
    expect(run.begun).to.deep.equal(['node/b', 'node/c'])
    expect(run.seen.get('node/x')).to.equal(undefined)
  })
  it('goes on after a restart in between', () => {
    const known = ended('failed', 'succeeded', 'running', 'succeeded', 'canceled', 'not_started')
    const state = openRunState(steps, 0, known, { only: [1, 2, 5] })
    expect([state.ready, [...state.active], state.open]).to.deep.equal([[], [2], 2])
    resolve(state, 2, 'succeeded', false)
    expect([state.ready, state.open]).to.deep.equal([[5], 1])
    expect(openRunState(steps, 0, known, { only: [1, 2, 5], stopped: true }).ready).to.deep.equal([])
  })
})
