/** What `whole.ts` starts: one store, read to its end, and written to. LMDB may end it. */
import { constants, setPriority } from 'node:os'
import { asDamage, openStore, type Store } from '../open.ts'
import { readWhole, type WholeRead } from './unreadable-entries.ts'
import type { WholeOrder } from './whole.ts'

process.once('message', ({ dataDir, reads, writes, beside }: WholeOrder) => {
  if (beside) setPriority(constants.priority.PRIORITY_LOW)
  const store = openStore(dataDir, { readOnly: !writes })
  const found: WholeRead = reads ? readWhole(store) : { lost: [], refusals: [] }
  const refused = writes ? refusedWrite(store) : undefined
  process.send?.(refused === undefined ? found : { ...found, refusals: [...found.refusals, refused] }, () =>
    process.disconnect()
  )
})

// Whoever asked has gone.
process.once('disconnect', () => process.exit())

/**
 * Commits as a first turn would. Two of them: pages that one transaction takes and gives back are never written, and the store's head would
 * tell of more than the file has.
 */
function refusedWrite({ root }: Store): string | undefined {
  try {
    const bytes = root.openDB<Buffer, string>({ name: 'damaged', encoding: 'binary' })
    root.transactionSync(() => bytes.putSync('probe', Buffer.alloc(PROBE_BYTES)))
    root.transactionSync(() => bytes.removeSync('probe'))
    return undefined
  } catch (error) {
    return asDamage('', error) === error ? undefined : (error as Error).message // a disk may be full
  }
}

/** A few pages. */
const PROBE_BYTES = 16 * 1024
