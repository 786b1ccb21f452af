/**
 * Moves the finished runs of a DAG name to another name. Each run is moved in one transaction, a few runs at a time, so that the
 * engine is not blocked; an interrupted move is resumed from its entry in `moves`. Log files stay where they are: records contain
 * their paths. Source: api-semantics 3.3 (rename), execution-semantics 13.4.
 */
import type { Database, Key } from 'lmdb'
import type { JournalRecord, RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { inTransaction, isActive } from './commit.ts'
import { readEntry, readRun, UNREADABLE } from './damage/damaged.ts'
import { subRunsOf } from './history.ts'
import { END } from './key-end.ts'
import type { Store } from './open.ts'
import type { StoredMove } from './stored.ts'
import { moveAsks } from './tables/asks.ts'

/** Runs that are moved in one transaction. */
const AT_ONCE = 20

// D211: a rename moves finished runs
/**
 * Moves the runs of `from` that were created before. A run whose id already exists under the other name, and one that has not ended,
 * stays. Idempotent.
 */
export async function moveHistory(store: Store, from: string, { to, before }: StoredMove): Promise<void> {
  const keys = Array.from(store.byName.getKeys({ start: [from, 0, ''], end: [from, before, ''] }))
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    await inTransaction(store, () => {
      for (const [, , dagRunId] of keys.slice(at, at + AT_ONCE)) moveRun(store, { name: from, dagRunId }, to)
    })
  }
  await inTransaction(store, () => moveAsks(store, from, to, before))
  await store.root.flushed
}

function moveRun(store: Store, { name, dagRunId }: RunKey, to: string): void {
  if (!isWhole(store, { name, dagRunId })) return
  const stored = store.runs.get([name, dagRunId])
  const other = readRun(store, { name: to, dagRunId })
  if (!stored || isActive(stored.record)) return
  const { createdAt, status } = stored.record
  if (other && other.record.createdAt !== createdAt) return
  const renamed = (key: RunKey): RunKey => (key.name === name && key.dagRunId === dagRunId ? { ...key, name: to } : key)
  const recordOf = ({ retryOf, ...record }: RunRecord): RunRecord => ({
    ...record,
    name: to,
    ...(retryOf ? { retryOf: { ...retryOf, name: to } } : {}) // all runs of a name are moved
  })

  store.runs.put([to, dagRunId], { ...stored, record: recordOf(stored.record) })
  store.runs.remove([name, dagRunId])
  store.byTime.remove([createdAt, name, dagRunId])
  store.byTime.put([createdAt, to, dagRunId], true)
  store.byName.remove([name, createdAt, dagRunId])
  store.byName.put([to, createdAt, dagRunId], true)
  store.byStatus.remove([status, createdAt, name, dagRunId])
  store.byStatus.put([status, createdAt, to, dagRunId], true)
  for (const { key, value } of store.nodes.getRange({ start: [name, dagRunId, 0], end: [name, dagRunId, END] })) {
    store.nodes.put([to, dagRunId, key[2]], value)
    store.nodes.remove(key)
  }
  for (const { key, value } of store.calls.getRange({
    start: [name, dagRunId, 0, 0, 0],
    end: [name, dagRunId, END, 0, 0]
  })) {
    store.calls.put([to, dagRunId, key[2], key[3], key[4]], value)
    store.calls.remove(key)
  }
  for (const key of store.items.getKeys({ start: [name, dagRunId, 0, 0, 0], end: [name, dagRunId, END, 0, 0] })) {
    const item = readEntry(store.items, key) // a damaged one is called again
    if (item) store.items.put([to, dagRunId, key[2], key[3], key[4]], item)
    store.items.remove(key)
  }
  for (const { key, value } of store.attempts.getRange({
    start: [name, dagRunId, 0],
    end: [name, dagRunId, Number.MAX_VALUE]
  })) {
    store.attempts.put([to, dagRunId, key[2]], { ...value, record: recordOf(value.record) })
    store.attempts.remove(key)
  }
  for (const { key, value } of store.journal.getRange({
    start: [name, dagRunId, 0],
    end: [name, dagRunId, Number.MAX_VALUE]
  })) {
    store.journal.put([to, dagRunId, key[2]], journalRecord(value, { name, dagRunId }, to))
    store.journal.remove(key)
  }
  for (const key of store.checkpoints.getKeys({
    start: [name, dagRunId, 0],
    end: [name, dagRunId, Number.MAX_VALUE]
  })) {
    const checkpoint = readEntry(store.checkpoints, key) // a damaged checkpoint is dropped
    if (checkpoint) store.checkpoints.put([to, dagRunId, key[2]], checkpoint)
    store.checkpoints.remove(key)
  }
  for (const { key, value } of store.subs.getRange({ start: [name, dagRunId, ''], end: [name, dagRunId, END] })) {
    store.subs.put([to, dagRunId, key[2]], value)
    store.subs.remove(key)
    const sub = store.runs.get([value, key[2]])
    const caller = sub?.record.caller
    if (!sub || !caller) continue
    const record = { ...sub.record, caller: { ...caller, root: renamed(caller.root), parent: renamed(caller.parent) } }
    store.runs.put([value, key[2]], { ...sub, record })
  }
}

/** An unreadable run cannot be written under another name, so it stays where it is. Checkpoints do not matter, as they can be rebuilt. */
function isWhole(store: Store, { name, dagRunId }: RunKey): boolean {
  const all = { start: [name, dagRunId], end: [name, dagRunId, END] }
  try {
    store.runs.get([name, dagRunId])
    // Whatever else is in their keys: those of the run come together.
    for (const table of [store.nodes, store.calls, store.attempts, store.journal] as Database<unknown, Key>[])
      for (const { value } of table.getRange(all)) if (typeof value !== 'object' || value === null) return false
    return subRunsOf(store, { name, dagRunId }).every((sub) => readRun(store, sub)?.record.error !== UNREADABLE)
  } catch {
    return false
  }
}

const journalRecord = (record: JournalRecord, { name, dagRunId }: RunKey, to: string): JournalRecord => ({
  ...record,
  run: { name: to, dagRunId },
  actor:
    record.actor === `queue/${name}`
      ? `queue/${to}`
      : record.actor.replace(`run/${name}/${dagRunId}`, () => `run/${to}/${dagRunId}`)
})
