/** What `whole.ts` starts: one store, read to its end. LMDB may end it. */
import { constants, setPriority } from 'node:os'
import { openStore } from './open.ts'
import { readWhole } from './unreadable-entries.ts'
import type { WholeOrder } from './whole.ts'

process.once('message', ({ dataDir, beside }: WholeOrder) => {
  if (beside) setPriority(constants.priority.PRIORITY_LOW)
  const store = openStore(dataDir, { readOnly: true })
  process.send?.(readWhole(store), () => process.disconnect())
})

// Whoever asked has gone.
process.once('disconnect', () => process.exit())
