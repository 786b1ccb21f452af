/** When a run may be removed. Source: execution-semantics 14.1. */
import { expect } from 'chai'
import { createdBefore, removableAt } from '../../../machines/policy/retention.ts'

const DAY = 86_400_000
const ended = { status: 'failed' as const, changedAt: 1_000, isNeeded: false }

describe('policy › retention', () => {
  it('14.1.1 N > 0: N x 24 h after the latest change', () => {
    expect(removableAt(3, ended)).to.equal(1_000 + 3 * DAY)
  })
  it('14.1.3 0: after the end, but not before 5 s', () => {
    expect(removableAt(0, ended)).to.equal(6_000)
  })
  it('14.1.1 negative: kept forever', () => {
    expect([removableAt(-1, ended), createdBefore(-1, 5)]).to.deep.equal([undefined, Number.NEGATIVE_INFINITY])
  })
  it('14.1.2 active runs are never removed, nor what they need', () => {
    for (const status of ['running', 'queued'] as const)
      expect(removableAt(0, { ...ended, status }), status).to.equal(undefined)
    expect(removableAt(0, { ...ended, isNeeded: true })).to.equal(undefined)
  })
  it('no run that was created later can be removable yet', () => {
    expect(createdBefore(2, 10 * DAY)).to.equal(8 * DAY)
  })
})
