/** How many root runs of a period have which status, by the indexes alone: no run is read. */
import { RUN_STATUSES } from '../../machines/vocabulary/lists.ts'
import type { RunStatus } from '../../machines/vocabulary.ts'
import type { Store } from './open.ts'
import type { PlacedStatus, RunCounts, RunPlace } from './parts.ts'

/** Counts runs of all DAGs. LMDB counts ten million entries in half a second. @param from, to period of creation `[from, to)`, epoch ms */
export function countsIn({ byStatus }: Store, from: number, to: number): RunCounts {
  const counts: RunCounts = {}
  for (const status of RUN_STATUSES) {
    const count = byStatus.getKeysCount({ start: [status, from, '', ''], end: [status, to, '', ''] })
    if (count > 0) counts[status] = count
  }
  return counts
}

/**
 * Runs of a period one by one, newest first, `most` at a time.
 * @param name exact DAG name; absent: of all
 * @param before where the part before ended: a run that was returned
 * @returns fewer than `most`: there are no more
 */
export function statusesPart(
  store: Store,
  { name, from, to }: { name?: string; from: number; to: number },
  before: RunPlace | undefined,
  most: number
): PlacedStatus[] {
  const found: PlacedStatus[] = []
  let likely: RunStatus = 'succeeded'
  for (const place of placesIn(store, name, from, before ?? { name: '', dagRunId: '', createdAt: to })) {
    if (before && place.dagRunId === before.dagRunId && place.name === before.name) continue
    const { createdAt, dagRunId } = place
    const has = (status: RunStatus) => store.byStatus.doesExist([status, createdAt, place.name, dagRunId])
    const status: RunStatus | undefined = has(likely) ? likely : RUN_STATUSES.find(has)
    if (status === undefined) continue // an index that is damaged
    likely = status
    found.push({ ...place, status })
    if (found.length === most) break
  }
  return found
}

/** Newest first, down from a place, which is included if there is a run. */
function* placesIn(
  { byName, byTime }: Store,
  name: string | undefined,
  from: number,
  { createdAt, dagRunId, name: first }: RunPlace
): Iterable<RunPlace> {
  if (name === undefined) {
    const range = { start: [createdAt, first, dagRunId], end: [from, '', ''], reverse: true }
    for (const [createdAt, name, dagRunId] of byTime.getKeys(range)) yield { name, dagRunId, createdAt }
    return
  }
  const range = { start: [name, createdAt, dagRunId], end: [name, from, ''], reverse: true }
  for (const [, createdAt, dagRunId] of byName.getKeys(range)) yield { name, dagRunId, createdAt }
}
