/** The program that `whole.ts` starts: reads a store completely, and writes to it. LMDB may crash it. */
import { constants, setPriority } from 'node:os'
import { messageOf, type TroupeError } from '../../errors.ts'
import { asDamage, isDamaged, openStore, type Store } from '../open.ts'
import { readWhole, type WholeRead } from './unreadable-entries.ts'
import type { WholeOrder } from './whole.ts'

process.once('message', ({ dataDir, reads, writes, beside }: WholeOrder) => {
  if (beside) setPriority(constants.priority.PRIORITY_LOW)
  process.send?.(foundIn(dataDir, reads, writes), () => process.disconnect())
})

function foundIn(dataDir: string, reads: boolean, writes: boolean): WholeRead {
  let store: Store
  try {
    store = openStore(dataDir, { readOnly: !writes })
  } catch (error) {
    if (!isDamaged(error)) throw error
    return { lost: [], refusals: [messageOf((error as TroupeError).cause)] } // as `isDamaged` says
  }
  const found: WholeRead = reads ? readWhole(store) : { lost: [], refusals: [] }
  const refused = writes ? refusedWrite(store) : undefined
  return refused === undefined ? found : { ...found, refusals: [...found.refusals, refused] }
}

// The parent has gone.
process.once('disconnect', () => process.exit())

/**
 * Commits like a first transaction would. Twice, because pages that one transaction allocates and frees are never written, and the
 * head of the store would refer to more than the file contains.
 */
function refusedWrite({ root }: Store): string | undefined {
  try {
    const bytes = root.openDB<Buffer, string>({ name: 'damaged', encoding: 'binary' })
    root.transactionSync(() => bytes.putSync('probe', Buffer.alloc(PROBE_BYTES)))
    root.transactionSync(() => bytes.removeSync('probe'))
    return undefined
  } catch (error) {
    return asDamage('', error) === error ? undefined : messageOf(error) // for example a full disk
  }
}

/** A few pages. */
const PROBE_BYTES = 16 * 1024
