/** What the engine uses of a store, held by LMDB and by the store in memory alike: the same keys in the same order, all of a transaction or nothing. Source: embedding 2.8. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Database, Key } from 'lmdb'
import { inTransaction } from '../../src/store/commit.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { emptyDisk, memoryStore } from '../../src/testing/memory/memory-store.ts'
import { openMoments } from '../../src/testing/moments.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

/** A place where one store is opened after the other. */
interface Place {
  open(): Store
  leave(): void
}
const PLACES: Record<string, () => Place> = {
  LMDB() {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-conformance-'))
    return { open: () => openStore(folder), leave: () => rmSync(folder, { recursive: true, force: true }) }
  },
  memory() {
    const disk = emptyDisk()
    return { open: () => memoryStore(disk, openMoments(simulatedClock())), leave() {} }
  }
}

const all = (store: Store) => ({
  byTime: [...store.byTime.getKeys()],
  subs: Array.from(store.subs.getRange(), ({ key, value }) => [key, value]),
  feed: Array.from(store.feed.getRange(), ({ key, value }) => [key, value])
})

for (const [name, placeOf] of Object.entries(PLACES))
  describe(`stores › ${name}`, () => {
    let place: Place
    let store: Store
    beforeEach(() => {
      place = placeOf()
      store = place.open()
    })
    afterEach(async () => {
      await store.root.close()
      place.leave()
    })
    const put = (...keys: [number, string, string][]) =>
      inTransaction(store, () => {
        for (const key of keys) store.byTime.put(key, true)
      })

    it('reads what a transaction has written once it is over, and nothing before', async () => {
      const writing = put([1, 'a', 'x'])
      expect(store.byTime.doesExist([1, 'a', 'x'])).to.equal(false)
      await writing
      expect(store.byTime.get([1, 'a', 'x'])).to.equal(true)
      expect(store.byTime.get([1, 'a', 'y'])).to.equal(undefined)
    })
    it('readers see all of a transaction or nothing of it', async () => {
      const seen = new Set<number>()
      let isOver = false
      const writing = put([1, 'a', 'x'], [2, 'b', 'x'], [3, 'c', 'x']).then(() => {
        isOver = true
      })
      while (!isOver) {
        seen.add(store.byTime.getKeysCount())
        await new Promise(setImmediate)
      }
      await writing
      seen.add(store.byTime.getKeysCount())
      expect([...seen]).to.deep.equal([0, 3])
    })
    it('the latest write of a key in a transaction counts', async () => {
      await inTransaction(store, () => {
        store.subs.put(['a', 'b', 'c'], 'one')
        store.subs.remove(['a', 'b', 'c'])
        store.subs.put(['a', 'b', 'c'], 'two')
      })
      expect(store.subs.get(['a', 'b', 'c'])).to.equal('two')
    })
    it('a write outside a transaction is one of its own, and one that is told to be synchronous is there at once', async () => {
      await store.subs.put(['a', 'b', 'c'], 'one')
      expect(store.subs.get(['a', 'b', 'c'])).to.equal('one')
      store.meta.putSync('executor/x', 1)
      expect(store.meta.get('executor/x')).to.equal(1)
      store.root.transactionSync(() => void store.subs.remove(['a', 'b', 'c']))
      expect(store.subs.doesExist(['a', 'b', 'c'])).to.equal(false)
    })
    it('ranges begin with start and end before end; reversed, they begin at the highest', async () => {
      await put(...[1, 2, 3, 10].flatMap((n) => ['a', 'b'].map((text): [number, string, string] => [n, text, 'x'])))
      const times = (bounds: object) => Array.from(store.byTime.getKeys(bounds), ([n, text]) => `${n}${text}`).join(' ')
      expect(times({})).to.equal('1a 1b 2a 2b 3a 3b 10a 10b')
      expect(times({ start: [2], end: [10] })).to.equal('2a 2b 3a 3b')
      expect(times({ start: [2, 'b', 'x'], limit: 2 })).to.equal('2b 3a')
      expect(times({ reverse: true, limit: 3 })).to.equal('10b 10a 3b')
      expect(times({ start: [3, 'a', 'x'], end: [1, 'a', 'x'], reverse: true })).to.equal('3a 2b 2a 1b')
      expect(store.byTime.getKeysCount({ start: [2], end: [10] })).to.equal(4)
      expect(times({ start: [11] })).to.equal('')
    })
    it('what was stored is there for the next engine: its number of transactions and of events, too', async () => {
      await inTransaction(store, () => {
        store.feed.put(7, ['a', 'b', 1])
        store.meta.put('turn', 12)
      })
      await store.root.flushed
      await store.root.close()
      store = place.open()
      expect([store.fed, store.turn]).to.deep.equal([7, 12])
      expect(store.feed.get(7)).to.deep.equal(['a', 'b', 1])
    })
  })

describe('stores › any keys', () => {
  const text = fc.stringMatching(/^[\w.\- äß]{0,6}$/)
  const time = fc.oneof(
    fc.integer({ min: -3, max: 2 ** 31 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 })
  )
  const write = fc.oneof(
    fc.record({ table: fc.constant('byTime'), key: fc.tuple(time, text, text), value: fc.constant(true as const) }),
    fc.record({ table: fc.constant('subs'), key: fc.tuple(text, text, text), value: text }),
    fc.record({ table: fc.constant('feed'), key: fc.nat(1_000), value: fc.tuple(text, text, fc.nat()) })
  )
  it('both stores hold the same in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(write, fc.boolean()), { maxLength: 30 }), async (writes) => {
        const found: unknown[] = []
        for (const placeOf of Object.values(PLACES)) {
          const place = placeOf()
          const store = place.open()
          await inTransaction(store, () => {
            for (const [{ table, key, value }, isRemoved] of writes) {
              const database = store[table as keyof Store] as Database<unknown, Key> // of the three above
              database.put(key, value)
              if (isRemoved) database.remove(key)
            }
          })
          found.push({ ...all(store), newest: [...store.byTime.getKeys({ reverse: true, limit: 4 })] })
          await store.root.close()
          place.leave()
        }
        expect(found[0]).to.deep.equal(found[1])
      }),
      { numRuns: 25 }
    )
  })
})
