/** Keys as LMDB has them in its pages, and their order. */
import type { Key } from 'lmdb'
import { lmdb } from '../disk/lmdb.ts'

/** From one (included) to another (excluded); undefined: from the first, or to the last. */
export interface KeyRange<K = Key> {
  from: K | undefined
  to: K | undefined
}

/** Of lmdb, which leaves one of them out of its types. */
interface Keys {
  bufferToKeyValue(bytes: Buffer): Key
  compareKeys(a: Key, b: Key): number
}

// D1242: lmdb is loaded with the first store
const keys = () => lmdb() as unknown as Keys // see there

/** Undefined: no key of a table of this release is written so. */
export function keyOf(bytes: Buffer): Key | undefined {
  try {
    return keys().bufferToKeyValue(bytes)
  } catch {
    return undefined
  }
}

/** Whether keys that begin with these parts may be in the range. @param last after every other part */
export function overlaps({ from, to }: KeyRange, parts: string[], last: string): boolean {
  const { compareKeys } = keys()
  return (
    (from === undefined || compareKeys(from, parts.concat(last)) < 0) &&
    (to === undefined || compareKeys(to, parts) > 0)
  )
}
