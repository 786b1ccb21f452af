/** Source: execution-semantics 9.5.3, 13.1.3, 13.3.5. */
import { expect } from 'chai'
import { downstreamOf, isKept, resetNodes } from '../../../machines/policy/retried.ts'
import type { NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import { chain, step } from '../../support/charts/plans.ts'

describe('policy › retried › 13.1.3 which nodes run', () => {
  const reset = (...statuses: NodeStatus[]) =>
    [...resetNodes(chain(...statuses.map((_, index) => step(`s${index}`))), statuses)].sort()
  it('every failed or canceled node and everything downstream of it; others keep their status', () => {
    expect(reset('succeeded', 'failed', 'succeeded', 'skipped')).to.deep.equal([1, 2, 3])
    expect(reset('succeeded', 'canceled', 'not_started')).to.deep.equal([1, 2])
    expect(reset('succeeded', 'skipped', 'partially_succeeded', 'not_started')).to.deep.equal([])
  })
  it('a node that is marked as running without an execution', () => {
    expect(reset('running', 'succeeded')).to.deep.equal([0, 1])
  })
})

describe('policy › retried › a retry from a step on', () => {
  it('resets the step and all that depends on it, whatever their status, the step first', () => {
    const steps = [
      step('d', { depends: ['b', 'c'] }),
      step('a'),
      step('b', { depends: ['a'] }),
      step('c', { depends: ['a'] })
    ]
    expect(downstreamOf(steps, 2)).to.deep.equal([2, 0])
    expect(downstreamOf(steps, 1).toSorted()).to.deep.equal([0, 1, 2, 3])
    expect(downstreamOf(steps, 0)).to.deep.equal([0])
  })
})

describe('policy › retried › 9.5.3 a sub run that is there already', () => {
  const kept = (run: RunStatus, ...nodes: NodeStatus[]) => isKept(run, nodes)
  it('stays as it is when it has succeeded, and so have its nodes', () => {
    expect(kept('succeeded')).to.equal(true)
    expect(kept('succeeded', 'succeeded', 'skipped', 'partially_succeeded')).to.equal(true)
  })
  it('is retried when it has not', () => {
    for (const run of ['failed', 'canceled', 'partially_succeeded'] as const) expect(kept(run)).to.equal(false)
  })
  it('13.3.5 is retried when one of its nodes is marked as one that has not', () => {
    for (const node of ['failed', 'canceled', 'not_started', 'running'] as const)
      expect(kept('succeeded', 'succeeded', node), node).to.equal(false)
  })
})
