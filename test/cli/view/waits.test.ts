/** What runs and steps wait for outside, on the command line. Source: docs/cli.md "A run in the foreground". */
import { expect } from 'chai'
import type { Awaits } from '../../../machines/vocabulary.ts'
import { frame } from '../../../src/cli/view/frame.ts'
import { plain } from '../../../src/cli/view/paint.ts'
import { queueLines } from '../../../src/cli/view/queue-rows.ts'
import { runLines } from '../../../src/cli/view/run-rows.ts'
import { summary } from '../../../src/cli/view/summary.ts'
import type { HandlerView, RunView } from '../../../src/engine/engine.ts'
import { detailsOf, NOW, viewOf } from '../../support/cli/run-views.ts'

const ask = 'Deploy 4.13.1?'
const HOUR = 3_600_000

describe('command line › what a run waits for', () => {
  const waits = (wait: NonNullable<HandlerView['wait']>, awaited: Awaits): RunView => {
    const view = viewOf([{ step: 'ok', status: 'running', startedAt: 9_000 }])
    return { ...view, awaited, nodes: view.nodes.map((node) => ({ ...node, wait })) }
  }
  const approval = waits(
    { for: 'approval', ask, since: 9_000, until: NOW + HOUR },
    { for: 'approval', until: NOW + HOUR }
  )
  const signal = waits({ for: 'signal', ask: '', since: 9_000 }, { for: 'signal' })
  const sleep = waits({ for: 'sleep', until: NOW + HOUR }, { for: 'sleep', until: NOW + HOUR })
  const tree = { now: NOW, columns: 80, lines: 24, paint: plain, lastLines: () => [], notice: '' }

  it('stands in place of `running` in lists; time with its end', () => {
    const runs = [approval, signal, sleep].map(detailsOf)
    expect(runLines(runs, plain, { now: NOW, tz: 'UTC' }).map((line) => line.split('  ')[0]?.trim())).to.deep.equal([
      'status',
      '◔ waiting for approval',
      '◔ waiting for signal',
      '◔ waiting until 1970-01-01 01:00'
    ])
    const queue = { name: 'q', type: 'custom' as const, summary: { running: 1, queued: 0, total: 1 } }
    const running = runs.slice(0, 1)
    const all = { ...queue, running, queued: [], runningDAGRuns: running, queuedDAGRuns: [] }
    expect(queueLines(all, plain, NOW)[1]).to.equal('└─ ◔ etl  waiting for approval    4.2s  run r1')
  })
  it('and in the tree of a run, with the time that is left and what is asked', () => {
    expect(summary(detailsOf(approval), tree).slice(0, 2)).to.deep.equal([
      '◔ etl  waiting for approval  4.2s  run r1',
      '└─ ◔ ok  waiting for approval    1.0s  1h00m left: Deploy 4.13.1?'
    ])
    expect(frame(detailsOf(approval), tree)).to.deep.equal([
      '◔ etl  4.2s  0/1 steps  run r1',
      '└─ ◔ ok    1.0s  waiting for approval, 1h00m left: Deploy 4.13.1?'
    ])
    expect(summary(detailsOf(approval), { ...tree, columns: 30 }).slice(1)[1]).to.contain('waiting for approval,')
    expect(frame(detailsOf(signal), tree)[1]).to.equal('└─ ◔ ok    1.0s  waiting for signal')
    expect(frame(detailsOf(sleep), tree)[1]).to.equal('└─ ◔ ok    1.0s  waiting, 1h00m left')
  })
  it('and in that of the step that has called it', () => {
    const calls = (awaited: (Awaits | undefined)[]) => {
      const view = viewOf([{ step: 'calls', status: 'running', startedAt: 9_000 }])
      const subRuns = awaited.map((awaits, at) => {
        const { run } = viewOf([], { name: 'sub', dagRunId: `s${at}`, startedAt: 9_000 })
        return { name: 'sub', dagRunId: `s${at}`, params: '', record: run, ...(awaits ? { awaited: awaits } : {}) }
      })
      const parallel = awaited.length > 1 ? { parallel: { items: [], maxConcurrent: 2 } } : {}
      const nodes = view.nodes.map(({ step, node }) => ({
        step: { ...step, call: 'sub', ...parallel },
        node,
        calls: { subRuns, subRunsRepeated: [] }
      }))
      return frame(detailsOf({ ...view, nodes }), tree)[2]
    }
    expect(calls([{ for: 'approval' }])).to.equal('   └─ ◔ sub    1.0s  waiting for approval, run s0')
    expect(calls([{ for: 'sleep' }, { for: 'approval' }, undefined])).to.equal(
      '   └─ ◔ sub          3 runs: 1 waiting for approval, 2 running'
    )
  })
})
