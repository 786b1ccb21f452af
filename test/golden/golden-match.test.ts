/** The wildcard of recorded results hides only what it stands for. */
import { expect } from 'chai'
import { aligned } from '../support/format/golden-match.ts'

describe('golden › <any>', () => {
  const fits = (found: unknown, expected: unknown) => expect(aligned(found, expected)).to.deep.equal(expected)
  const differs = (found: unknown, expected: unknown) => expect(aligned(found, expected)).not.to.deep.equal(expected)

  it('stands for any text within a text', () => {
    fits('took 12 ms', 'took <any> ms')
    fits('abcabc', '<any>abc')
    fits('ab', 'a<any>b')
    differs('took 12 s', 'took <any> ms')
    differs('aba', 'ab<any>ba')
    differs('x one two', '<any>two<any>one<any>')
  })
  it('stands alone for any value or none, at any depth', () => {
    fits({ a: { code: 1, text: ['x'] } }, { a: { code: '<any>', text: '<any>' } })
    fits({ a: {} }, { a: { code: '<any>' } })
    differs({ a: { code: 1 } }, { a: {} })
    differs({ a: 'x' }, { a: '<any>', b: 'x' })
  })
  it('a text without it must be the same', () => {
    differs(['a', 'b'], ['a'])
    differs('a', 'b')
    fits({ a: ['b', 1, null] }, { a: ['b', 1, null] })
  })
})
