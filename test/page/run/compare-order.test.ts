/** Steps of two runs: what came out otherwise first, then what took another path, then durations. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { NodeLabel } from '../../../src/page/answers.ts'
import { type ComparedStep, ordered } from '../../../src/page/run/compare-order.ts'

const STATUSES: readonly NodeLabel[] = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped']
const side = (label: NodeLabel, ms?: number) =>
  ({ status: STATUSES.indexOf(label), statusLabel: label, ...(ms === undefined ? {} : { ms }) }) as const
const step = (name: string, before?: ComparedStep['before'], after?: ComparedStep['after']): ComparedStep => ({
  name,
  ...(before ? { before } : {}),
  ...(after ? { after } : {})
})

describe('page › comparison of steps', () => {
  it('outcome, path, durations by how much they differ; equal ones apart in their order', () => {
    const { differing, equal } = ordered([
      step('same', side('succeeded', 1_000), side('succeeded', 1_050)),
      step('slower', side('succeeded', 1_000), side('succeeded', 4_000)),
      step('skipped', side('succeeded', 10), side('skipped')),
      step('slowest', side('succeeded', 1_000), side('succeeded', 90_000)),
      step('short', side('succeeded', 10), side('succeeded', 400)),
      step('failed', side('succeeded', 10), side('failed', 10)),
      step('new', undefined, side('succeeded', 10))
    ])
    expect(differing.map(({ name }) => name)).to.deep.equal(['failed', 'skipped', 'new', 'slowest', 'slower'])
    expect(equal.map(({ name }) => name)).to.deep.equal(['same', 'short'])
  })
})
