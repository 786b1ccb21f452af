/**
 * What the loss of some pages means for runs, in a copy of what could be read (`salvage.ts`). A run that was acknowledged stays listed,
 * as unreadable, and no step is taken for one that never began. Source: reliability P1, P4, P7.
 */
import type { Database, Key } from 'lmdb'
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import { isActive } from '../commit.ts'
import { planOf } from '../history.ts'
import { END } from '../key-end.ts'
import type { NodeKey, PairKey, Store } from '../open.ts'
import { readRun } from './damaged.ts'
import { type KeyRange, overlaps } from './stored-keys.ts'

/** In place of a value that is lost: every reader takes it for a damaged entry, because its checksum is wrong. */
export const LOST_VALUE = Buffer.from('!\0\0\0\0its page could not be read', 'latin1')

/** Where entries of a table are lost, by its name. */
export type LostRanges = ReadonlyMap<string, readonly KeyRange[]>

/** Tables with what a run needs to go on. */
const OF_OPEN_RUNS = ['nodes', 'calls', 'items', 'attempts', 'journal'] as const

/** Within a transaction. @returns runs of which something cannot be read */
export function keepRuns(store: Store, lost: LostRanges): number {
  const found = new Set<string>()
  const note = ([name, dagRunId]: PairKey) => found.add(JSON.stringify([name, dagRunId]))
  for (const [run, createdAt] of runsNamed(store)) {
    if (store.runs.doesExist(run)) continue
    rawOf<PairKey>(store, 'runs').putSync(run, LOST_VALUE)
    note(run)
    if (createdAt !== undefined) listAsLost(store, run, createdAt)
  }
  for (const run of [...store.runs.getKeys()]) {
    const isIn = (table: string) => lost.get(table)?.some((range) => overlaps(range, run, END)) === true
    const stored = readRun(store, { name: run[0], dagRunId: run[1] })
    if (!stored?.record.plan) continue // lost itself
    index(store, run)
    if (isActive(stored.record)) {
      if (!OF_OPEN_RUNS.some(isIn)) continue
      rawOf<PairKey>(store, 'runs').putSync(run, LOST_VALUE)
      note(run)
    } else if (isIn('nodes') && markNodes(store, run, planOf(store, stored.record.plan)?.plan.steps.length ?? 0))
      note(run)
  }
  return found.size
}

/** Every run that some table names; of a listed one, when it was created. */
function runsNamed(store: Store): Map<PairKey, number | undefined> {
  const named = new Map<string, [run: PairKey, createdAt: number | undefined]>()
  const add = (name: string, dagRunId: string, createdAt?: number) => {
    const id = JSON.stringify([name, dagRunId])
    named.set(id, [[name, dagRunId], createdAt ?? named.get(id)?.[1]])
  }
  for (const [name, createdAt, dagRunId] of store.byName.getKeys()) add(name, dagRunId, createdAt)
  for (const [createdAt, name, dagRunId] of store.byTime.getKeys()) add(name, dagRunId, createdAt)
  for (const [, createdAt, name, dagRunId] of store.byStatus.getKeys()) add(name, dagRunId, createdAt)
  for (const key of store.subs.getKeys()) {
    const name = rawOf<Key>(store, 'subs').get(key) === undefined ? undefined : subName(store, key)
    if (name !== undefined) add(name, key[2])
  }
  for (const table of ['open', 'nodes', 'attempts', 'journal'] as const)
    for (const [name, dagRunId] of (store[table] as Database<unknown, PairKey>).getKeys()) add(name, dagRunId) // keys begin so
  return new Map(named.values())
}

function subName(store: Store, key: [string, string, string]): string | undefined {
  try {
    return store.subs.get(key)
  } catch {
    return undefined
  }
}

/** The status of a run that cannot be read is `failed`, except where another one is still indexed. */
function listAsLost({ byTime, byName, byStatus }: Store, [name, dagRunId]: PairKey, createdAt: number): void {
  byTime.putSync([createdAt, name, dagRunId], true)
  byName.putSync([name, createdAt, dagRunId], true)
  if (!RUN_STATUSES.some((status) => byStatus.doesExist([status, createdAt, name, dagRunId])))
    byStatus.putSync(['failed', createdAt, name, dagRunId], true)
}

/** Indexes follow from the runs. */
function index(store: Store, [name, dagRunId]: PairKey): void {
  const record = readRun(store, { name, dagRunId })?.record
  if (!record) return
  const { createdAt, status, caller } = record
  if (isActive(record)) store.open.putSync([name, dagRunId], true)
  if (caller) store.subs.putSync([caller.root.name, caller.root.dagRunId, dagRunId], name)
  else {
    store.byTime.putSync([createdAt, name, dagRunId], true)
    store.byName.putSync([name, createdAt, dagRunId], true)
    store.byStatus.putSync([status, createdAt, name, dagRunId], true)
  }
}

/** @param count of steps @returns whether one was missing */
function markNodes(store: Store, [name, dagRunId]: PairKey, count: number): boolean {
  let isMarked = false
  for (let place = 0; place < count; place++) {
    if (store.nodes.doesExist([name, dagRunId, place])) continue
    rawOf<NodeKey>(store, 'nodes').putSync([name, dagRunId, place], LOST_VALUE)
    isMarked = true
  }
  return isMarked
}

const rawOf = <K extends Key>({ root }: Store, name: string): Database<Buffer, K> =>
  root.openDB<Buffer, K>({ name, encoding: 'binary' })
