/** What the first screen says needs attention, and its day. Source: architecture 9. */
import { expect } from 'chai'
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { ListedDefinition, Queue, RunStatus, RunSummary } from '../../../src/page/answers.ts'
import { concernsOf } from '../../../src/page/today/attention.ts'
import { DAY_MS, dayOf } from '../../../src/page/today/day.ts'

const NOW = Date.parse('2026-01-02T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ago = (ms: number) => new Date(NOW - ms).toISOString()

/** One that began `began` ms ago and took a minute. */
const run = (name: string, statusLabel: RunStatus, began: number): RunSummary => ({
  name,
  dagRunId: `${name}-${began}`,
  rootDAGRunName: '',
  rootDAGRunId: '',
  parentDAGRunName: '',
  parentDAGRunId: '',
  status: RUN_STATUSES.indexOf(statusLabel),
  statusLabel,
  log: '',
  workerId: 'local',
  queuedAt: statusLabel === 'queued' ? ago(began) : '',
  startedAt: statusLabel === 'queued' ? '' : ago(began),
  finishedAt: statusLabel === 'running' || statusLabel === 'queued' ? '' : ago(began - MINUTE),
  params: '',
  attempt: 1
})
const definition = (fileName: string, errors: string[], latestDAGRun: RunSummary): ListedDefinition => ({
  fileName,
  dag: {
    name: fileName,
    group: '',
    description: '',
    schedule: [],
    params: [],
    defaultParams: '',
    tags: [],
    queue: '',
    maxActiveRuns: 1,
    nextRun: ''
  },
  latestDAGRun,
  suspended: false,
  errors
})
const queue = (name: string, running: number, queued: RunSummary[]): Queue => ({
  name,
  type: 'custom',
  summary: { running, queued: queued.length, total: running + queued.length },
  runningDAGRuns: [],
  queuedDAGRuns: queued,
  running: [],
  queued
})
const kinds = (...args: Parameters<typeof concernsOf>) =>
  concernsOf(...args).map(({ kind, name, link }) => [kind, name, link])

describe('page › today › needs attention', () => {
  it('a failure with no later success; neither a canceled run nor one at work is a success', () => {
    const runs = [
      run('mended', 'succeeded', HOUR),
      run('mended', 'failed', 2 * HOUR),
      run('again', 'running', HOUR),
      run('again', 'canceled', 2 * HOUR),
      run('again', 'failed', 3 * HOUR),
      run('partly', 'partially_succeeded', HOUR),
      run('partly', 'failed', 2 * HOUR)
    ]
    expect(kinds(runs, [], [], NOW)).to.deep.equal([['failed', 'again', `#/runs/again/again-${3 * HOUR}`]])
  })

  it('a failure of an earlier day is known from the list of definitions', () => {
    const old = run('weekly', 'failed', 3 * DAY_MS)
    expect(concernsOf([], [definition('weekly', [], old)], [], NOW)).to.deep.include({
      kind: 'failed',
      name: 'weekly',
      text: 'Failed 2 d 23 h ago, no success since',
      link: `#/runs/weekly/${old.dagRunId}`
    })
  })

  it('a definition with problems, by the view that lists them', () => {
    const never = { ...run('', 'not_started', 0), dagRunId: '' }
    expect(kinds([], [definition('bad one', ['x'], never)], [], NOW)).to.deep.equal([
      ['broken', 'bad one', '#/definitions/bad%20one']
    ])
  })

  it('the longest wait of a queue once it is long; a queue that starts nothing at all', () => {
    const busy = queue('busy', 1, [run('a', 'queued', MINUTE), run('b', 'queued', 11 * MINUTE)])
    const fresh = queue('fresh', 0, [run('c', 'queued', MINUTE / 2)])
    const dead = queue('dead', 0, [run('d', 'queued', 2 * MINUTE)])
    const waits = queue('waits', 1, [run('e', 'queued', 9 * MINUTE)])
    expect(kinds([], [], [busy, fresh, dead, waits], NOW)).to.deep.equal([
      ['waiting', 'b', `#/runs/b/b-${11 * MINUTE}`],
      ['still', 'dead', '#/queues']
    ])
  })
})

describe('page › today › the last 24 hours', () => {
  it('definitions with most failures come first, and failures are drawn last', () => {
    const runs = [
      run('b', 'failed', HOUR),
      run('b', 'succeeded', 2 * HOUR),
      run('a', 'succeeded', HOUR),
      run('c', 'failed', HOUR),
      run('c', 'failed', 3 * HOUR)
    ]
    const rows = dayOf(runs, NOW)
    expect(rows.map(({ name, failed }) => [name, failed])).to.deep.equal([
      ['c', 2],
      ['b', 1],
      ['a', 0]
    ])
    expect(rows[1]?.bars.map(({ run }) => run.statusLabel)).to.deep.equal(['succeeded', 'failed'])
  })

  it('bars are within the day: a run of yesterday that is still at work begins at its edge', () => {
    const [row] = dayOf([run('long', 'running', 2 * DAY_MS), run('long', 'succeeded', 12 * HOUR)], NOW)
    expect(row?.bars.map(({ x, width }) => [x, Math.round(width)])).to.deep.equal([
      [0, 1_000],
      [500, 8]
    ])
    expect(dayOf([run('old', 'succeeded', 2 * DAY_MS)], NOW)).to.deep.equal([])
  })
})
