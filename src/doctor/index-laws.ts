/** Runs and indexes agree: each run is in its indexes, and each entry of an index has its run. Source: reliability P5, F13. */
import type { Database, Key } from 'lmdb'
import type { RunRecord } from '../../machines/vocabulary.ts'
import { isActive } from '../store/commit.ts'
import { readRun, subNameOf } from '../store/damage/damaged.ts'
import type { Store } from '../store/open.ts'
import type { StoredRun } from '../store/stored.ts'
import type { Finding } from './finding.ts'
import { textOf } from './tables.ts'

const REBUILT = 'troupe doctor --fix rebuilds the index from the runs'

export function* brokenIndexes(store: Store): Generator<Finding> {
  for (const [name, dagRunId] of store.runs.getKeys()) {
    const stored = readRun(store, { name, dagRunId })
    if (stored) yield* missingIn(store, stored)
  }
  yield* strayIn('byTime', store.byTime, ([createdAt, name, dagRunId]) =>
    isListed(store, name, dagRunId, (run) => run.createdAt === createdAt)
  )
  yield* strayIn('byName', store.byName, ([name, createdAt, dagRunId]) =>
    isListed(store, name, dagRunId, (run) => run.createdAt === createdAt)
  )
  yield* strayIn('byStatus', store.byStatus, ([status, createdAt, name, dagRunId]) =>
    isListed(store, name, dagRunId, (run) => run.createdAt === createdAt && run.status === status)
  )
  yield* strayIn('open', store.open, ([name, dagRunId]) => {
    const record = readRun(store, { name, dagRunId })?.record
    return record !== undefined && isActive(record)
  })
  yield* strayIn('subs', store.subs, ([root, rootId, dagRunId]) => {
    const name = subNameOf(store, [root, rootId, dagRunId])
    const caller = name === undefined ? undefined : readRun(store, { name, dagRunId })?.record.caller
    return caller?.root.name === root && caller.root.dagRunId === rootId
  })
}

/** Listings contain only root runs. */
function isListed(store: Store, name: string, dagRunId: string, fits: (run: RunRecord) => boolean): boolean {
  const record = readRun(store, { name, dagRunId })?.record
  return record !== undefined && !record.caller && fits(record)
}

function* missingIn(store: Store, { record }: StoredRun): Generator<Finding> {
  const { name, dagRunId, createdAt, status, caller } = record
  const missing = <V, K extends Key>(index: string, table: Database<V, K>, key: K, value: V): Finding[] =>
    table.doesExist(key)
      ? []
      : [
          {
            check: 'indexes',
            severity: 'error',
            message: `run ${dagRunId} of ${name} is missing in the index ${index}`,
            mending: REBUILT,
            fix: () => void table.putSync(key, value)
          }
        ]
  if (isActive(record)) yield* missing('open', store.open, [name, dagRunId], true)
  if (caller) yield* missing('subs', store.subs, [caller.root.name, caller.root.dagRunId, dagRunId], name)
  else {
    yield* missing('byTime', store.byTime, [createdAt, name, dagRunId], true)
    yield* missing('byName', store.byName, [name, createdAt, dagRunId], true)
    yield* missing('byStatus', store.byStatus, [status, createdAt, name, dagRunId], true)
  }
}

function* strayIn<K extends Key>(
  index: string,
  table: Database<unknown, K>,
  isRight: (key: K) => boolean
): Generator<Finding> {
  for (const key of table.getKeys()) {
    if (isRight(key)) continue
    yield {
      check: 'indexes',
      severity: 'error',
      message: `the index ${index} names ${textOf(key)}, which no run is`,
      mending: REBUILT,
      fix: () => void table.removeSync(key)
    }
  }
}
