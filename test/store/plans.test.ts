/** Plans that are read again and again. */
import { join } from 'node:path'
import { expect } from 'chai'
import { planOf } from '../../src/store/history.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { plan, step } from '../support/charts/plans.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › plans', () => {
  let store: Store
  const steps = (count: number) => Array.from({ length: count }, (_, at) => step(`s${at}`))
  const put = (hash: string, count = 1) => store.plans.put(hash, { plan: plan(steps(count)), spec: hash })
  before(() => {
    store = openStore(join(temporaryFolder(), 'data'))
  })
  after(() => store.root.close())

  it('the same plan is the same object, in one store only', async () => {
    await put('a')
    const first = planOf(store, 'a')
    expect(first?.spec).to.equal('a')
    expect(planOf(store, 'a')).to.equal(first)
    expect(planOf({ ...store }, 'a')).to.not.equal(first)
    expect(planOf(store, 'none')).to.equal(undefined)
  })

  it('those asked for last are kept, and a large one is kept alone or not at all', async () => {
    await put('b', 12_000)
    await put('c', 12_000)
    await put('huge', 25_000)
    const b = planOf(store, 'b')
    expect(planOf(store, 'b')).to.equal(b)
    const c = planOf(store, 'c')
    expect(planOf(store, 'c')).to.equal(c)
    expect(planOf(store, 'b')).to.not.equal(b)
    expect(planOf(store, 'huge')).to.not.equal(planOf(store, 'huge'))
    expect(planOf(store, 'huge')?.plan.steps).to.have.length(25_000)
  })

  it('one that cannot be read is not kept: a restored one is found', async () => {
    const raw = store.root.openDB<Buffer, string>({ name: 'plans', encoding: 'binary' })
    await raw.put('bad', Buffer.of(0xc1))
    expect(planOf(store, 'bad')?.plan).to.equal(undefined)
    await put('bad')
    expect(planOf(store, 'bad')?.spec).to.equal('bad')
  })
})
