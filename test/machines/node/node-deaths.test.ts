/** A step at whose work the process has ended. Source: docs/executors/function.md "A function that ends the process". */
import { expect } from 'chai'
import type { AttemptInput } from '../../../machines/node.ts'
import { eachOf } from '../../../machines/node.ts'
import type { Interruption } from '../../../machines/policy/deaths.ts'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

const DIED_TWICE =
  'the process ended twice while this step was running, so it is not begun a third time: look at what it does, then retry it by hand'
const unknown = { error: 'interrupted: outcome unknown' }
const outputOf = (node: ReturnType<typeof driveNode>) => node.actor.getSnapshot().output
const drive = (onInterrupt: Interruption, wish: StepWish = {}) => driveNode(step('a', wish), { onInterrupt })

/** Its process ends, and what the next engine finds of it ends as unknown. */
function dies(node: ReturnType<typeof driveNode>): void {
  node.died()
  node.ends(1, unknown)
}

describe('node › its process ends while it is at work', () => {
  it('a function is called again once; after the second time in a row it fails and says why', () => {
    const node = drive('again')
    dies(node)
    expect([node.attempts(), node.context().died]).to.deep.equal([[1, 2], { attempt: 1, times: 1 }])
    dies(node)
    expect(node.attempts()).to.deep.equal([1, 2])
    expect(outputOf(node)).to.include({ status: 'failed' })
    expect(node.context()).to.include({ error: DIED_TWICE, exitCode: 1, retryCount: 0 })
  })
  it('neither its retryPolicy nor its repeatPolicy begins it a third time; continueOn applies', () => {
    const node = drive('again', { retry: { limit: 9 }, repeat: repeat(), continueOn: { failure: true } })
    dies(node)
    dies(node)
    expect(outputOf(node)).to.include({ status: 'failed', continues: true })
    expect([node.attempts(), node.context().error]).to.deep.equal([[1, 2], DIED_TWICE])
  })
  it('functions that are asked before its first attempt are asked again once; the attempts then count from the start', () => {
    const asked = (wish: StepWish = {}, onInterrupt: Interruption = 'resume') =>
      driveNode(step('a', { functions: { preconditions: 'f' }, preconditions: [{ condition: 'true' }], ...wish }), {
        onInterrupt
      })
    const dies = (node: ReturnType<typeof driveNode>) => node.stage.the('preparation').answer('preparation.died')
    const node = asked({ continueOn: { failure: true } })
    dies(node)
    expect([node.state(), node.context().died]).to.deep.equal(['preparing', { attempt: 0, times: 1 }])
    dies(node)
    expect([node.attempts(), outputOf(node)?.status, outputOf(node)?.continues]).to.deep.equal([[], 'failed', true])
    expect(node.context()).to.include({ error: DIED_TWICE, exitCode: 1 })
    const other = asked()
    dies(other)
    other.prepared()
    expect([other.attempts(), other.context().died]).to.deep.equal([[1], undefined])
    const rerun = asked({}, 'rerun')
    for (const _ of [1, 2, 3]) dies(rerun)
    expect(rerun.state()).to.equal('preparing')
  })
  it('an executor of the host application, which its retryPolicy begins again, fails likewise', () => {
    const node = drive('resume', { retry: { limit: 9, interval: 1_000 } })
    dies(node)
    expect(node.state()).to.equal('waiting')
    node.stage.advance(1_000)
    dies(node)
    expect(outputOf(node)).to.include({ status: 'failed' })
    expect([node.attempts(), node.context().error]).to.deep.equal([[1, 2], DIED_TWICE])
  })
  it('only times in a row count: one attempt that ends by itself between them, or with a closed engine, begins the count again', () => {
    const ended = drive('again', { retry: { limit: 9, interval: 1_000 } })
    dies(ended)
    ended.ends(1)
    ended.stage.advance(1_000)
    dies(ended)
    expect([ended.attempts(), ended.context().died]).to.deep.equal([[1, 2, 3, 4], { attempt: 3, times: 1 }])
    const closed = drive('again')
    dies(closed)
    closed.found()
    closed.ends(1, unknown)
    dies(closed)
    expect([closed.attempts(), closed.context().died]).to.deep.equal([[1, 2, 3, 4], { attempt: 3, times: 1 }])
  })
  it('an engine that ends before it begins the step again does not count against it', () => {
    for (const onInterrupt of ['again', 'resume'] as const) {
      const node = drive(onInterrupt)
      node.died()
      node.died()
      expect(node.context().died, onInterrupt).to.deep.equal({ attempt: 1, times: 1 })
    }
  })
  it('an end of the process that a program without the code finds counts', () => {
    const node = drive('again')
    dies(node)
    node.stage.the('attempt').answer('attempt.missing', {
      code: { kind: 'function', name: 'charge', step: 'a' },
      mayHaveBegun: true,
      died: true
    })
    expect(node.context().died).to.deep.equal({ attempt: 2, times: 2 })
    node.registered()
    node.found()
    node.ends(1, unknown)
    expect(node.context().error).to.equal(DIED_TWICE)
  })
  it('onInterrupt: rerun asks for it however often; onInterrupt: fail allows no second time', () => {
    const asked = drive('rerun')
    for (let times = 0; times < 5; times++) dies(asked)
    expect(asked.attempts()).to.deep.equal([1, 2, 3, 4, 5, 6])
    const failed = drive('fail')
    dies(failed)
    expect([failed.attempts(), failed.context().error]).to.deep.equal([[1], 'interrupted: outcome unknown'])
  })
  it('items go on under the number of their attempt: the second time, none begins', () => {
    const node = drive('again', { each: { items: [1], maxConcurrent: 1 } })
    const after = (): AttemptInput => eachOf(node.context(), { died: true })
    expect(after()).to.not.have.property('isSpent')
    node.actor.send({ type: 'attempt.began', at: 0, died: true })
    expect(node.context().died).to.deep.equal({ attempt: 1, times: 1 })
    expect(after()).to.include({ isSpent: true })
    expect(eachOf(node.context()), 'the engine had closed').to.not.have.property('isSpent')
  })
})
