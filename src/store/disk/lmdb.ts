/** LMDB as it is loaded in this process, once for all copies of this package in it. */
import { createRequire } from 'node:module'
import type * as Lmdb from 'lmdb'

const LOADED = Symbol.for('troupe.lmdb')

// D1606: two of its native parts in a process share what they note of open files, and the second one that is loaded forgets it
/** The copy that came first has loaded it. */
export function lmdb(): typeof Lmdb {
  const shared = globalThis as { [LOADED]?: typeof Lmdb } // of whichever copy came first
  shared[LOADED] ??= createRequire(import.meta.url)('lmdb') as typeof Lmdb
  return shared[LOADED]
}
