/** Verifies the audit log of a home, while it is written or not. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, type Store } from '../store/open.ts'
import type { Head } from './entry.ts'
import { auditFiles } from './files.ts'
import { headIn } from './head.ts'
import { linesOf } from './read.ts'
import { type Expected, type Verdict, verified } from './verify.ts'

/** @param store of the home, if it has one @param expected `hashes` that were noted elsewhere */
export function verifiedHome(
  dir: string,
  store: Pick<Store, 'root'> | undefined,
  expected: Pick<Expected, 'hashes'> = {}
): Promise<Verdict> {
  // First, since an engine may be at work: what is entered later than that is not missed.
  const head = store && headIn(store)
  return verified(linesOf(auditFiles(dir).map(({ path }) => path)), { ...expected, isWhole: true, head })
}

/** The latest entry that the store of a home knows, whether an engine is running or not. Undefined: it has no store, or knows none. */
export async function headOfHome(dataDir: string): Promise<Head | undefined> {
  if (!existsSync(join(dataDir, 'troupe.mdb'))) return undefined
  const store = openStore(dataDir, { readOnly: true })
  try {
    return headIn(store)
  } finally {
    await store.root.close()
  }
}
