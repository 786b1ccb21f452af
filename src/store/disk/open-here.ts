/**
 * Which stores are open in this process, for all copies of this package in it: bundled twice, installed twice, or loaded again by a test
 * runner that empties the cache of modules. LMDB counts what one copy opens; two copies close each other's environment, and the locks
 * of the file with it.
 */
import { statSync } from 'node:fs'
import { TroupeError } from '../../errors.ts'

/** A table for copies of all releases: by device and inode of the folder, so that it does not matter how a path is written. */
interface Table {
  stores: Map<string, unknown>
}
/** An entry of the table as this release writes it. */
interface Opened {
  version: 1
  /** The copy that has opened it. */
  copy: object
  times: number
}

const TABLE = Symbol.for('troupe.stores')
const COPY = {}

// D1606: the stores that are open in a process are in one table for all copies of the package
/** Returns a function for when it is closed. @throws TroupeError service_unavailable: another copy has it open */
export function noteOpen(dataDir: string): () => void {
  const { dev, ino } = statSync(dataDir)
  const id = `${dev}:${ino}`
  const { stores } = table()
  const found = stores.get(id)
  if (found !== undefined && !isOwn(found))
    throw new TroupeError(
      'service_unavailable',
      `the store in ${dataDir} is open in this process already, by another copy of the package "troupe": close that engine first, and import the package from one place (npm ls troupe shows the copies; a test runner that loads modules again makes one each time)`,
      { details: { owner: process.pid } }
    )
  const opened = found ?? { version: 1, copy: COPY, times: 0 }
  opened.times++
  stores.set(id, opened)
  return () => {
    opened.times--
    if (opened.times === 0 && stores.get(id) === opened) stores.delete(id)
  }
}

const isOwn = (found: unknown): found is Opened => (Object(found) as Partial<Opened>).copy === COPY

function table(): Table {
  const shared = globalThis as { [TABLE]?: Partial<Table> } // of whichever copy came first
  if (shared[TABLE]?.stores instanceof Map) return { stores: shared[TABLE].stores }
  const made = { stores: new Map<string, unknown>() }
  shared[TABLE] = made
  return made
}
