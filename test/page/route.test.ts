/** Addresses of views, and texts of times. */
import { expect } from 'chai'
import { linkTo, readRoute } from '../../src/page/route.ts'
import { lengthText, roughLengthText, shortened } from '../../src/page/text.ts'

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
  it('a malformed address is read as it is', () => {
    expect(readRoute('').parts).to.deep.equal([])
    expect(readRoute('#/runs/%E0%A4%A').parts).to.deep.equal(['runs', '%E0%A4%A'])
  })
})

describe('page › texts', () => {
  it('a duration in the units that a person would use', () => {
    expect([0, 420, 3_240, 250_000, 7_500_000, 273_600_000].map(lengthText)).to.deep.equal([
      '0 ms',
      '420 ms',
      '3.2 s',
      '4 min 10 s',
      '2 h 5 min',
      '3 d 4 h'
    ])
  })
  it('of instants that are known to the second, fractions are not shown', () => {
    expect([0, 999, 3_000, 59_400, 250_000].map(roughLengthText)).to.deep.equal([
      'under 1 s',
      'under 1 s',
      '3 s',
      '59 s',
      '4 min 10 s'
    ])
  })
  it('a text is shortened by whole graphemes, and by their width', () => {
    const family = '👩‍👩‍👧'
    expect(shortened(`emoji ${family} step.with.dots`, 16)).to.equal(`emoji ${family} s…dots`)
    expect(shortened(family.repeat(12), 16)).to.equal(`${family.repeat(5)}…${family.repeat(2)}`)
    expect(shortened('日本語のステップの名前', 16)).to.equal('日本語のス…名前')
    expect(shortened('日本語のステップ', 16)).to.equal('日本語のステップ')
    expect(shortened('w'.repeat(20), 16)).to.equal('wwwwwww…ww')
    expect(shortened('e\u0301'.repeat(20), 16)).to.equal(`${'e\u0301'.repeat(11)}…${'e\u0301'.repeat(4)}`)
  })
  it('a long text keeps its beginning and its end', () => {
    expect(shortened('fetch', 5)).to.equal('fetch')
    expect(shortened('fetch-all-the-orders-of-monday', 16))
      .to.match(/^fetch-all-t…\w+$/)
      .and.have.length(16)
  })
})
