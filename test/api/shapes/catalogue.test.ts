/** What lists of definitions are made of, made once for each state of the definitions. Source: api-semantics 3.2, 3.3. */
import { expect } from 'chai'
import { catalogueOf } from '../../../src/api/shapes/catalogue.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import type { StoredDefinition } from '../../../src/definitions/stored-definition.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'

describe('API › the catalogue of definitions', () => {
  const at = { now: Date.UTC(2026, 2, 1, 12) }
  const engine = fakeEngine()
  const texts: [string, string][] = [
    ['b', 'schedule: "0 13 * * *"\nsteps: []'],
    ['a', 'name: Z\ntags: [ETL, " two words "]\nsteps: []'],
    ['c', 'schedule: "0 18 * * *"\ntags: [etl]\nsteps: []'],
    ['d', 'name: a2\nsteps: []'],
    ['e', '['],
    ['f', 'schedule: "0 13 * * *"\nsteps: []']
  ]
  let list: readonly StoredDefinition[] = texts.toSorted().map(([fileName, spec]) => {
    return { fileName, spec, suspended: false, definition: readDefinition(spec, { fallbackName: fileName }) }
  })
  const counted: Engine = { ...engine, now: () => at.now, definitions: () => list }
  const catalogue = catalogueOf(counted)
  const files = (entries: readonly { stored: StoredDefinition }[]) =>
    entries.map(({ stored }) => stored.fileName).join('')

  it('is made once for each list; again when the list is another', async () => {
    const first = await catalogue()
    expect(await catalogue()).to.equal(first)
    list = [...list]
    expect(await catalogue()).to.not.equal(first)
  })

  it('by DAG name whatever the case, then by file name; desc is the same backwards', async () => {
    const { byName } = await catalogue()
    expect(files(byName('asc'))).to.equal('dbcefa')
    expect(files(byName('desc'))).to.equal('afecbd')
  })

  it('nextRun: earlier first, equal times by name, unscheduled last in both orders; again when the first of them has run', async () => {
    const { byNextRun } = await catalogue()
    expect(files(await byNextRun('asc'))).to.equal('bfcdea')
    expect(files(await byNextRun('desc'))).to.equal('cfbaed')
    expect(await byNextRun('asc')).to.equal(await byNextRun('asc'))
    at.now = Date.UTC(2026, 2, 1, 13, 0, 1)
    expect(files(await byNextRun('asc'))).to.equal('cbfdea')
    at.now = Date.UTC(2026, 2, 1, 12)
    expect(files(await byNextRun('asc')), 'the clock was set back').to.equal('bfcdea')
  })

  it('tags: unique, trimmed, lower case, sorted; definitions by tag', async () => {
    const { tags, tagged } = await catalogue()
    expect(tags).to.deep.equal(['etl', 'two words'])
    expect(files([...tagged('etl')])).to.equal('ca')
    expect([...tagged('none')]).to.deep.equal([])
  })

  it('what could not be understood at all, with its file name in front', async () => {
    const { unreadable } = await catalogue()
    expect(unreadable).to.have.length(1)
    expect(unreadable[0]).to.match(/^e: /)
  })
})
