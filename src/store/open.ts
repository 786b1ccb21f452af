/**
 * The LMDB environment and its key layout. One store belongs to one engine at a time (`lock.ts`). Source: architecture 1, 6.
 *
 * Keys are ordered-binary arrays, so that a range read backwards gives "newest first":
 *
 *     runs      [name, id]                    run record, and its open state
 *     nodes     [name, id, place]             node record, and its open state; place: index of the step, or `onExit`...
 *     calls     [name, id, place, n, m]       sub DAG runs called by a node: run attempt n, execution m of the step
 *     items     [name, id, place, n, m]       result of item m of a node with `each`, in its pass n; items.ts
 *     attempts  [name, id, n]                 run and nodes at the end of an earlier attempt
 *     journal   [name, id, seq]               journal record, in the form of journal-text.ts
 *     checkpoints [name, id, seq]             state of a run's actors at an event; checkpoints.ts
 *     plans     hash                          {plan, spec}: shared by all runs of the same text
 *     byTime    [createdAt, name, id]         every root run
 *     byName    [name, createdAt, id]         every root run
 *     byStatus  [status, createdAt, name, id] every root run
 *     subs      [root name, root id, id]      name of the sub DAG run with that id, at any depth
 *     open      [name, id]                    runs that have not ended
 *     feed      n                             key of the nth journal record of all runs; the latest ones only
 *     moves     name                          a history that is being moved to another DAG name
 *     decisions n                             a decision of the scheduler; the latest ones only
 *     slots     file name                     which scheduled minutes of a definition have been decided
 *     restarts  [name, id]                    a run that a schedule restarts, until the new run is stored
 *     leftovers [name, id, createdAt]         files of a removed run, until they are deleted
 *     workers   home                          a worker that has said hello, until it is forgotten
 *     versions  [file name, n]                a text that a definition has had; tables/versions.ts
 *     deliveries [state, target, id]          an event for a target of `notify`, `waiting` or `dead`; tables/deliveries.ts
 *     keys      id                            an API key: hash, role, rules; tables/access-keys.ts
 *     asks      [name, idempotency key]       the run that a start with that key has made; tables/asks.ts
 *     meta      'version', 'since' and 'release': store-version.ts; 'turn', the number of the latest stored transaction;
 *               'engine' and 'epoch' where there are workers: an id, and how often it has begun
 *
 * Every entry is preceded by a checksum (`sealed.ts`), except those of `meta`, which any release must be able to read, and those of
 * indexes, where only the key matters.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Key, RootDatabase } from 'lmdb'
import type { JournalRecord, NodePlace, ScheduleDecision } from '../../machines/vocabulary.ts'
import { messageOf, TroupeError } from '../errors.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { isOfMachine } from './damage/of-machine.ts'
import { lmdb } from './disk/lmdb.ts'
import { noteOpen } from './disk/open-here.ts'
import { asOwnFiles } from './disk/own-files.ts'
import { reserveSpace } from './disk/reserve-space.ts'
import { refuseUnfit } from './disk/store-file.ts'
import { checkpointText, type StoredCheckpoint } from './entries/checkpoint-text.ts'
import { asNode, asRun } from './entries/entry-shape.ts'
import { entryText } from './entries/entry-text.ts'
import { journalText } from './entries/journal-text.ts'
import { type Encoder, sealed } from './entries/sealed.ts'
import { noteVersion, refuseNewer } from './store-version.ts'
import type {
  StoredAsk,
  StoredAttempt,
  StoredCall,
  StoredDelivery,
  StoredItem,
  StoredKey,
  StoredLeftover,
  StoredMove,
  StoredNode,
  StoredPlan,
  StoredRestart,
  StoredRun,
  StoredSlots,
  StoredVersion,
  StoredWorker
} from './stored.ts'

/** Address space, not disk space: the file grows as needed. */
const MAP_SIZE = 64 * 1024 ** 3
const STORE_FILE = 'troupe.mdb'

export type PairKey = [name: string, dagRunId: string]
export type LeftoverKey = [name: string, dagRunId: string, createdAt: number]
export type CallKey = [name: string, dagRunId: string, place: NodePlace, runAttempt: number, attempt: number]
export type ItemKey = [name: string, dagRunId: string, place: NodePlace, pass: number, index: number]
export type VersionKey = [fileName: string, number: number]
/** The id is that of the event: a UUID of version 7, so that keys are ordered by time. */
export type DeliveryKey = [state: 'waiting' | 'dead', target: string, id: string]
export type AskKey = [name: string, idempotencyKey: string]
export type NodeKey = [name: string, dagRunId: string, place: NodePlace]

export interface Store {
  root: RootDatabase
  runs: Database<StoredRun, [string, string]>
  nodes: Database<StoredNode, NodeKey>
  calls: Database<StoredCall, CallKey>
  items: Database<StoredItem, ItemKey>
  attempts: Database<StoredAttempt, [string, string, number]>
  journal: Database<JournalRecord, [string, string, number]>
  checkpoints: Database<StoredCheckpoint, [string, string, number]>
  plans: Database<StoredPlan, string>
  byTime: Database<true, [number, string, string]>
  byName: Database<true, [string, number, string]>
  byStatus: Database<true, [string, number, string, string]>
  subs: Database<string, [string, string, string]>
  open: Database<true, [string, string]>
  feed: Database<[string, string, number], number>
  moves: Database<StoredMove, string>
  /** Latest number of `feed`, which may still be being stored. */
  fed: number
  decisions: Database<ScheduleDecision, number>
  slots: Database<StoredSlots, string>
  restarts: Database<StoredRestart, PairKey>
  leftovers: Database<StoredLeftover, LeftoverKey>
  workers: Database<StoredWorker, string>
  versions: Database<StoredVersion, VersionKey>
  deliveries: Database<StoredDelivery, DeliveryKey>
  keys: Database<StoredKey, string>
  asks: Database<StoredAsk, AskKey>
  /** Numbers by name. */
  meta: Database<number, string>
  /** Number of the latest transaction, stored or being stored. */
  turn: number
}

/**
 * Opens the store below `dataDir`.
 * @param options `ofAnyRelease`: also one that cannot be read, to lock it
 * @throws TroupeError internal_error for data of a newer release, for a damaged file or something else, and for a full disk; not_found when
 * there is nothing to read
 */
export function openStore(dataDir: string, { readOnly = false, ofAnyRelease = false } = {}): Store {
  const path = join(dataDir, STORE_FILE)
  if (readOnly && !hasStore(dataDir))
    throw new TroupeError('not_found', 'there is nothing to read yet: no engine has run on this home')
  makeFolderAtOnce(dataDir, 0o700)
  refuseUnfit(path, readOnly)
  reserveSpace(path)
  // D1242: lmdb is loaded with the first store
  const { open } = lmdb()
  // Every write has an explicit transaction. Otherwise lmdb would batch the writes of a turn of the event loop, with a promise that is
  // never handled.
  const root = notedOpen(dataDir, () =>
    asOwnFiles(readOnly ? [] : [path, `${path}-lock`], () =>
      open({ path, maxDbs: 32, mapSize: MAP_SIZE, readOnly, compression: false, eventTurnBatching: false })
    )
  )
  try {
    const opened = () => {
      if (!ofAnyRelease) refuseNewer(root)
      if (!readOnly) noteVersion(root)
      return tablesOf(root)
    }
    // Outside one transaction each table of a new store would be a commit of its own, with a flush.
    return readOnly ? opened() : root.transactionSync(opened)
  } catch (error) {
    void root.close()
    throw asDamage(path, error)
  }
}

// D1630: a home in which nothing has run reads as an empty one
/** The store of a home in which nothing has run, for a reader: nothing is made on disk. */
export const emptyStore = (): Store =>
  tablesOf({ close: async () => {}, openDB: () => undefined, encoder: {} } as unknown as RootDatabase) // sufficient for readers

/** Whether a home has a store. */
export const hasStore = (dataDir: string): boolean => existsSync(join(dataDir, STORE_FILE))

/** Notes the store as open until it is closed. @throws TroupeError service_unavailable: another copy of this package here has it */
function notedOpen(dataDir: string, open: () => RootDatabase): RootDatabase {
  const closed = noteOpen(dataDir)
  try {
    const root = open()
    const close = root.close.bind(root)
    let closing: Promise<void> | undefined
    root.close = () => {
      closing ??= close().finally(closed)
      return closing
    }
    return root
  } catch (error) {
    closed()
    throw error
  }
}

/** Turns errors of LMDB about the file, and decoding errors, into a sentence; a disk error has a system error code. */
export function asDamage(path: string, error: unknown): unknown {
  const isDamage =
    error instanceof Error &&
    !(error instanceof TroupeError) &&
    !isOfMachine(error) &&
    (/^MDB_(CORRUPTED|PAGE_NOTFOUND|BAD|INCOMPATIBLE|INVALID|PANIC)/.test(error.message) || !('code' in error))
  if (!isDamage) return error
  return new TroupeError(
    'internal_error',
    `the store in ${path} is damaged: ${error.message}; nothing has been changed: restore a backup (troupe restore DIR --replace); troupe doctor says more`,
    { cause: error }
  )
}

/** Whether LMDB could not read what is in the file, and no head of it is to blame (`disk/store-file.ts`). */
export const isDamaged = (error: unknown): boolean =>
  error instanceof TroupeError
    ? error.cause !== undefined && asDamage('', error.cause) !== error.cause
    : messageOf(error).startsWith('MDB_') && asDamage('', error) !== error

function tablesOf(root: RootDatabase): Store {
  const packed = packedBy(root)
  const of = <V, K extends Key>(name: string, encoder?: Encoder<V>): Database<V, K> =>
    table(root, name, sealed(encoder ?? (packed as Encoder<V>))) // it packs any value
  const feed: Store['feed'] = of('feed')
  const meta: Store['meta'] = table(root, 'meta')
  return {
    root,
    feed,
    fed: lastIn(feed),
    moves: of('moves'),
    runs: of('runs', entryText(packed, asRun)),
    nodes: of('nodes', entryText(packed, asNode)),
    calls: of('calls'),
    items: of('items'),
    attempts: of('attempts'),
    journal: of('journal', journalText(packed)),
    checkpoints: of('checkpoints', checkpointText),
    plans: of('plans'),
    byTime: table(root, 'byTime'),
    byName: table(root, 'byName'),
    byStatus: table(root, 'byStatus'),
    subs: of('subs'),
    open: table(root, 'open'),
    decisions: of('decisions'),
    slots: of('slots'),
    restarts: of('restarts'),
    leftovers: of('leftovers'),
    workers: of('workers'),
    versions: of('versions'),
    deliveries: of('deliveries'),
    keys: of('keys'),
    asks: of('asks'),
    meta,
    turn: meta.get('turn') ?? 0
  }
}

/** Numbers that go on from what another process has stored since it was opened here. */
export function countOn(store: Store): void {
  store.turn = store.meta.get('turn') ?? 0
  store.fed = lastIn(store.feed)
}

/** The latest number that can be read. */
export const lastIn = (feed: Store['feed']): number => Array.from(feed.getKeys({ reverse: true, limit: 1 }))[0] ?? 0

/** A store that is opened read-only may come from a release without the table: then it is empty. */
const table = <V, K extends Key>(root: RootDatabase, name: string, encoder?: Encoder<V>): Database<V, K> =>
  // The types of lmdb leave out that there may be none.
  (root.openDB<V, K>({ name, ...(encoder ? { encoder } : {}) }) as Database<V, K> | undefined) ??
  (NOTHING as unknown as Database<V, K>) // sufficient for readers

/** MessagePack, as lmdb uses by default. */
function packedBy(root: RootDatabase): Encoder<unknown> {
  const { encoder } = root as unknown as { encoder: Encoder<unknown> } // not typed by lmdb
  return { encode: (value) => encoder.encode(value), decode: (bytes, end) => encoder.decode(bytes, end) }
}

const NOTHING = {
  get: () => undefined,
  doesExist: () => false,
  getKeys: () => [],
  getRange: () => [],
  getKeysCount: () => 0
}
