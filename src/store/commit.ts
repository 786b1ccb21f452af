/**
 * Writes transactions: journal, changed states, records and indexes, all in one LMDB transaction. Only changes are written, so the
 * cost does not grow with the run or the history. Source: architecture 1.
 */
import type { Database, Key } from 'lmdb'
import type { RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import { type Changes, merged } from './changes.ts'
import { writtenTo } from './disk/written.ts'
import { planOf } from './history.ts'
import { END } from './key-end.ts'
import type { Store } from './open.ts'
import { putScheduling } from './scheduling.ts'
import type { StoredPlan, StoredRun } from './stored.ts'

/**
 * Stores a plan together with the run that refers to it. An existing plan is not written again, not even to the write-ahead file,
 * because it may be large; a damaged one is.
 */
export function keepPlan(store: Store, { plans }: Changes, hash: string, workflow: StoredPlan): void {
  if (!planOf(store, hash)) plans.set(hash, workflow)
}

/**
 * Resolves when the changes are in LMDB, in this order, all of them or none.
 * @param again they may be there already, together with later transactions: after a power loss the write-ahead file may be in an
 * earlier state. Transactions whose number is already stored are skipped.
 */
export async function commit(store: Store, changes: Changes[], { again = false } = {}): Promise<void> {
  await inTransaction(store, () => {
    if (again) putAgain(store, changes)
    else putAll(store, changes, merged(changes), false)
  })
}

/** Puts changes within a transaction that may be there already, wholly or partly; each replaces values of the one before. */
export function putAgain(store: Store, changes: readonly Changes[]): void {
  const left = unstored(store, changes)
  putAll(store, left, left, true)
}

/** Changes that the store is not known to have. */
export function unstored({ meta }: Pick<Store, 'meta'>, changes: readonly Changes[]): Changes[] {
  const stored = meta.get('turn') ?? 0
  return changes.filter(({ turn }) => turn === undefined || turn > stored)
}

/** @param written the same, without what another one of them replaces */
function putAll(store: Store, changes: readonly Changes[], written: readonly Changes[], again: boolean): void {
  for (const each of written) put(store, each, again)
  const turn = changes.findLast(({ turn }) => turn !== undefined)?.turn
  if (turn === undefined) return
  store.meta.put('turn', turn)
  store.turn = Math.max(store.turn, turn)
}

/** Writes all or nothing. @throws Error the reason of the disk */
export const inTransaction = ({ root }: Pick<Store, 'root'>, write: () => void): Promise<void> =>
  writtenTo(root, () => root.batch(write))

// D213: `/events` has its own numbers
/** Journal records that `feed` keeps: a reader that falls further behind continues with the oldest of them. */
const FED = 100_000
/** Number of entries that are removed from it at once. */
const FEED_STEP = 1_000

function feed(store: Store, key: [string, string, number]): void {
  store.feed.put(++store.fed, key)
  if (store.fed % FEED_STEP !== 0) return
  for (const number of store.feed.getKeys({ end: store.fed - FED })) store.feed.remove(number)
}

function put(store: Store, changes: Changes, again: boolean): void {
  const { journal, runs, nodes, calls, items, deliveries, asks, attempts, removed, plans, scheduling } = changes
  const putPlan = (hash: string) => {
    const plan = plans.get(hash)
    if (plan && !planOf(store, hash)) store.plans.put(hash, plan)
  }
  for (const { value, indexed } of runs.values()) {
    putPlan(value.record.plan)
    putRun(store, value, indexed)
  }
  for (const { key, value } of calls.values()) {
    putPlan(value.plan)
    store.calls.put(key, value)
  }
  for (const { key, value } of items?.values() ?? [])
    if (value) store.items.put(key, value)
    else store.items.remove(key)
  for (const { record, nodes } of attempts) {
    putPlan(record.plan) // of an attempt that started and ended before anything was written
    store.attempts.put([record.name, record.dagRunId, record.attempt], { record, nodes })
  }
  for (const { key, value } of nodes.values()) store.nodes.put(key, value)
  for (const record of journal) {
    if (!record.run) continue
    const key: [string, string, number] = [record.run.name, record.run.dagRunId, record.seq]
    if (!again || !store.journal.doesExist(key)) feed(store, key)
    store.journal.put(key, record)
  }
  for (const { key, value } of deliveries?.values() ?? [])
    if (value) store.deliveries.put(key, value)
    else store.deliveries.remove(key)
  for (const { key, value } of asks?.values() ?? [])
    if (value) store.asks.put(key, value)
    else store.asks.remove(key)
  for (const record of removed) removeRun(store, record)
  putScheduling(store, scheduling)
}

/** Resolves when everything committed so far is flushed to disk and survives a power loss. */
export const flushed = async (store: Store): Promise<void> => {
  await store.root.flushed
}

/** Removes a run and everything that belongs only to it. Plans are shared and stay. */
function removeRun(store: Store, { name, dagRunId, createdAt, status, caller }: RunRecord): void {
  const all = { start: [name, dagRunId], end: [name, dagRunId, END] }
  const { nodes, calls, items, attempts, journal, checkpoints } = store
  // Whatever else is in their keys: those of the run come together.
  for (const kind of [nodes, calls, items, attempts, journal, checkpoints] as Database<unknown, Key>[])
    for (const key of [...kind.getKeys(all)]) kind.remove(key)
  store.runs.remove([name, dagRunId])
  store.open.remove([name, dagRunId])
  if (caller) store.subs.remove([caller.root.name, caller.root.dagRunId, dagRunId])
  store.byTime.remove([createdAt, name, dagRunId])
  store.byName.remove([name, createdAt, dagRunId])
  store.byStatus.remove([status, createdAt, name, dagRunId])
}

function putRun(store: Store, value: StoredRun, indexed: RunStatus | undefined): void {
  const { record } = value
  const { name, dagRunId, createdAt, status } = record
  store.runs.put([name, dagRunId], value)
  if (indexed === status) return
  if (isActive(record)) store.open.put([name, dagRunId], true)
  else store.open.remove([name, dagRunId])
  if (record.caller) {
    const { root } = record.caller
    store.subs.put([root.name, root.dagRunId, dagRunId], name)
    return // only root runs are listed
  }
  if (indexed) store.byStatus.remove([indexed, createdAt, name, dagRunId])
  else {
    store.byTime.put([createdAt, name, dagRunId], true)
    store.byName.put([name, createdAt, dagRunId], true)
  }
  store.byStatus.put([status, createdAt, name, dagRunId], true)
}

export const isActive = ({ status }: RunRecord): boolean =>
  status === 'running' || status === 'queued' || status === 'not_started'
