/** Entries of API keys. One that cannot be read is left out: its key lets nobody in. Source: docs/authentication.md "API keys". */
import { inTransaction } from '../commit.ts'
import { readRange } from '../damage/damaged.ts'
import type { Store } from '../open.ts'
import type { StoredKey } from '../stored.ts'
import { isKey } from '../stored.ts'

/** Keys by id, in the order of their ids. */
export const keysIn = (store: Store): { id: string; key: StoredKey }[] =>
  readRange(store.keys, {}, isKey).map(({ key: id, value: key }) => ({ id, key }))

/** Resolves when that is on disk. @param changes an id without a key: it is forgotten */
export async function keepKeys(store: Store, changes: ReadonlyMap<string, StoredKey | undefined>): Promise<void> {
  await inTransaction(store, () => {
    for (const [id, key] of changes) void (key ? store.keys.put(id, key) : store.keys.remove(id))
  })
  await store.root.flushed
}
