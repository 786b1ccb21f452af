/** The lifecycle handlers of a run. Source: execution-semantics 8. */
import { expect } from 'chai'
import type { NodeInput } from '../../../machines/node.ts'
import type { HandlerKind, Step } from '../../../machines/vocabulary.ts'
import { type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { plan, type StepWish, step } from '../../support/charts/plans.ts'

const all = (wish: StepWish = {}): Record<HandlerKind, Step> => ({
  success: step('onSuccess', wish),
  failure: step('onFailure', wish),
  cancel: step('onCancel', wish),
  exit: step('onExit', wish)
})
const handled = (steps = [step('a')], handlers: Partial<Record<HandlerKind, Step>> = all()) =>
  workingRun(plan(steps, { handlers }))
const handlersOf = ({ begun }: RunDrive) => begun.filter((id) => id.startsWith('handler/'))
/** DAG_RUN_STATUS of a handler's execution. */
const received = ({ stage }: RunDrive, name: string) =>
  (stage.the('attempt', `handler/${name}`).input as NodeInput).runStatus

describe('run › 8 handlers', () => {
  it('8.1 exactly one of success / failure / cancel, then exit; sequential, each waits for the previous', () => {
    const run = handled()
    run.ends('a')
    expect(handlersOf(run)).to.deep.equal(['handler/onSuccess'])
    run.ends('onSuccess')
    expect(handlersOf(run)).to.deep.equal(['handler/onSuccess', 'handler/onExit'])
    expect(run.outcome()).to.equal(undefined)
    run.ends('onExit')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('8.1 any of them may be missing', () => {
    const exitOnly = handled([step('a')], { exit: step('onExit') })
    exitOnly.ends('a')
    expect(handlersOf(exitOnly)).to.deep.equal(['handler/onExit'])
    const successOnly = handled([step('a')], { success: step('onSuccess') })
    successOnly.ends('a')
    successOnly.ends('onSuccess')
    expect(successOnly.outcome()).to.equal('succeeded')
    const failureOnly = handled([step('a')], { failure: step('onFailure') })
    failureOnly.ends('a')
    expect(failureOnly.outcome()).to.equal('succeeded')
  })
  it('8.2 succeeded -> success', () => {
    const run = handled()
    run.ends('a')
    expect(handlersOf(run)).to.deep.equal(['handler/onSuccess'])
  })
  it('8.2 partially_succeeded -> success', () => {
    const run = handled([step('a'), step('b', { continueOn: { failure: true } })])
    run.ends('a')
    run.ends('b', 1)
    expect(handlersOf(run)).to.deep.equal(['handler/onSuccess'])
    expect(received(run, 'onSuccess')).to.equal('partially_succeeded')
  })
  it('8.2 failed -> failure', () => {
    const run = handled()
    run.ends('a', 1)
    expect(handlersOf(run)).to.deep.equal(['handler/onFailure'])
  })
  it('8.2 canceled by a stop -> cancel', () => {
    const run = handled()
    run.stop()
    run.obeys()
    expect(handlersOf(run)).to.deep.equal(['handler/onCancel'])
  })
  it('8.3 they run after every node is resolved, also when the run has no steps', () => {
    const run = handled([step('a'), step('b')])
    run.ends('a', 1)
    expect(handlersOf(run)).to.deep.equal([])
    const empty = handled([])
    empty.ends('onSuccess')
    empty.ends('onExit')
    expect(empty.outcome()).to.equal('succeeded')
  })
  it('8.5 names are onSuccess, onFailure, onCancel, onExit whatever `name` says', () => {
    const run = handled([], { success: step('tell everybody') })
    expect(handlersOf(run)).to.deep.equal(['handler/onSuccess'])
    expect(run.seen.get('handler/onSuccess')?.context.place).to.equal('onSuccess')
  })
  it('8.5 a step may have the name of a handler', () => {
    const run = handled([step('onExit')], { exit: step('onExit') })
    run.stage.the('attempt', 'node/onExit').answer('attempt.ended', { exitCode: 0 })
    run.ends('onExit')
    expect(run.begun).to.deep.equal(['node/onExit', 'handler/onExit'])
    expect(run.outcome()).to.equal('succeeded')
  })
  it('8.6 DAG_RUN_STATUS is computed before each handler: exit sees failed when the success handler failed', () => {
    const run = handled()
    run.ends('a')
    expect(received(run, 'onSuccess')).to.equal('succeeded')
    run.ends('onSuccess', 1)
    expect(received(run, 'onExit')).to.equal('failed')
  })
  it('8.6 exit sees canceled after a stop, and failed after a failure', () => {
    const stopped = handled()
    stopped.stop()
    stopped.obeys()
    expect(received(stopped, 'onCancel')).to.equal('canceled')
    stopped.ends('onCancel', 1)
    expect(received(stopped, 'onExit')).to.equal('canceled')
    const failed = handled()
    failed.ends('a', 1)
    failed.ends('onFailure')
    expect(received(failed, 'onExit')).to.equal('failed')
  })
  it('8.6 a step gets no DAG_RUN_STATUS', () => {
    expect((handled().stage.the('attempt', 'node/a').input as NodeInput).runStatus).to.equal(undefined)
  })
  it('8.8 retryPolicy is honoured', () => {
    const run = handled([], { exit: step('onExit', { retry: { limit: 1, interval: 1_000 } }) })
    run.ends('onExit', 1)
    run.stage.advance(1_000)
    run.ends('onExit')
    expect(run.outcome()).to.equal('succeeded')
  })
  it('8.8 preconditions are honoured: a handler that is skipped changes nothing', () => {
    const run = handled([], { exit: step('onExit', { preconditions: [{ condition: 'false' }] }) })
    run.skips('onExit')
    expect(run.outcome()).to.equal('succeeded')
    expect(run.shown('onExit')).to.equal('skipped')
  })
  it('8.9 a failing handler: its node failed, the following exit handler still runs', () => {
    const run = handled()
    run.ends('a')
    run.ends('onSuccess', 1)
    expect(run.shown('onSuccess')).to.equal('failed')
    run.ends('onExit')
    expect(run.outcome()).to.equal('failed')
  })
  it('8.9 a handler whose set-up fails is an error', () => {
    const run = handled([], { exit: step('onExit', { retry: { limit: '${N}' } }) })
    run.stage.the('preparation').answer('node.unprepared', { error: 'wanted an integer' })
    expect(run.outcome()).to.equal('failed')
  })
  it('a handler that throws does not keep the exit handler from running', () => {
    const run = handled()
    run.stage.breaks('handler/onSuccess/attempt')
    run.ends('a')
    expect(received(run, 'onExit')).to.equal('failed')
  })
  it('8.10 handlers that did not run show status not_started', () => {
    const run = handled()
    run.ends('a')
    expect(['onFailure', 'onCancel', 'onExit'].map(run.shown)).to.deep.equal([
      'not_started',
      'not_started',
      'not_started'
    ])
  })
  it('8.11 run finishedAt is set after the last handler', () => {
    const run = handled([], { exit: step('onExit') })
    run.stage.advance(7_000)
    run.ends('onExit')
    expect(run.actor.getSnapshot().output?.at).to.equal(run.stage.now)
  })
})
