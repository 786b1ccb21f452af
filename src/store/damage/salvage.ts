/**
 * Puts a copy of what can be read in the place of a store whose pages are damaged, so that an engine comes up by itself. The damaged file
 * is kept beside it. Source: reliability P1, P7, P22.
 */
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from 'lmdb'
import { nextTurn, systemClock } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { faultIn } from '../disk/store-file.ts'
import { openStore, type Store } from '../open.ts'
import { noteVersion } from '../store-version.ts'
import { keepRuns, LOST_VALUE } from './lost-runs.ts'
import { type TablePages, withTables } from './pages.ts'
import { type KeyRange, keyOf } from './stored-keys.ts'
import { OF_KEYS, TABLES } from './unreadable-entries.ts'

/** What stands beside a damaged store that was set aside, in `<file>.json`. */
export interface Salvaged {
  /** Path of the damaged file. */
  aside: string
  /** Entries that were copied, by table. */
  copied: Record<string, number>
  /** Places where entries of a table are lost, at least one entry each, and entries whose value is lost. Only tables with any. */
  lost: Record<string, number>
  /** Runs of which something cannot be read. */
  runs: number
}

const FILE = 'troupe.mdb'
const ASIDE = `${FILE}.damaged-`
/** Limit of stores put aside: another disk is needed then, not another copy. */
const MOST_ASIDE = 3
/** Entries in one transaction: in between, other work of the process has its turn. */
const AT_ONCE = 5_000

// D1628: a copy of what can be read takes the place of a damaged store
/**
 * Call while no engine has the store open. @returns undefined: nothing has been changed, because its tables cannot be found
 * @throws Error the same, for a full disk, or because it was done too often
 */
export async function salvage(dataDir: string): Promise<Salvaged | undefined> {
  const path = join(dataDir, FILE)
  if (!existsSync(path) || faultIn(path, false)) return undefined
  if (salvagedIn(dataDir).length >= MOST_ASIDE)
    throw new Error(`${MOST_ASIDE} damaged stores have been set aside in ${dataDir} already: look at the disk`)
  const folder = join(dataDir, 'salvaged')
  rmSync(folder, { recursive: true, force: true })
  try {
    const found = await withTables(path, (tables) => copied(tables, folder))
    if (!found) return undefined
    const aside = asideFor(path)
    const said: Salvaged = { aside, ...found }
    writeFileSync(`${aside}.json`, `${JSON.stringify(said)}\n`, { mode: 0o600 })
    linkSync(path, aside) // at every moment there is a store at its path: otherwise a start would take the home for a new one
    rmSync(`${path}-lock`, { force: true })
    renameSync(join(folder, FILE), path)
    return said
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function asideFor(path: string): string {
  const at = new Date(systemClock.now()).toISOString().replace(/[:.]/g, '-')
  return `${path}.damaged-${at}`
}

async function copied(tables: TablePages[], folder: string): Promise<Omit<Salvaged, 'aside'>> {
  const store = openStore(folder)
  try {
    const copied: Record<string, number> = {}
    const lost: Record<string, number> = {}
    const ranges = new Map<string, readonly KeyRange[]>()
    for (const table of tables) {
      const { count, values } = await copyTable(store, table)
      copied[table.name] = count
      ranges.set(
        table.name,
        table.lost.map(({ from, to }) => ({ from: from && keyOf(from), to: to && keyOf(to) }))
      )
      if (table.lost.length + values > 0) lost[table.name] = table.lost.length + values
    }
    dropUnreadable(store)
    noteVersion(store.root)
    const runs = store.root.transactionSync(() => keepRuns(store, ranges))
    await store.root.flushed
    return { copied, lost, runs }
  } finally {
    await store.root.close()
  }
}

/** @returns how many entries were copied, and how many values of them are lost */
async function copyTable({ root }: Store, { name, entries }: TablePages): Promise<{ count: number; values: number }> {
  const target = root.openDB<Buffer, Key>({ name, encoding: 'binary' })
  const rest = entries[Symbol.iterator]()
  let count = 0
  let values = 0
  for (let isMore = true; isMore; await nextTurn(systemClock))
    isMore = root.transactionSync(() => {
      for (let at = 0; at < AT_ONCE; at++) {
        const next = rest.next()
        if (next.done) return false
        const { key: bytes, value } = next.value
        const key = keyOf(bytes)
        const kept = value ?? inPlaceOfLost(name)
        if (key !== undefined && kept) target.putSync(key, kept)
        if (key !== undefined && value) count++
        else values++
      }
      return true
    })
  return { count, values }
}

/** Undefined: nothing tells an entry of the table from a damaged one, and none is better. */
function inPlaceOfLost(table: string): Buffer | undefined {
  if (OF_KEYS.includes(table)) return ANY_VALUE
  return TABLES.some((name) => name === table) ? LOST_VALUE : undefined
}

/** `true`. */
const ANY_VALUE = Buffer.from([0xc3])
/** Tables without checksums: releases and locks. */
const UNSEALED = ['meta', 'locks', 'audit']

/** Entries that no start could get past. */
function dropUnreadable({ root }: Store): void {
  for (const name of UNSEALED) {
    const table = root.openDB<unknown, Key>({ name })
    for (const key of [...table.getKeys()])
      try {
        table.get(key)
      } catch {
        table.removeSync(key)
      }
  }
}

/** Notes of damaged stores that stand beside the one in use, oldest first. */
export function salvagedIn(dataDir: string): Salvaged[] {
  const notes = existsSync(dataDir) ? readdirSync(dataDir).filter((file) => isNote(file, dataDir)) : []
  return notes.sort().flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(join(dataDir, file), 'utf8')) as Salvaged] // written above
    } catch (error) {
      return [
        { aside: join(dataDir, file.slice(0, -NOTE.length)), copied: {}, lost: { [messageOf(error)]: 1 }, runs: 0 }
      ]
    }
  })
}

const NOTE = '.json'
/** A note without its store is left of an attempt that was cut off, or of a store that was removed since. */
const isNote = (file: string, dataDir: string): boolean =>
  file.startsWith(ASIDE) && file.endsWith(NOTE) && existsSync(join(dataDir, file.slice(0, -NOTE.length)))

export function salvagedWords({ aside, lost, runs }: Salvaged): string {
  const where = Object.entries(lost).map(([table, places]) => `${table} (${places})`)
  return (
    `a damaged store was set aside as ${aside}, and what could be read of it was copied to a new one: ` +
    `${where.length === 0 ? 'no entry is lost' : `entries are lost at places of ${where.join(', ')}`}, ` +
    `and something of ${runs} run${runs === 1 ? '' : 's'} cannot be read (state unreadable)`
  )
}
