/**
 * The store of `src/store/open.ts` in memory: the same keys in the same order, one transaction at a time, all of it or
 * nothing. What is committed is seen a moment later, as in LMDB. It outlives the engine that wrote it.
 */
import { deserialize, serialize } from 'node:v8'
import type { Key } from 'lmdb'
import { TABLES } from '../../store/damage/unreadable-entries.ts'
import type { Store } from '../../store/open.ts'
import type { Moments } from '../moments.ts'
import { type Bounds, openTable, type Packed, type Table } from './table.ts'

const KINDS = [...TABLES, 'meta'] as const
export type Kind = (typeof KINDS)[number]

export interface Disk {
  tables: Record<Kind, Table>
  /** Every write is refused. */
  full: boolean
  /** How long an LMDB transaction takes; processing continues meanwhile. */
  slowMs: number
  /** The engine that is writing. */
  writer: Moments | undefined
}

/** A pending write. */
interface Write {
  kind: Kind
  key: Key
  value?: Packed
}

export const emptyDisk = (): Disk => ({
  tables: Object.fromEntries(KINDS.map((kind) => [kind, openTable()])) as Disk['tables'],
  full: false,
  slowMs: 0,
  writer: undefined
})

/** Tables that hold nothing but JSON, and are written most often. */
const AS_JSON: ReadonlySet<Kind> = new Set(['runs', 'nodes', 'journal', 'feed', 'decisions', 'slots', 'meta'])
const TRUE = serialize(true)

function packedBy(kind: Kind, value: unknown): Packed {
  if (value === true) return TRUE // of an index
  return AS_JSON.has(kind) ? JSON.stringify(value) : serialize(value)
}

/** A value as it was when it was stored, and another object each time. */
export const unpack = (value: Packed): unknown => (typeof value === 'string' ? JSON.parse(value) : deserialize(value))

/** The store as one engine sees it. @param read changes what is read: a planted bug */
export function memoryStore(
  disk: Disk,
  moments: Moments,
  read: (kind: Kind, value: unknown) => unknown = (_, value) => value
): Store {
  /** Writes of the open transaction; absent: none is, and each write is one of its own. */
  let writes: Write[] | undefined
  function apply(whole: readonly Write[]): void {
    for (const { kind, key, value } of whole)
      if (value) disk.tables[kind].put(key, value)
      else disk.tables[kind].remove(key)
  }
  function write(one: Write): Promise<boolean> | undefined {
    if (writes) return void writes.push(one)
    return moments.after(() => apply([one])).then(() => true)
  }
  /** The writes of `work`, all of them or none. */
  function collected<T>(work: () => T): { done: T; whole: Write[] } {
    const whole: Write[] = []
    writes = whole
    try {
      return { done: work(), whole }
    } finally {
      writes = undefined
    }
  }
  const kinds = KINDS.map((kind) => {
    const table = disk.tables[kind]
    const unpacked = (value: Packed) => read(kind, unpack(value))
    return [
      kind,
      {
        get: (key: Key) => {
          const bytes = table.get(key)
          return bytes && unpacked(bytes)
        },
        doesExist: (key: Key) => table.get(key) !== undefined,
        put: (key: Key, value: unknown) => write({ kind, key, value: packedBy(kind, value) }),
        remove: (key: Key) => write({ kind, key }),
        putSync: (key: Key, value: unknown) => apply([{ kind, key, value: packedBy(kind, value) }]),
        removeSync: (key: Key) => apply([{ kind, key }]),
        *getKeys(bounds?: Bounds) {
          for (const { key } of table.range(bounds)) yield key
        },
        *getRange(bounds?: Bounds) {
          for (const { key, value } of table.range(bounds)) yield { key, value: unpacked(value) }
        },
        getKeysCount: (bounds?: Bounds) => table.count(bounds)
      }
    ]
  })
  const root = {
    async batch(work: () => void) {
      await moments.reach('before a transaction')
      if (disk.full) throw new Error('ENOSPC: no space left on device')
      const { whole } = collected(work)
      disk.writer = moments
      if (disk.slowMs > 0) await new Promise<void>((resolve) => moments.clock.after(disk.slowMs, resolve))
      await moments.after(() => apply(whole))
      disk.writer = undefined
      await moments.reach('after a transaction')
    },
    transactionSync<T>(work: () => T): T {
      const { done, whole } = collected(work)
      apply(whole)
      return done
    },
    flushed: Promise.resolve(true),
    close: async () => {}
  }
  const [latest] = disk.tables.feed.range({ reverse: true, limit: 1 })
  // The part of LMDB that commits and reads of the engine use.
  const turn = disk.tables.meta.get('turn')
  const numbers = { fed: Number(latest?.key ?? 0), turn: turn ? Number(unpack(turn)) : 0 }
  return { ...Object.fromEntries(kinds), root, ...numbers } as unknown as Store
}
