/** A run as the command line sees it, for the tests of what is drawn of it. */
import type { NodeRecord, RunRecord } from '../../../machines/vocabulary.ts'
import { runDetails, runSummary } from '../../../src/api/shapes/shapes.ts'
import { timeTextIn } from '../../../src/api/shapes/time-text.ts'
import type { RunDetails, RunSummary } from '../../../src/client/index.ts'
import type { RunView } from '../../../src/engine/engine.ts'
import { nodeOf, planOf, stepOf } from '../engine/fake-engine.ts'

export const NOW = 10_000

const time = timeTextIn('UTC')
/** As the API answers. */
export const detailsOf = (view: RunView): RunDetails => runDetails(view, time)
export const summaryOf = (run: RunRecord): RunSummary => runSummary(run, time)

export function viewOf(nodes: (Partial<NodeRecord> & { step: string })[], run: Partial<RunRecord> = {}): RunView {
  const views = nodes.map((node) => ({ step: stepOf(node.step), node: nodeOf(node.step, node) }))
  const record: RunRecord = {
    name: 'etl',
    dagRunId: 'r1',
    status: 'running',
    attempt: 1,
    createdAt: 0,
    startedAt: 5_800,
    params: [],
    log: '/logs/etl/r1/run.log',
    nodeLogs: '/logs/etl/r1/1',
    plan: '',
    ...run
  }
  return {
    run: record,
    plan: planOf('etl', { steps: views.map(({ step }) => step) }),
    nodes: views,
    handlers: {},
    preconditions: []
  }
}

/** One step has ended, one is at work, one has not begun. */
export const going = viewOf([
  { step: 'extract', startedAt: 5_800, finishedAt: 7_000 },
  { step: 'transform', status: 'running', startedAt: 7_000, retryCount: 1, stdout: '/logs/transform.out' },
  { step: 'load', status: 'not_started' }
])
