/** How values are held against schemas, and what is said of those that do not fit. Source: api-semantics T2, T5, 1.3. */
import { expect } from 'chai'
import { DagName, NewFileName, RunId } from '../../src/api/contract/names.ts'
import { RunStatusNumber } from '../../src/api/contract/statuses.ts'
import { misfit, shown } from '../../src/schema/fit.ts'

describe('schema › fit', () => {
  it('a value of another type: what was wanted, what was found', () => {
    expect(misfit({ type: 'string' }, 7)).to.equal('wanted a string, found a number')
    expect(misfit({ type: 'integer' }, '7')).to.equal('wanted an integer, found a string')
    expect(misfit({ type: 'boolean' }, null)).to.equal('wanted a boolean, found null')
    expect(misfit({ type: 'string' }, [])).to.equal('wanted a string, found an array')
    expect(misfit({ type: 'string' }, {})).to.equal('wanted a string, found an object')
  })
  it('integers: whole ones, within their range', () => {
    for (const status of [0, 6]) expect(misfit(RunStatusNumber, status)).to.equal(undefined)
    for (const status of [-1, 7, 1.5, 1e300])
      expect(misfit(RunStatusNumber, status)).to.equal(`wanted an integer from 0 to 6, found ${status}`)
    expect(misfit({ type: 'integer', minimum: 1 }, 0)).to.equal('wanted an integer of at least 1, found 0')
    expect(misfit({ type: 'number' }, 1.5)).to.equal(undefined)
  })
  it('texts: pattern, length, and what is excluded; the description says what was wanted', () => {
    for (const name of ['a', 'a.b', '-', 'x'.repeat(40)]) expect(misfit(DagName, name), name).to.equal(undefined)
    for (const name of ['', '.', '..', 'a b', 'x'.repeat(41), 'a\n'])
      expect(misfit(DagName, name), name).to.equal(`wanted ${DagName.description}, found ${JSON.stringify(name)}`)
    for (const name of ['.a', '-a']) expect(misfit(NewFileName, name), name).to.be.a('string')
    expect(misfit(RunId, 'latest')).to.be.a('string')
    expect(misfit({ type: 'string', enum: ['a', 'b'] }, 'c')).to.equal('wanted a or b, found "c"')
  })
  it('a long text is cut when it is shown', () => {
    expect(shown('x'.repeat(61))).to.equal(`"${'x'.repeat(60)}..."`)
  })
})
