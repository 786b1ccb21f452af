/** How a repeating node is stopped: it finishes its pass, unless time runs out. Source: execution-semantics 7.3.5, 7.1.1. */
import { expect } from 'chai'
import { START } from '../../support/charts/stage.ts'
import { condition, outputOf, repeated, restarted } from './repeated-node.ts'

describe('node › 6.2.7, 7.3.5 stop of a repeating node', () => {
  it('is not signalled: it finishes its current pass and does not repeat; that ended well: succeeded', () => {
    const node = repeated({})
    node.stop()
    expect(node.status()).to.equal('running')
    node.stage.advance(2_000)
    node.ends(0)
    expect(node.signals()).to.deep.equal([])
    expect(outputOf(node)).to.include({ status: 'succeeded' })
    expect(node.context()).to.include({ doneCount: 1, finishedAt: START + 2_000 })
  })
  it('its last pass failed: failed, without a retry and without asking the condition; markSuccess counts', () => {
    const wish = { retry: { limit: 3 } }
    const node = repeated({ mode: 'until', condition }, wish)
    node.stop()
    node.ends(1)
    expect(outputOf(node)).to.include({ status: 'failed' })
    expect(node.context()).to.include({ retryCount: 0, doneCount: 1 })
    const marked = repeated({}, { ...wish, continueOn: { failure: true, markSuccess: true } })
    marked.stop()
    marked.ends(1)
    expect(outputOf(marked)).to.include({ status: 'succeeded' })
  })
  it('its wait is cut short: the status is that of the last pass', () => {
    for (const [code, status] of [
      [0, 'succeeded'],
      [1, 'failed']
    ] as const) {
      const node = repeated({ mode: 'until', exitCodes: [7], intervalMs: 60_000 })
      node.ends(code)
      node.stage.advance(1_000)
      node.stop()
      expect(outputOf(node)).to.include({ status, at: START + 1_000 })
      expect(node.stage.live('alarm')).to.deep.equal([])
    }
  })
  it('its condition is not waited for', () => {
    const node = repeated({ mode: 'until', condition })
    node.ends(0)
    node.stop()
    expect(outputOf(node)).to.include({ status: 'succeeded' })
    expect(node.stage.live('repetition')).to.deep.equal([])
  })
  it('in a retry wait there is no pass to finish: canceled', () => {
    const node = repeated({}, { retry: { limit: 1, interval: 60_000 } })
    node.ends(1)
    node.stop()
    expect(node.status()).to.equal('canceled')
  })
  it('after maxCleanUpTimeSec it is killed like others, and canceled', () => {
    const node = repeated({}, {}, 12_000)
    node.stop()
    node.stage.advance(11_999)
    expect(node.signals()).to.deep.equal([])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['kill'])
    expect(node.status()).to.equal('canceled')
    node.stage.advance(5_000)
    expect(node.signals()).to.deep.equal(['kill', 'kill'])
    node.ends(-1, { signal: 'killed', error: 'signal: killed' })
    expect(outputOf(node)).to.include({ status: 'canceled' })
    expect(node.context().error).to.equal('signal: killed')
  })
  it('the grace period keeps its end across a restart', () => {
    const node = repeated({}, {}, 12_000)
    node.stop()
    node.stage.advance(4_000)
    const again = restarted(node)
    expect(again.state()).to.deep.equal({ attempting: 'finishing' })
    again.stage.advance(11_999) // the stage of the new one begins at START
    expect(again.signals()).to.deep.equal([])
    again.stage.advance(1)
    expect(again.signals()).to.deep.equal(['kill'])
  })
  it('a second stop changes nothing', () => {
    const node = repeated({})
    node.stop()
    node.stop()
    expect(node.signals()).to.deep.equal([])
    expect(node.state()).to.deep.equal({ attempting: 'finishing' })
  })
  it('timeoutSec holds in the last pass too: it is ended and canceled', () => {
    const node = repeated({}, { timeoutMs: 3_000 }, 10_000)
    node.stop()
    node.began()
    node.stage.advance(3_000)
    expect(node.signals()).to.deep.equal(['SIGTERM'])
    node.stage.advance(7_000)
    expect(node.signals().at(-1)).to.equal('kill')
    node.ends(-1)
    expect(outputOf(node)).to.include({ status: 'canceled' })
  })
  it('7.1.1 a run that ran out of time ends it like any other node, in a pass, a test and a wait', () => {
    const working = repeated({}, { signalOnStop: 'SIGINT' })
    working.stopAtOnce()
    expect(working.signals()).to.deep.equal(['SIGINT'])
    working.ends(-1)
    const waiting = repeated({ intervalMs: 60_000 })
    waiting.ends(0)
    waiting.stopAtOnce()
    const tested = repeated({ condition })
    tested.ends(0)
    tested.stopAtOnce()
    expect([working, waiting, tested].map(outputOf).map((output) => output?.status)).to.deep.equal([
      'canceled',
      'canceled',
      'canceled'
    ])
  })
})
