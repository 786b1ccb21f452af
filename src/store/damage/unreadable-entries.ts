/** Reads every entry of the store: which cannot be read, and why. Such an entry is set aside with its bytes. Source: reliability P7. */
import type { Database, Key } from 'lmdb'
import { messageOf } from '../../errors.ts'
import type { PairKey, Store } from '../open.ts'
import {
  areSlots,
  isAsk,
  isDecision,
  isDelivery,
  isKey,
  isLeftover,
  isMove,
  isRestart,
  isVersion,
  isWorker
} from '../stored.ts'
import { isOf, keepBytes, passOver, readRun, UNREADABLE } from './damaged.ts'
import { isOfMachine } from './of-machine.ts'

export const TABLES = [
  'runs',
  'nodes',
  'calls',
  'items',
  'attempts',
  'journal',
  'checkpoints',
  'plans',
  'byTime',
  'byName',
  'byStatus',
  'subs',
  'open',
  'feed',
  'moves',
  'decisions',
  'slots',
  'restarts',
  'leftovers',
  'workers',
  'versions',
  'deliveries',
  'keys',
  'asks'
] as const
export type Table = (typeof TABLES)[number]

export interface LostEntry {
  table: Table
  key: Key
  cause: string
}

/** What reading all of a store has found. */
export interface WholeRead {
  lost: LostEntry[]
  /** Messages of LMDB about pages that it refused; what lies behind those was not read. */
  refusals: string[]
}

export function readWhole(store: Store): WholeRead {
  const lost: LostEntry[] = []
  const refusals = new Set<string>()
  for (const table of TABLES)
    try {
      for (const entry of unreadableIn(store, table)) lost.push(entry)
    } catch (error) {
      if (isOfMachine(error)) throw error
      refusals.add(messageOf(error))
      passOver(store.root, error)
    }
  return { lost, refusals: [...refusals] }
}

/** @throws Error `MDB_...` when a page is refused, and not an entry alone, or when entries are missing without a word */
export function* unreadableIn(store: Store, table: Table): Generator<LostEntry> {
  const entries = store[table] as Database<unknown, Key> // whatever its keys and values are
  const before = countOf(entries)
  let read = 0
  for (const key of entries.getKeys()) {
    read++
    const cause = whyUnreadable(table, entries, key)
    if (cause !== undefined) yield { table, key, cause }
  }
  // D1661: LMDB takes the bytes of a damaged page for one with fewer entries, or none. An engine beside it may add and remove some.
  const count = Math.min(before, countOf(entries))
  if (read < count) throw new Error(`MDB_CORRUPTED: table ${table} counts ${count} entries, and ${read} can be read`)
}

/** Number of entries that LMDB keeps, without a look at them. A table that an older release has not made has none. */
const countOf = (entries: Partial<Pick<Database, 'getStats'>>): number =>
  (entries.getStats?.() as { entryCount?: number } | undefined)?.entryCount ?? 0

function whyUnreadable(name: Table, table: Database<unknown, Key>, key: Key): string | undefined {
  try {
    const value = table.get(key)
    if (!isKind(name, value)) return 'it is none of its kind'
    if (name !== 'runs') return undefined
    const [dag, dagRunId] = key as PairKey // of the table `runs`
    return isOf(value as object, dag, dagRunId) ? undefined : 'it is that of another run'
  } catch (error) {
    if (messageOf(error).startsWith('MDB_') || isOfMachine(error)) throw error
    return messageOf(error)
  }
}

const KINDS: Partial<Record<Table, (value: never) => boolean>> = {
  subs: (value: unknown) => typeof value === 'string',
  decisions: isDecision,
  slots: areSlots,
  moves: isMove,
  restarts: isRestart,
  leftovers: isLeftover,
  workers: isWorker,
  versions: isVersion,
  deliveries: isDelivery,
  keys: isKey,
  asks: isAsk
}
/** Indexes: only their keys count. */
export const OF_KEYS: readonly string[] = ['byTime', 'byName', 'byStatus', 'open']

function isKind(name: Table, value: unknown): boolean {
  if (OF_KEYS.includes(name)) return true
  if (name !== 'subs' && (typeof value !== 'object' || value === null)) return false
  return KINDS[name]?.(value as never) ?? true // the check of that table
}

/** What can still be said of a run whose entry cannot be read stays listed. Within a transaction. */
export function putStandIn(store: Store, [name, dagRunId]: PairKey): void {
  const stored = readRun(store, { name, dagRunId })
  if (stored) store.runs.putSync([name, dagRunId], { ...stored, record: { ...stored.record, error: UNREADABLE } })
}

/**
 * What an engine does with entries that it has found so: the bytes of each are kept, whatever is written over it later, and a run stands
 * there as failed. The others stay as they are, and every reader tells of them: to say what they were is for the doctor.
 */
export function setAside(store: Store, lost: readonly LostEntry[]): void {
  store.root.transactionSync(() => {
    for (const { table, key } of lost) {
      const entries = store[table] as Database<unknown, Key> // as above
      if (!entries.doesExist(key) || whyUnreadable(table, entries, key) === undefined) continue // it was written since
      keepBytes(store, table, key)
      if (table === 'runs') putStandIn(store, key as PairKey) // of that table
    }
  })
}
