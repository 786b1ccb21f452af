/** The feed: one numbering of the journal records of all runs. Source: api-semantics 12 (/events). */
import { join } from 'node:path'
import { expect } from 'chai'
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { type Changes, noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { feedOf } from '../../src/store/history.ts'
import { lastIn, openStore, type Store } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › feed', () => {
  const record = (seq: number): JournalRecord => ({
    run: { name: 'n', dagRunId: 'r' },
    seq,
    at: 0,
    actor: 'run/n/r',
    event: 'e',
    from: '',
    to: ''
  })
  const changes = (from: number, count: number): Changes => ({
    ...noChanges(),
    journal: Array.from({ length: count }, (_, at) => record(from + at))
  })
  const numbers = (store: Store, after: number, limit = 1_000) =>
    feedOf(store, after, limit).records.map(({ number, record }) => [number, record.seq])

  it('its latest number is one that can be read: a reader that goes on from there misses nothing that is being stored', async () => {
    const store = openStore(join(temporaryFolder(), 'data'))
    for (let round = 0; round < 40; round++) {
      let isStored = false
      const stored = commit(store, [changes(3 * round + 1, 3)]).then(() => {
        isStored = true
      })
      while (!isStored) {
        const latest = lastIn(store.feed)
        expect(feedOf(store, latest - 1, 1).records.length, `round ${round}`).to.equal(latest > 0 ? 1 : 0)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await stored
    }
    await store.root.close()
  })
  it('continues after a restart; what is replayed from the write-ahead file is not numbered again', async () => {
    const folder = join(temporaryFolder(), 'data')
    const store = openStore(folder)
    await commit(store, [changes(1, 2)])
    await store.root.close()
    const again = openStore(folder)
    await commit(again, [changes(1, 3)], { again: true })
    await commit(again, [changes(4, 1)])
    expect(numbers(again, 0)).to.deep.equal([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4]
    ])
    expect(numbers(again, 2, 1)).to.deep.equal([[3, 3]])
    expect(again.fed).to.equal(4)
    await again.root.close()
  })

  it('keeps the latest 100,000; a reader that falls behind is told how many it has missed', async () => {
    const store = openStore(join(temporaryFolder(), 'data'))
    for (let from = 1; from <= 102_000; from += 1_000) await commit(store, [changes(from, 1_000)])
    const { records, missed, end } = feedOf(store, 500, 10)
    expect([records[0]?.number, missed, end]).to.deep.equal([2_000, 1_499, 2_009])
    expect(feedOf(store, 101_990, 100)).to.deep.include({ end: 102_000, missed: 0 })
    await store.root.close()
  })
})
