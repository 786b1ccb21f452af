/** A store whose pages are damaged is copied as far as it can be read, without LMDB. Source: reliability P1, P4, P7. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { readRun, UNREADABLE } from '../../../src/store/damage/damaged.ts'
import { keepRuns } from '../../../src/store/damage/lost-runs.ts'
import { salvage, salvagedIn } from '../../../src/store/damage/salvage.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { seeded } from '../../support/random.ts'
import { deadly, PAGE } from '../../support/store/damaged-pages.ts'

const IDS = Array.from({ length: 20 }, (_, at) => `r${at}`)
const KIND = 0x12
const LEAF = 0x02

describe('what is salvaged of a damaged store', () => {
  let whole = ''
  before(async () => {
    whole = temporaryFolder()
    const engine = await createEngine({ home: whole, defaultShell: 'sh' })
    const spec = 'name: a\nmaxActiveRuns: -1\nsteps: ["true", "true"]'
    await Promise.all(IDS.map(async (dagRunId) => engine.result(await engine.start({ spec, dagRunId }))))
    await engine.close()
  })

  const fileIn = (home: string) => join(home, 'data', 'troupe.mdb')
  /** The same home, with one page changed. */
  function damaged(number: number, damage: (page: Buffer) => void): string {
    const home = temporaryFolder()
    mkdirSync(join(home, 'data'))
    copyFileSync(fileIn(whole), fileIn(home))
    const bytes = readFileSync(fileIn(home))
    damage(bytes.subarray(number * PAGE, (number + 1) * PAGE))
    writeFileSync(fileIn(home), bytes)
    return home
  }
  it('a store that is whole is copied entry by entry', async () => {
    const home = temporaryFolder()
    cpSync(whole, home, { recursive: true })
    const said = await salvage(join(home, 'data'))
    expect(said).to.deep.include({ lost: {}, runs: 0 })
    expect(said?.copied).to.include({ runs: IDS.length, nodes: 2 * IDS.length, byName: IDS.length })
    const [before, after] = [openStore(join(whole, 'data'), { readOnly: true }), openStore(join(home, 'data'))]
    for (const table of ['runs', 'nodes', 'journal', 'plans', 'feed', 'meta', 'byStatus'] as const)
      expect([...after[table].getRange()], table).to.deep.equal([...before[table].getRange()])
    await before.root.close()
    await after.root.close()
  })

  it('P1 whichever page is damaged, every run that was acknowledged is listed, as it was or as unreadable', async () => {
    const random = seeded(1)
    const bytes = readFileSync(fileIn(whole))
    const randomBytes = (page: Buffer) => {
      for (let at = 0; at < page.length; at++) page[at] = random.below(256)
    }
    let unreadable = 0
    for (let number = 2; number < bytes.length / PAGE; number++) {
      const isLeaf = bytes[number * PAGE + KIND] === LEAF
      const home = damaged(number, isLeaf && number % 2 === 0 ? deadly : randomBytes)
      const said = await salvage(join(home, 'data'))
      expect(said, `page ${number}`).not.to.equal(undefined)
      const store = openStore(join(home, 'data'))
      expect(
        [...store.runs.getKeys()].map(([, id]) => id),
        `page ${number}`
      ).to.have.members(IDS)
      expect(
        [...store.byName.getKeys()].map(([, , id]) => id),
        `page ${number}`
      ).to.have.members(IDS)
      const wrong = IDS.map((dagRunId) => readRun(store, { name: 'a', dagRunId })?.record).filter(
        (record) => record?.status !== 'succeeded' && record?.error !== UNREADABLE
      )
      expect(wrong, `page ${number}`).to.deep.equal([])
      await store.root.close()
      unreadable += said?.runs ?? 0
    }
    expect(unreadable).to.be.greaterThan(0)
  })

  it('P4 of a run that has not ended, and of which a step may be lost, no step is taken for one that never began', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh', holdQueues: true })
    await engine.enqueue({ spec: 'name: a\nsteps: [{command: echo first}]', dagRunId: 'r1' })
    await engine.close()
    const store = openStore(join(home, 'data'))
    const lost = new Map([['nodes', [{ from: undefined, to: undefined }]]])
    expect(store.root.transactionSync(() => keepRuns(store, lost))).to.equal(1)
    expect(readRun(store, { name: 'a', dagRunId: 'r1' })?.record).to.include({ status: 'failed', error: UNREADABLE })
    await store.root.close()
  })

  it('a fourth damaged store is not set aside: another disk is needed', async () => {
    const home = temporaryFolder()
    cpSync(whole, home, { recursive: true })
    const asides = []
    for (let times = 0; times < 3; times++) asides.push((await salvage(join(home, 'data')))?.aside)
    expect(salvagedIn(join(home, 'data')).map(({ aside }) => aside)).to.deep.equal(asides)
    const refusal = await salvage(join(home, 'data')).catch((error: Error) => error.message)
    expect(refusal).to.contain('3 damaged stores have been set aside').and.contain('look at the disk')
  })
})
