/** Definitions in the order of their latest runs, which change all the time: nothing is kept. Source: http-api "Definitions". */
import type { RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
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
export type LatestSort = keyof typeof KEYS

/**
 * Earlier runs first, or by status; those that never ran come last in either order. Equal ones stay as they are given.
 * @param latestOf the run that lists show, by DAG name
 */
export async function byLatest(
  named: readonly Entry[],
  sort: LatestSort,
  order: Order,
  latestOf: (name: string) => RunRecord | undefined
): Promise<readonly Entry[]> {
  const keyOf = KEYS[sort]
  const keyed: { entry: Entry; key: number | undefined }[] = []
  const turn = turns()
  for (const entry of named) {
    const run = latestOf(dagNameOf(entry.stored))
    keyed.push({ entry, key: run && keyOf(run) })
    await turn()
  }
  const sign = order === 'desc' ? -1 : 1
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
    return sign * (a.key - b.key)
  })
  return keyed.map(({ entry }) => entry)
}
