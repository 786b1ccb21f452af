/** Search through definition texts. Source: api-semantics 3.3 (GET /dags/search). */
import { expect } from 'chai'
import { type TextSearch, textSearch } from '../../src/spec/search.ts'

describe('search through definition texts', () => {
  const still = () => 0
  const searching = (pattern: string, elapsed = still): TextSearch => {
    const search = textSearch(pattern, elapsed)
    if ('wrong' in search) throw new Error(search.wrong)
    return search
  }

  it('always case-insensitive, line by line; a block of up to 2 lines before and 2 after', () => {
    const text = 'name: x\ngroup: dw\ndescription: load sales\ntags: [etl]\nsteps:\n  - echo hi\n'
    expect(searching('SALES')(text, 10)).to.deep.equal({
      matches: [
        {
          line: 'name: x\ngroup: dw\ndescription: load sales\ntags: [etl]\nsteps:',
          lineNumber: 3,
          startLine: 1
        }
      ]
    })
    expect(searching('x$.')(text, 10).matches).to.deep.equal([])
  })

  it('startLine is clipped at 1; overlapping blocks are not merged: one entry per hit line', () => {
    const { matches } = searching('a')('a1\r\na2\nb\n', 10)
    expect(matches).to.deep.equal([
      { line: 'a1\na2\nb', lineNumber: 1, startLine: 1 },
      { line: 'a1\na2\nb', lineNumber: 2, startLine: 1 }
    ])
  })

  it('a bad pattern, and one above 256 characters, is told in a sentence', () => {
    expect(textSearch('[', still)).to.have.property('wrong').that.contains('invalid search pattern')
    expect(textSearch('a'.repeat(257), still))
      .to.have.property('wrong')
      .that.contains('at most 256 characters')
  })

  it('250 ms matching budget per file, and no more matches than wanted', () => {
    let at = 0
    const slow = searching('a', () => (at += 100))
    expect(slow('a\na\na\na\na\na', 10)).to.deep.include({ cut: 'the search was ended at line 3, after 250 ms' })
    expect(searching('a')('a\na\na', 2)).to.have.property('cut').that.contains('too many matches')
  })

  it('a pattern that backtracking engines choke on is over at once', () => {
    const began = performance.now()
    expect(searching('(a+)+$')(`${'a'.repeat(50_000)}!`, 10).matches).to.deep.equal([])
    expect(performance.now() - began).to.be.lessThan(2_000)
  })
})
