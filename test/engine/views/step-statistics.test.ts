/** Executions, failures and durations of steps over several runs. Source: http-api "Definitions" (statistics). */
import { expect } from 'chai'
import type { NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import { statistics } from '../../../src/engine/views/step-statistics.ts'
import { step } from '../../support/charts/plans.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'

describe('engine › statistics', () => {
  const engine = fakeEngine()
  const view = (status: RunStatus, ...steps: [name: string, status: NodeStatus, ms: number][]) =>
    engine.addRun(
      { name: 'd', dagRunId: 'r', status, startedAt: 1_000, finishedAt: 2_000 },
      {
        nodes: steps.map(([name, status, ms]) => ({
          step: step(name),
          node: { step: name, status, startedAt: 1_000, finishedAt: 1_000 + ms, retryCount: 0, doneCount: 0 }
        }))
      }
    )

  it('percentiles by nearest rank; what was skipped or canceled does not count', () => {
    const seen = statistics()
    for (let ms = 100; ms >= 1; ms--) seen.add(view('succeeded', ['a', 'succeeded', ms]))
    seen.add(view('failed', ['a', 'failed', 200], ['b', 'canceled', 7], ['c', 'skipped', 0]))
    const { runs, steps } = seen.result()
    expect(runs).to.deep.equal({ count: 101, failures: 1, p50Ms: 1_000, p95Ms: 1_000, latestMs: 1_000 })
    expect(steps).to.deep.equal([
      { name: 'a', count: 101, failures: 1, p50Ms: 51, p95Ms: 96, latestMs: 100 },
      { name: 'b', count: 0, failures: 0 },
      { name: 'c', count: 0, failures: 0 }
    ])
  })

  it('a single execution is its own median; without one there is none', () => {
    const seen = statistics()
    expect(seen.result()).to.deep.equal({ runs: { count: 0, failures: 0 }, steps: [] })
    seen.add(view('succeeded', ['a', 'succeeded', 5]))
    expect(seen.result().steps).to.deep.equal([{ name: 'a', count: 1, failures: 0, p50Ms: 5, p95Ms: 5, latestMs: 5 }])
  })
})
