/** Commits records that name their predecessor, as transactions do, until it is killed: `node store-child.js DATA-FOLDER FROM`. Prints each committed number. */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openTransactions } from '../../../src/actors/journal/transactions.ts'
import { systemClock } from '../../../src/clock.ts'
import { openWriteAhead } from '../../../src/store/disk/write-ahead.ts'
import { openStore } from '../../../src/store/open.ts'
import { chained } from '../chain.ts'

const [dataDir = '', from = '1', plant] = process.argv.slice(2)
const store = openStore(dataDir)
const ahead = openWriteAhead(join(dataDir, 'write-ahead'))
const forgetful = { ...ahead, append: () => {} }
const transactions = openTransactions(store, plant ? forgetful : ahead, systemClock, false, (error) => {
  throw error
})
/** Concurrent transactions, so that some share a commit. */
const AT_ONCE = 5

for (let number = Number(from); ; ) {
  const committed: Promise<void>[] = []
  for (let each = 0; each < AT_ONCE; each++, number++) {
    const own = number
    transactions.take(() => transactions.changes.runs.set(String(own), { value: chained(own) }))
    committed.push(
      new Promise((resolve) =>
        transactions.afterCommit(() => {
          writeSync(1, `${own}\n`)
          resolve()
        })
      )
    )
  }
  await Promise.all(committed)
}
