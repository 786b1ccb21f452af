/**
 * Reads that tolerate damaged entries: a damaged entry fails one run, never the engine, and the run stays listed. Its bytes are
 * kept in the table `damaged`. Source: reliability P7, architecture 3.
 */
import type { Database, Key } from 'lmdb'
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { NodeRecord, RunKey, RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import { messageOf } from '../../errors.ts'
import { written } from '../disk/written.ts'
import { END } from '../key-end.ts'
import type { Store } from '../open.ts'
import type { StoredRun } from '../stored.ts'

/** Error of a run or a node whose entry cannot be read. */
export const UNREADABLE = 'state unreadable'

/** Whether a run or a node is a stand-in for an entry that cannot be read. */
export const isUnreadable = ({ error }: { error?: string | undefined }): boolean => error === UNREADABLE

/** Stand-in for a node whose entry cannot be read, so that its state is unknown. @param step its name, as far as known */
export const unreadableNode = (step: string): NodeRecord => ({
  step,
  status: 'failed',
  retryCount: 0,
  doneCount: 0,
  error: UNREADABLE
})

// D853: an unreadable run is listed as failed
/** A run as stored; as failed if its entry cannot be read or belongs to another run. */
export function readRun(store: Store, { name, dagRunId }: RunKey): StoredRun | undefined {
  let stored: StoredRun | undefined
  try {
    stored = store.runs.get([name, dagRunId])
    if (!stored || isOf(stored, name, dagRunId)) return stored
  } catch (error) {
    // Throws when decoding fails, and for a text that is not a valid key.
    if (!canBeKey([name, dagRunId])) return undefined
    passOver(store.runs, error)
  }
  const record = standIn(store, name, dagRunId)
  return { record, seq: 0 }
}

/**
 * A read transaction in which LMDB has refused a page cannot read anything any more, so it is replaced for the next read.
 * Otherwise every other run would be unreadable, too, until the end of this turn of the event loop.
 */
export function passOver(table: Pick<Store['root'], 'useReadTransaction' | 'resetReadTxn'>, error: unknown): void {
  if (!messageOf(error).startsWith('MDB_')) return
  Object.assign(table.useReadTransaction(), { isDone: true })
  table.resetReadTxn()
}

/** Maximum key length of LMDB; each part of a key ends with one more byte. */
const LONGEST_KEY = 1_978
const canBeKey = (parts: string[]): boolean =>
  parts.reduce((size, part) => size + Buffer.byteLength(part) + 1, 0) <= LONGEST_KEY

/** Whether an entry belongs to the run of its key. */
export const isOf = (stored: Partial<StoredRun>, name: string, dagRunId: string): boolean =>
  typeof stored === 'object' && stored.record?.name === name && stored.record.dagRunId === dagRunId

/** An entry, or undefined when it is missing or cannot be read. */
export function readEntry<V extends object, K extends Key>(
  table: Database<V, K>,
  key: K,
  isRight?: (value: V) => boolean
): V | undefined {
  try {
    const value = table.get(key)
    return isEntry(value) && (!isRight || isRight(value)) ? value : undefined
  } catch (error) {
    passOver(table, error)
    return undefined
  }
}

/** Whether there is an entry that cannot be read. */
export const isLost = <V extends object, K extends Key>(table: Database<V, K>, key: K): boolean =>
  readEntry(table, key) === undefined && table.doesExist(key)

/** Damaged bytes may decode to a number or a text, but an entry is neither. */
const isEntry = (value: unknown) => typeof value === 'object' && value !== null

/** Entries in a range, without those that cannot be read. @param lost called for each of those */
export function readRange<V extends object, K extends Key>(
  table: Database<V, K>,
  range: { start?: K; end?: K; limit?: number; reverse?: boolean } = {},
  isRight: (value: V) => boolean = () => true,
  lost: (key: K) => void = () => {}
): { key: K; value: V }[] {
  let found: { key: K; value: V | undefined }[]
  try {
    found = Array.from(table.getRange(range))
  } catch (error) {
    passOver(table, error)
    found = Array.from(table.getKeys(range), (key) => ({ key, value: readEntry(table, key, isRight) }))
  }
  return found.flatMap(({ key, value }) => {
    if (value !== undefined && isEntry(value) && isRight(value)) return [{ key, value }]
    lost(key)
    return []
  })
}

/** Name of a sub DAG run; undefined: it does not exist, or its entry cannot be read. */
export function subNameOf(store: Store, key: [root: string, rootId: string, dagRunId: string]): string | undefined {
  try {
    const name: unknown = store.subs.get(key)
    return typeof name === 'string' ? name : undefined
  } catch (error) {
    passOver(store.subs, error)
    return undefined
  }
}

/** The entries of `readRange`, one after the other. */
export function* readEach<V extends object, K extends Key>(
  table: Database<V, K>,
  range: { start: K; end: K }
): Generator<{ key: K; value: V }> {
  let offset = 0
  try {
    for (const { key, value } of table.getRange(range)) {
      offset++
      if (isEntry(value)) yield { key, value }
    }
    return
  } catch (error) {
    passOver(table, error) // from an unreadable entry on, entries are read one by one
  }
  for (const key of table.getKeys({ ...range, offset })) {
    const value = readEntry(table, key)
    if (value !== undefined) yield { key, value }
  }
}

/** The status under which a root run is indexed; undefined: it is not. */
export const indexedStatus = (store: Store, createdAt: number, { name, dagRunId }: RunKey): RunStatus | undefined =>
  RUN_STATUSES.find((status) => store.byStatus.doesExist([status, createdAt, name, dagRunId]))

/** Copies the bytes of an unreadable entry to the table `damaged`. */
export function keepBytes(store: Store, table: string, key: Key): void {
  const raw = store.root.openDB<Buffer, Key>({ name: table, encoding: 'binary' })
  const bytes = raw.get(key)
  if (!bytes) return
  const kept = damagedIn(store).put([table, ...(Array.isArray(key) ? key : [key])], Buffer.from(bytes))
  void written(kept).catch(() => {}) // if this write fails, the entry itself is still there
}

/** Bytes of unreadable entries, by table and key. */
export const damagedIn = ({ root }: Store): Database<Buffer, Key> =>
  root.openDB({ name: 'damaged', encoding: 'binary' })

/** A record from what the indexes contain about the run. */
function standIn(store: Store, name: string, dagRunId: string): RunRecord {
  const known = Array.from(store.byName.getKeys({ start: [name, 0, ''], end: [name, Number.MAX_VALUE, END] }))
  const createdAt = known.find(([, , id]) => id === dagRunId)?.[1]
  const root = createdAt === undefined ? rootOf(store, name, dagRunId) : undefined
  return {
    name,
    dagRunId,
    status: 'failed',
    attempt: 1,
    ...(root ? { caller: { root, parent: root, step: '', runAttempt: 1, attempt: 1, depth: 1 } } : {}),
    createdAt: createdAt ?? 0,
    params: [],
    log: '',
    nodeLogs: '',
    plan: '',
    error: UNREADABLE
  }
}

function rootOf(store: Store, name: string, dagRunId: string): RunKey | undefined {
  for (const key of store.subs.getKeys())
    if (key[2] === dagRunId && subNameOf(store, key) === name) return { name: key[0], dagRunId: key[1] }
  return undefined
}
