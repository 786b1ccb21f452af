/** The table of stores that are open in this process, for all copies of the package. Source: decisions, D1606. */
import { statSync } from 'node:fs'
import { expect } from 'chai'
import { noteOpen } from '../../../src/store/disk/open-here.ts'
import { temporaryFolder } from '../../support/homes.ts'

const TABLE = Symbol.for('troupe.stores')
const stores = () => (globalThis as unknown as { [TABLE]: { stores: Map<string, unknown> } })[TABLE].stores // not typed: it is shared by all copies

describe('store › what is open in this process', () => {
  it('one copy may open a store several times; it is forgotten when all are closed', () => {
    const folder = temporaryFolder()
    const { dev, ino } = statSync(folder)
    const closes = [noteOpen(folder), noteOpen(folder)]
    expect(stores().has(`${dev}:${ino}`)).to.equal(true)
    for (const close of closes) close()
    expect(stores().has(`${dev}:${ino}`)).to.equal(false)
  })
  it('an entry of another release counts by its presence alone, whatever its shape', () => {
    const folder = temporaryFolder()
    const { dev, ino } = statSync(folder)
    for (const entry of [{ version: 0 }, true, null]) {
      stores().set(`${dev}:${ino}`, entry)
      expect(() => noteOpen(folder)).to.throw('open in this process already, by another copy')
    }
    stores().delete(`${dev}:${ino}`)
    noteOpen(folder)()
  })
})
