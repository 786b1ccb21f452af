/** Versions of definitions in the store: the same text once, a bounded number, and a move to another name. Source: http-api "Versions of a definition". */
import { join } from 'node:path'
import { expect } from 'chai'
import { revisionOf } from '../../src/definition/text/revision.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { addVersion, latestRevision, moveVersions, versionsOf } from '../../src/store/tables/versions.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › versions of definitions', () => {
  let store: Store
  before(() => {
    store = openStore(join(temporaryFolder(), 'data'))
  })
  after(() => store.root.close())
  async function add(fileName: string, ...texts: string[]): Promise<void> {
    for (const [at, spec] of texts.entries())
      await addVersion(store, fileName, { revision: revisionOf(spec), at, how: 'saved', by: 'ann', spec })
  }
  const texts = (fileName: string) => versionsOf(store, fileName).map(({ spec }) => spec)
  const stored = (fileName: string) =>
    Array.from(store.versions.getRange({ start: [fileName, 0], end: [fileName, 1e9] }), ({ value }) => value.spec)

  it('are listed newest first, each with its text, which is stored once', async () => {
    await add('etl', 'one', 'two', 'one')
    expect(texts('etl')).to.deep.equal(['one', 'two', 'one'])
    expect(stored('etl')).to.deep.equal(['one', 'two', undefined])
    expect(latestRevision(store, 'etl')).to.equal(revisionOf('one'))
    expect(versionsOf(store, 'etl')[0]).to.include({ at: 2, by: 'ann', how: 'saved' })
    expect(latestRevision(store, 'etl2')).to.equal(undefined)
  })

  it('a hundred are kept; a text whose first version goes stays with a later one', async () => {
    await add('many', 'again', ...Array.from({ length: 98 }, (_, at) => `text ${at}`), 'again')
    expect(texts('many')).to.have.length(100)
    await add('many', 'last')
    expect(texts('many')).to.have.length(100)
    expect(texts('many').slice(0, 2)).to.deep.equal(['last', 'again'])
    expect(texts('many').at(-1)).to.equal('text 0')
    expect(stored('many').filter((spec) => spec === 'again')).to.have.length(1)
  })

  it('texts of a definition take 4 MiB at most; the latest stays however long it is', async () => {
    const long = (letter: string) => letter.repeat(1_500_000)
    await add('long', long('a'), long('b'), long('c'))
    expect(texts('long').map((text) => text[0])).to.deep.equal(['c', 'b'])
    await add('long', 'd'.repeat(5_000_000))
    expect(texts('long').map((text) => text[0])).to.deep.equal(['d'])
  })

  it('move with a definition to its new name, behind what is there', async () => {
    await add('from', 'x', 'y')
    await add('to', 'old')
    await moveVersions(store, 'from', 'to')
    expect([texts('from'), texts('to')]).to.deep.equal([[], ['y', 'x', 'old']])
    await moveVersions(store, 'nothing', 'to')
    expect(texts('to')).to.have.length(3)
  })
})
