/** The latest entry of the audit log as the store of its home knows it: so a log that was cut at its end is found. */
import type { Database } from 'lmdb'
import { inTransaction } from '../store/commit.ts'
import type { Store } from '../store/open.ts'
import type { Head } from './entry.ts'

type Heads = Database<Head, string>
/** Beside the tables of runs, as those of locks: homes without an audit log have none. */
const heads = ({ root }: Pick<Store, 'root'>): Heads | undefined => root.openDB<Head, string>({ name: 'audit' })

/** Undefined: it has none, or it cannot be read. */
export function headIn(store: Pick<Store, 'root'>): Head | undefined {
  try {
    const head: Partial<Head> | undefined = heads(store)?.get('head')
    if (!head || !Number.isSafeInteger(head.seq) || !/^[0-9a-f]{64}$/.test(head.hash ?? '')) return undefined
    return head as Head // both were just checked
  } catch {
    return undefined
  }
}

/** Writes it into the store; call the function that it returns for each head. Resolves when it is flushed. */
export function headKeeper(store: Pick<Store, 'root'>): (head: Head) => Promise<void> {
  let table: Heads | undefined
  return async (head) => {
    table ??= heads(store)
    await inTransaction(store, () => void table?.put('head', head))
    await store.root.flushed
  }
}

/** For a store that comes to a log of another one. Resolves when it is committed. @param head undefined: it knows none */
export async function replaceHead(store: Pick<Store, 'root'>, head: Head | undefined): Promise<void> {
  const table = heads(store)
  await inTransaction(store, () => void (head ? table?.put('head', head) : table?.remove('head')))
}
