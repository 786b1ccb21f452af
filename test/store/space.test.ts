/** Space of runs that have gone is used again. Source: execution-semantics 14.1; reliability P18. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord } from '../../machines/vocabulary.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit, flushed } from '../../src/store/commit.ts'
import { openStore } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › space', () => {
  it('of runs that were removed is used again: the file does not grow with what has come and gone', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const store = openStore(dataDir)
    const generation = (number: number): RunRecord[] =>
      Array.from({ length: 300 }, (_, index) => ({
        name: 'n',
        dagRunId: `${number}-${index}`,
        status: 'succeeded',
        attempt: 1,
        createdAt: number * 1_000 + index,
        params: [],
        log: '/l',
        nodeLogs: '/l/1',
        plan: 'p'
      }))
    async function put(records: RunRecord[]) {
      const changes = noChanges()
      for (const record of records) {
        changes.runs.set(record.dagRunId, { value: { record, seq: 5 } })
        for (let seq = 1; seq <= 5; seq++)
          changes.journal.push({ run: record, seq, at: seq, actor: 'a'.repeat(200), event: 'e', from: '', to: 'b' })
      }
      await commit(store, [changes])
    }
    async function remove(records: RunRecord[]) {
      for (let first = 0; first < records.length; first += 50) {
        const changes = noChanges()
        changes.removed.push(...records.slice(first, first + 50))
        await commit(store, [changes])
      }
    }
    const sizes: number[] = []
    await put(generation(0))
    for (let number = 1; number <= 12; number++) {
      await put(generation(number))
      await remove(generation(number - 1))
      await flushed(store)
      sizes.push(statSync(join(dataDir, 'troupe.mdb')).size)
    }
    await store.root.close()
    const [second = 0] = sizes.slice(1)
    expect(sizes.at(-1)).to.be.at.most(second * 2)
  })
})
