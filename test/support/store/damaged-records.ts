/** Records of a store whose bytes are no longer records. */
import type { Key } from 'lmdb'
import type { Store } from '../../../src/store/open.ts'

/** Bytes of a text that says it is longer than it is. */
export const GARBAGE = Buffer.from([0xd9, 200, 1, 2])

/** A table as bytes. */
export const bytesOf = ({ root }: Store, table: string) => root.openDB<Buffer, Key>({ name: table, encoding: 'binary' })

export const overwrite = (store: Store, table: string, key: Key) => bytesOf(store, table).put(key, GARBAGE)
