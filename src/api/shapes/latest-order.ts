/** Definitions in the order of what their latest runs tell, which changes all the time: the order is not kept. Source: http-api "Definitions". */
import type { RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import type { Trends } from '../../engine/views/trend.ts'
import { turns } from '../turns.ts'
import type { Entry, Order } from './catalogue.ts'
import { dagNameOf } from './dag-names.ts'

// D1362: definitions are sorted by the server; the lists of runs are not sorted
/** What is to be looked at first comes first. */
const BY_CONCERN: readonly RunStatus[] = [
  'failed',
  'partially_succeeded',
  'canceled',
  'running',
  'queued',
  'succeeded',
  'not_started'
]

const KEYS = {
  /** Epoch ms, as lists show it. */
  latestRun: ({ startedAt, createdAt }: RunRecord) => startedAt ?? createdAt,
  status: ({ status }: RunRecord) => BY_CONCERN.indexOf(status)
}
type LatestSort = keyof typeof KEYS

/**
 * Earlier runs first, or by status; those that never ran come last in either order. Equal ones stay as they are given.
 * @param latestOf the run that lists show, by DAG name
 */
export const byLatest = (
  named: readonly Entry[],
  sort: LatestSort,
  order: Order,
  latestOf: (name: string) => RunRecord | undefined
): Promise<readonly Entry[]> =>
  byNumber(named, order, (name) => {
    const run = latestOf(name)
    return run && KEYS[sort](run)
  })

/** What has become faster first; those that cannot be compared come last in either order. Equal ones stay as they are given. */
export const byTrend = (named: readonly Entry[], order: Order, trends: Trends): Promise<readonly Entry[]> =>
  byNumber(named, order, (name) => trends.of(name)?.percent)

/** @param numberOf by DAG name; undefined: comes last in either order */
async function byNumber(
  named: readonly Entry[],
  order: Order,
  numberOf: (name: string) => number | undefined
): Promise<readonly Entry[]> {
  const keyed: { entry: Entry; key: number | undefined }[] = []
  const turn = turns()
  for (const entry of named) {
    keyed.push({ entry, key: numberOf(dagNameOf(entry.stored)) })
    await turn()
  }
  const sign = order === 'desc' ? -1 : 1
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
    return sign * (a.key - b.key)
  })
  return keyed.map(({ entry }) => entry)
}
