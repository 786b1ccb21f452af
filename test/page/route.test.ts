/** Addresses of views, and texts of times. */
import { expect } from 'chai'
import { linkTo, readRoute } from '../../src/page/route.ts'
import { lengthText, shortened } from '../../src/page/text.ts'

describe('page › addresses', () => {
  it('a link leads back to its parts and its query, whatever is in them', () => {
    const parts = ['runs', 'a/b c', 'ü?#']
    const { parts: read, query } = readRoute(linkTo(parts, { step: 'x&y=z', view: undefined, tag: ['a', 'b'] }))
    expect(read).to.deep.equal(parts)
    expect([...query]).to.deep.equal([
      ['step', 'x&y=z'],
      ['tag', 'a'],
      ['tag', 'b']
    ])
  })
  it('an address that nobody made is read as it is', () => {
    expect(readRoute('').parts).to.deep.equal([])
    expect(readRoute('#/runs/%E0%A4%A').parts).to.deep.equal(['runs', '%E0%A4%A'])
  })
})

describe('page › texts', () => {
  it('a length of time in the units that a person would say', () => {
    expect([0, 420, 3_240, 250_000, 7_500_000, 273_600_000].map(lengthText)).to.deep.equal([
      '0 ms',
      '420 ms',
      '3.2 s',
      '4 min 10 s',
      '2 h 5 min',
      '3 d 4 h'
    ])
  })
  it('a long text keeps its begin and its end', () => {
    expect(shortened('fetch', 5)).to.equal('fetch')
    expect(shortened('fetch-all-the-orders-of-monday', 16))
      .to.match(/^fetch-all-t…\w+$/)
      .and.have.length(16)
  })
})
