/** When a failed execution is tried again, and when not. Source: execution-semantics 6.1. */
import { expect } from 'chai'
import type { Retry } from '../../../machines/vocabulary.ts'
import { driveNode } from '../../support/charts/charts.ts'
import { type StepWish, step } from '../../support/charts/plans.ts'

const retried = (retry: Partial<Retry>, wish: StepWish = {}) => driveNode(step('a', { retry, ...wish }))

/** Fails until it is not tried again. @returns the waits in ms */
function waitsOf(node: ReturnType<typeof retried>): number[] {
  const waits: number[] = []
  for (;;) {
    node.ends(1)
    if (node.state() !== 'waiting') return waits
    const { dueAt } = node.context()
    waits.push(dueAt - node.stage.now)
    node.stage.advance(dueAt - node.stage.now - 1)
    expect(node.state()).to.equal('waiting')
    node.stage.advance(1)
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
  }
}

describe('node › 6.1 retryPolicy', () => {
  it('6.1.1 limit is the number of retries: limit 2 allows 3 executions; retryCount ends at 2, doneCount at 1', () => {
    const node = retried({ limit: 2 })
    expect(waitsOf(node)).to.have.length(2)
    expect(node.attempts()).to.deep.equal([1, 2, 3])
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ retryCount: 2, doneCount: 1 })
  })
  it('6.1.2 limit 0 is no retry', () => {
    const node = retried({ limit: 0, interval: 1_000 })
    node.ends(1)
    expect(node.status()).to.equal('failed')
  })
  it('6.1.2 intervalSec 0 tries again at once', () => {
    const node = retried({ limit: 1 })
    node.ends(1)
    node.stage.advance(0)
    expect(node.attempts()).to.deep.equal([1, 2])
  })
  it('6.1.3 without exitCodes any non-zero code is retried; killed by a signal is -1', () => {
    for (const code of [1, 2, 124, 255, -1]) {
      const node = retried({ limit: 1, interval: 1_000 })
      node.ends(code)
      expect(node.state(), `code ${code}`).to.equal('waiting')
    }
  })
  it('6.1.3 with exitCodes only the listed codes are retried', () => {
    const node = retried({ limit: 3, interval: 1_000, exitCodes: [7, -1] })
    node.ends(7)
    node.stage.advance(1_000)
    node.ends(-1)
    expect(node.state()).to.equal('waiting')
  })
  it('6.1.4 not accepted code: the node fails immediately, no further retries', () => {
    const node = retried({ limit: 3, interval: 1_000, exitCodes: [7] })
    node.ends(7)
    node.stage.advance(1_000)
    node.ends(8)
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ retryCount: 1, exitCode: 8 })
  })
  it('6.1.5 the wait before retry k is the interval without backoff', () => {
    expect(waitsOf(retried({ limit: 3, interval: 2_000 }))).to.deep.equal([2_000, 2_000, 2_000])
  })
  it('6.1.5 the wait is interval * backoff^(k-1): 1, 2, 4 for interval 1, backoff 2', () => {
    expect(waitsOf(retried({ limit: 3, interval: 1_000, backoff: 2 }))).to.deep.equal([1_000, 2_000, 4_000])
  })
  it('6.1.5 the wait is cut to maxIntervalSec', () => {
    const capped = { limit: 4, interval: 1_000, backoff: 2, maxIntervalMs: 3_000 }
    expect(waitsOf(retried(capped))).to.deep.equal([1_000, 2_000, 3_000, 3_000])
  })
  it('6.1.5 maxIntervalSec without backoff has no effect', () => {
    expect(waitsOf(retried({ limit: 2, interval: 5_000, maxIntervalMs: 1_000 }))).to.deep.equal([5_000, 5_000])
  })
  it('6.1.6 text values are evaluated when the node is set up', () => {
    const node = retried({ limit: '${N}', interval: '${WAIT}' })
    expect(node.state()).to.equal('preparing')
    const evaluated = { ...step('').retry, limit: 1, interval: 4_000 }
    node.stage.the('preparation').answer('node.prepared', { retry: evaluated, conditions: [], met: true })
    expect(waitsOf(node)).to.deep.equal([4_000])
  })
  it('6.1.6 a non-integer fails the node', () => {
    const node = retried({ limit: '${N}' })
    node.unprepared('retryPolicy.limit: wanted an integer from 0, found "many"')
    expect(node.status()).to.equal('failed')
  })
  it('6.1.7 status during the wait: running; error holds the last error', () => {
    const node = retried({ limit: 1, interval: 1_000 })
    node.ends(5, { error: 'exit status 5', signal: 'hangup' })
    expect(node.status()).to.equal('running')
    expect(node.context()).to.include({ error: 'exit status 5', exitCode: 5 })
    node.stage.advance(1_000)
    expect(node.context().error).to.equal(undefined)
    expect(node.context().signal).to.equal(undefined)
  })
  it('6.1.7 stop ends the wait at once', () => {
    const node = retried({ limit: 1, interval: 60_000 })
    node.ends(1)
    node.stop()
    expect(node.status()).to.equal('canceled')
    expect(node.stage.live('alarm')).to.deep.equal([])
  })
  it('6.1.8 not retried: canceled node', () => {
    const node = retried({ limit: 3 })
    node.stop()
    node.ends(-1)
    expect(node.status()).to.equal('canceled')
    expect(node.context().retryCount).to.equal(0)
  })
  it('6.1.8 not retried: step timeout', () => {
    const node = retried({ limit: 3 }, { timeoutMs: 1_000 })
    node.began()
    node.stage.advance(1_000)
    node.ends(-1)
    expect(node.status()).to.equal('failed')
    expect(node.context().retryCount).to.equal(0)
  })
  it('6.1.8 setup errors are retried: they count as code 1', () => {
    const node = retried({ limit: 1, interval: 1_000, exitCodes: [1] })
    node.ends(1, { error: 'the working directory cannot be made' })
    expect(node.state()).to.equal('waiting')
  })
  it('4.5.5 with retries only the last attempt has a value: one that captured nothing leaves none', () => {
    const node = retried({ limit: 1 }, { output: 'OUT' })
    node.ends(1, { output: 'of the first' })
    node.stage.advance(0)
    node.ends(1, { error: 'failed to capture output' })
    expect(node.context().output).to.equal(undefined)
  })
  it('5.4.3 markSuccess counts when the retries are used up, and when the exit-code filter refused the retry', () => {
    const continueOn = { failure: true, markSuccess: true }
    const usedUp = retried({ limit: 1 }, { continueOn })
    waitsOf(usedUp)
    expect(usedUp.status()).to.equal('succeeded')
    expect(usedUp.context().retryCount).to.equal(1)
    const refused = retried({ limit: 1, exitCodes: [7] }, { continueOn })
    refused.ends(8)
    expect(refused.status()).to.equal('succeeded')
  })
})

describe('node › a retry wait outlives the process', () => {
  it('keeps its place in the wait across a restart, and its count', () => {
    const before = retried({ limit: 1, interval: 5_000 })
    before.ends(1)
    const saved = JSON.parse(JSON.stringify(before.actor.getPersistedSnapshot()))
    const node = driveNode(step('a'), { snapshot: saved })
    node.stage.advance(4_999)
    expect(node.state()).to.equal('waiting')
    node.stage.advance(1)
    expect(node.attempts()).to.deep.equal([2])
    node.ends(1)
    expect(node.status()).to.equal('failed')
  })
})
