/** What an engine that died had decided, stored by a reader. Source: reliability P1, F37. */
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { storeLeft } from '../../../src/store/disk/left-ahead.ts'
import { takeLock } from '../../../src/store/disk/lock.ts'
import { entriesIn, openWriteAhead } from '../../../src/store/disk/write-ahead.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('store › left ahead', () => {
  /** A data folder whose store lacks these transactions. */
  async function left(...turns: number[]) {
    const dataDir = temporaryFolder()
    const store = openStore(dataDir)
    takeLock(store)()
    await store.root.close()
    const path = join(dataDir, 'write-ahead')
    const ahead = openWriteAhead(path)
    for (const turn of turns) {
      const run = { name: 'etl', dagRunId: 'r1' }
      const record = { seq: turn, at: turn, actor: 'run/etl/r1', event: 'e', from: '', to: 'x', run }
      ahead.append({ ...noChanges(), turn, journal: [record] })
    }
    ahead.close()
    return { dataDir, path }
  }
  const stored = async (dataDir: string) => {
    const store = openStore(dataDir, { readOnly: true })
    try {
      return { turn: store.turn, fed: store.fed }
    } finally {
      await store.root.close()
    }
  }

  it('is in the store afterwards, once, and in the file as before', async () => {
    const { dataDir, path } = await left(1, 2, 3)
    expect(await stored(dataDir)).to.deep.equal({ turn: 0, fed: 0 })
    for (let again = 0; again < 2; again++) {
      expect(await storeLeft(dataDir, systemClock)).to.equal(undefined)
      expect(await stored(dataDir)).to.deep.equal({ turn: 3, fed: 3 })
    }
    expect(entriesIn(path)).to.have.length(3)
  })
  it('an owner that had opened the store before counts on from there', async () => {
    const { dataDir } = await left(1, 2)
    const owner = openStore(dataDir)
    try {
      expect(await storeLeft(dataDir, systemClock)).to.equal(undefined)
      const unlock = takeLock(owner)
      expect([owner.turn, owner.fed]).to.deep.equal([2, 2])
      unlock()
    } finally {
      await owner.root.close()
    }
  })
  it('beside a live owner nothing is written, and why is said', async () => {
    const { dataDir } = await left(1)
    const owner = openStore(dataDir)
    const unlock = takeLock(owner)
    try {
      expect(await storeLeft(dataDir, systemClock)).to.equal(
        'the engine that has this home now has not stored them yet'
      )
      expect(owner.meta.get('turn')).to.equal(undefined)
    } finally {
      unlock()
      await owner.root.close()
    }
  })
})
