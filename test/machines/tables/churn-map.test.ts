/** Short-lived entries. Source: architecture 1 ("the cost of a turn never grows"). */
import { expect } from 'chai'
import { churnMap } from '../../../machines/tables/churn-map.ts'

describe('tables › churn map', () => {
  it('has what was set until it is deleted, in the order in which it came', () => {
    const entries = churnMap<number>()
    entries.set('run/a/2', 2)
    entries.set('run/a/1', 1)
    entries.set('run/a/2', 3)
    expect(entries.keys()).to.deep.equal(['run/a/2', 'run/a/1'])
    expect(entries.values()).to.deep.equal([3, 1])
    expect(entries.has('run/a/1')).to.equal(true)
    expect(entries.get('run/a/2')).to.equal(3)
    expect(entries.delete('run/a/2')).to.equal(true)
    expect(entries.delete('run/a/2')).to.equal(false)
    expect(entries.get('run/a/2')).to.equal(undefined)
    expect(entries.values()).to.deep.equal([1])
  })

  it('knows no names but those it was given', () => {
    const entries = churnMap<number>()
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(entries.has(name), name).to.equal(false)
      expect(entries.get(name), name).to.equal(undefined)
      entries.set(name, 1)
      expect(entries.get(name), name).to.equal(1)
    }
    expect(entries.keys()).to.deep.equal(['__proto__', 'constructor', 'toString'])
  })
})
