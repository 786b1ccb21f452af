/** Verifies the audit log of a home, while it is written or not. */
import type { Store } from '../store/open.ts'
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
