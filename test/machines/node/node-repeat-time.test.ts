/** A repeating node in time: waits between passes, across a restart too, and a time limit for each pass. Source: execution-semantics 6.2.5, 6.2.6, 7.1.4. */
import { expect } from 'chai'
import type { Repeat } from '../../../machines/vocabulary.ts'
import { START } from '../../support/charts/stage.ts'
import { condition, outputOf, repeated, restarted } from './repeated-node.ts'

describe('node › 6.2 repeatPolicy', () => {
  it('6.2.5 wait before pass n+1: interval * backoff^(n-1), cut to maxIntervalSec', () => {
    const node = repeated({ intervalMs: 1_000, backoff: 2, maxIntervalMs: 3_000 })
    const waits = [1, 2, 3, 4].map(() => {
      node.ends(0)
      const wait = node.context().dueAt - node.stage.now
      node.stage.advance(wait - 1)
      expect(node.state()).to.equal('repeating')
      node.stage.advance(1)
      expect(node.state()).to.deep.equal({ attempting: 'executing' })
      return wait
    })
    expect(waits).to.deep.equal([1_000, 2_000, 3_000, 3_000])
  })
  it('the wait counts from the moment in which it is known that there is another pass', () => {
    const node = repeated({ condition, intervalMs: 1_000 })
    node.ends(0)
    node.stage.advance(700)
    node.tested(true)
    expect(node.context().dueAt).to.equal(START + 1_700)
  })
  it('6.2.6 status stays running during waits; startedAt is the first start; no end is shown', () => {
    const node = repeated({ intervalMs: 60_000 })
    node.stage.advance(500)
    node.ends(0)
    expect(node.status()).to.equal('running')
    expect(node.context().finishedAt).to.equal(undefined)
    node.stage.advance(60_000)
    expect(node.context().startedAt).to.equal(START)
    node.ends(1)
    expect(node.context()).to.include({ startedAt: START, finishedAt: START + 60_500 })
  })
})

describe('node › 7.1.4 timeoutSec of a step that repeats', () => {
  it('each pass starts a new clock', () => {
    const node = repeated({ intervalMs: 60_000 }, { timeoutMs: 30_000 })
    node.began()
    node.stage.advance(20_000)
    node.ends(0)
    node.stage.advance(60_000)
    node.began()
    node.stage.advance(29_999)
    expect(node.signals()).to.deep.equal([])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['SIGTERM'])
  })
  it('a pass that times out is a failed pass with code 124: the repeat decision follows', () => {
    const node = repeated({ mode: 'until', exitCodes: [0] }, { timeoutMs: 30_000, output: 'OUT' })
    node.began()
    node.ends(1, { output: 'early' })
    node.stage.advance(0)
    node.began()
    node.stage.advance(30_000)
    node.ends(-1, { signal: 'terminated' })
    expect(node.state()).to.equal('repeating')
    expect(node.context()).to.include({ doneCount: 2, exitCode: 124, output: undefined })
    expect(node.context().finishedAt).to.equal(undefined)
  })
  it("6.2.1 the condition sees the step's own fresh output, of a pass that timed out too", () => {
    const node = repeated({ condition }, { timeoutMs: 30_000, output: 'OUT' })
    node.began()
    node.stage.advance(30_000)
    node.ends(-1, { output: 'late' })
    expect(node.state()).to.equal('testing')
    expect(node.context().output).to.equal('late')
  })
  it('the last pass timed out: failed with code 124, by continueOn', () => {
    const node = repeated({}, { timeoutMs: 30_000, continueOn: { exitCodes: [124] } })
    node.began()
    node.stage.advance(30_000)
    node.ends(-1)
    expect(outputOf(node)).to.include({ status: 'failed', continues: true })
    expect(node.context()).to.include({ exitCode: 124, error: 'step timed out after 30s (timeout: 30s)' })
  })
})

describe('node › a repeat wait outlives the process', () => {
  it('keeps its instant across a restart, and its counts', () => {
    const policy: Partial<Repeat> = { mode: 'until', exitCodes: [0], intervalMs: 5_000, limit: 2 }
    const node = repeated(policy)
    node.ends(1)
    const again = restarted(node, policy)
    again.stage.advance(4_999)
    expect(again.state()).to.equal('repeating')
    again.stage.advance(1)
    expect(again.attempts()).to.deep.equal([2])
    again.ends(1)
    expect(again.status()).to.equal('failed')
    expect(again.context().doneCount).to.equal(2)
  })
  it('a condition that was being evaluated is evaluated again', () => {
    const node = repeated({ condition })
    node.ends(0)
    const again = restarted(node, { condition })
    expect(again.state()).to.equal('testing')
    again.tested(false)
    expect(again.status()).to.equal('succeeded')
  })
})
