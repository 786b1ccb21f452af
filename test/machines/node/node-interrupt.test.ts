/** An execution that a restart interrupted. Source: execution-semantics 13.5.3. */
import { expect } from 'chai'
import type { OnInterrupt } from '../../../machines/vocabulary.ts'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

/** A node whose first execution was running when the engine died. @param before what happened until then */
function interrupted(
  onInterrupt: OnInterrupt,
  wish: StepWish = {},
  before: (node: ReturnType<typeof driveNode>) => void = () => {}
) {
  const node = driveNode(step('a', wish), { onInterrupt })
  before(node)
  return restarted(node, wish)
}
const restarted = (node: ReturnType<typeof driveNode>, wish: StepWish = {}) =>
  driveNode(step('a', wish), { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })
const outputOf = (node: ReturnType<typeof driveNode>) => node.actor.getSnapshot().output

const killed = { signal: 'killed', error: 'signal: killed' }
const unknown = { error: 'interrupted: outcome unknown' }

describe('node › 13.5.3 onInterrupt: resume', () => {
  it('adopt if alive: the execution goes on, nothing is sent to it', () => {
    const node = interrupted('resume')
    node.found()
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    expect(node.signals()).to.deep.equal([])
    node.ends(0)
    expect(node.status()).to.equal('succeeded')
  })
  it('outcome unknown: the attempt counts as failed and retryPolicy decides', () => {
    const without = interrupted('resume')
    without.found()
    without.ends(1, unknown)
    expect(without.status()).to.equal('failed')
    expect(without.context().error).to.equal('interrupted: outcome unknown')
    const retried = interrupted('resume', { retry: { limit: 1, interval: 1_000 } })
    retried.found()
    retried.ends(1, unknown)
    expect(retried.state()).to.equal('waiting')
    expect(retried.context().retryCount).to.equal(1)
  })
  it('outcome unknown: a pass that failed, for repeatPolicy', () => {
    const node = interrupted('resume', { repeat: repeat({ mode: 'until', exitCodes: [0] }) })
    node.ends(1, unknown)
    expect(node.state()).to.equal('repeating')
  })
})

describe('node › 13.5.3 onInterrupt: fail', () => {
  it('kill what lives, node failed with "interrupted: ...", whatever the retryPolicy says', () => {
    const node = interrupted('fail', { retry: { limit: 3 }, repeat: repeat() })
    node.found()
    expect(node.state()).to.deep.equal({ attempting: 'interrupting' })
    expect(node.status()).to.equal('running')
    expect(node.signals()).to.deep.equal(['kill'])
    node.ends(-1, killed)
    expect(outputOf(node)).to.include({ status: 'failed', continues: false })
    expect(node.context()).to.include({
      error: 'interrupted: killed after a restart of the engine',
      exitCode: -1,
      signal: 'killed',
      retryCount: 0,
      doneCount: 1
    })
  })
  it('outcome unknown: failed with "interrupted: outcome unknown"', () => {
    const node = interrupted('fail', { retry: { limit: 3 } })
    node.found()
    node.ends(1, unknown)
    expect(node.status()).to.equal('failed')
    expect(node.context().error).to.equal('interrupted: outcome unknown')
  })
  it('a recorded end is used: that execution was not interrupted', () => {
    const node = interrupted('fail')
    node.ends(0)
    expect(node.status()).to.equal('succeeded')
  })
  it('one that ended by itself in the moment of the kill has no exit code 0', () => {
    const node = interrupted('fail')
    node.found()
    node.ends(0)
    expect(node.status()).to.equal('failed')
    expect(node.context().exitCode).to.equal(1)
  })
  it("3.4.4 a failed step's captured output is set", () => {
    const node = interrupted('fail', { output: 'OUT' })
    node.found()
    node.ends(-1, { ...killed, output: 'so far' })
    expect(node.context().output).to.equal('so far')
  })
  it('5.4 continueOn and markSuccess apply as to any failure', () => {
    const continued = interrupted('fail', { continueOn: { failure: true } })
    continued.found()
    continued.ends(-1, killed)
    expect(outputOf(continued)).to.include({ status: 'failed', continues: true })
    const marked = interrupted('fail', { continueOn: { exitCodes: [-1], markSuccess: true } })
    marked.found()
    marked.ends(-1, killed)
    expect(outputOf(marked)).to.include({ status: 'succeeded' })
  })
})

describe('node › 13.5.3 onInterrupt: rerun', () => {
  it('kill what lives, execute again without counting a retry', () => {
    const node = interrupted('rerun', { retry: { limit: 1, interval: 1_000 } })
    node.found()
    expect(node.signals()).to.deep.equal(['kill'])
    expect(node.attempts()).to.deep.equal([1])
    node.ends(-1, killed)
    expect(node.attempts()).to.deep.equal([1, 2])
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    expect(node.context()).to.include({ retryCount: 0, doneCount: 0, error: undefined, signal: undefined })
    node.ends(1)
    expect(node.state(), 'the retry is still to be had').to.equal('waiting')
  })
  it('outcome unknown: executed again', () => {
    const node = interrupted('rerun')
    node.found()
    node.ends(1, unknown)
    expect(node.attempts()).to.deep.equal([1, 2])
    node.ends(0)
    expect(node.status()).to.equal('succeeded')
    expect(node.context().doneCount).to.equal(1)
  })
  it('5.4.2 a line that the killed execution wrote counts for continueOn.output', () => {
    const node = interrupted('rerun', { continueOn: { outputs: ['x'] } })
    node.found()
    node.ends(-1, { ...killed, outputMatched: true })
    node.ends(1)
    expect(outputOf(node)).to.include({ status: 'failed', continues: true })
  })
  it('a pass that is executed again counts once', () => {
    const policy = { repeat: repeat({ limit: 2 }) }
    const node = interrupted('rerun', policy)
    node.found()
    node.ends(-1, killed)
    node.ends(0)
    expect(node.state()).to.equal('repeating')
    expect(node.context().doneCount).to.equal(1)
  })
  it('7.1.4 the new execution has its own clock', () => {
    const node = interrupted('rerun', { timeoutMs: 30_000 }, (before) => before.began())
    node.found()
    expect(node.context().timeoutAt).to.equal(0)
    node.stage.advance(1_000)
    node.ends(-1, killed)
    node.began()
    node.stage.advance(29_999)
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    node.stage.advance(1)
    expect(node.signals().at(-1)).to.equal('SIGTERM')
  })
})

describe('node › 13.5.3 a kill that needs time', () => {
  it('is sent again until the process is gone; only then does the step fail or begin again', () => {
    const node = interrupted('rerun')
    node.found()
    node.stage.advance(12_000)
    expect(node.signals()).to.deep.equal(['kill', 'kill', 'kill'])
    expect(node.attempts()).to.deep.equal([1])
    node.ends(-1, killed)
    expect(node.attempts()).to.deep.equal([1, 2])
  })
  it('is sent again when another restart comes between', () => {
    const first = interrupted('fail')
    first.found()
    const node = restarted(first)
    expect(node.state()).to.deep.equal({ attempting: 'interrupting' })
    node.found()
    expect(node.signals()).to.deep.equal(['kill'])
    node.ends(-1, killed)
    expect(node.status()).to.equal('failed')
  })
  it('a stop meanwhile leaves the node canceled', () => {
    const node = interrupted('rerun')
    node.found()
    node.stop()
    expect(node.status()).to.equal('canceled')
    node.ends(-1, killed)
    expect(outputOf(node)).to.include({ status: 'canceled' })
    expect(node.attempts()).to.deep.equal([1])
  })
})

describe('node › 13.5.3 what was being ended anyway', () => {
  it('a stop or a time limit continues', () => {
    const stopped = interrupted('rerun', {}, (before) => before.stop())
    stopped.found()
    expect(stopped.state()).to.deep.equal({ attempting: { stopping: 'asked' } })
    const late = interrupted('rerun', { timeoutMs: 1_000 }, (before) => {
      before.began()
      before.stage.advance(1_000)
    })
    late.found()
    expect(late.state()).to.deep.equal({ attempting: { expiring: 'asked' } })
  })
  it('the last pass of a stopped repeating node is killed, not executed again', () => {
    for (const onInterrupt of ['fail', 'rerun'] as const) {
      const node = interrupted(onInterrupt, { repeat: repeat() }, (before) => before.stop())
      node.found()
      expect(node.signals()).to.deep.equal(['kill'])
      node.ends(-1, killed)
      expect(node.status()).to.equal('canceled')
      expect(node.attempts()).to.deep.equal([1])
    }
    const resumed = interrupted('resume', { repeat: repeat() }, (before) => before.stop())
    resumed.found()
    resumed.ends(0)
    expect(resumed.status()).to.equal('succeeded')
  })
  it('waiting nodes always continue: a retry wait and a repeat wait', () => {
    for (const onInterrupt of ['resume', 'fail', 'rerun'] as const) {
      const retried = interrupted(onInterrupt, { retry: { limit: 1, interval: 1_000 } }, (before) => before.ends(1))
      expect(retried.state()).to.equal('waiting')
      const again = interrupted(onInterrupt, { repeat: repeat({ intervalMs: 1_000 }) }, (before) => before.ends(0))
      expect(again.state()).to.equal('repeating')
    }
  })
})
