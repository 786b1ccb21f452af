/** Search through definition texts. Source: api-semantics 3.3 (GET /dags/search). */
import { expect } from 'chai'
import { array, assert, constantFrom, property } from 'fast-check'
import { foldedText, neededText, type TextSearch, textSearch } from '../../../src/definition/text/search.ts'
import { ofAll } from '../../support/long.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

describe('search through definition texts', () => {
  const still = () => 0
  const searching = (pattern: string, elapsed = still): TextSearch => {
    const search = textSearch(pattern, elapsed)
    if ('wrong' in search) throw new Error(search.wrong)
    return search
  }

  it('always case-insensitive, line by line; a block of up to 2 lines before and 2 after', () => {
    const text = 'name: x\ngroup: dw\ndescription: load sales\ntags: [etl]\nsteps:\n  - echo hi\n'
    expect(searching('SALES').matches(text, 10)).to.deep.equal({
      matches: [
        {
          line: 'name: x\ngroup: dw\ndescription: load sales\ntags: [etl]\nsteps:',
          lineNumber: 3,
          startLine: 1
        }
      ]
    })
    expect(searching('x$.').matches(text, 10).matches).to.deep.equal([])
  })

  it('startLine is clipped at 1; overlapping blocks are not merged: one entry per hit line', () => {
    const { matches } = searching('a').matches('a1\r\na2\nb\n', 10)
    expect(matches).to.deep.equal([
      { line: 'a1\na2\nb', lineNumber: 1, startLine: 1 },
      { line: 'a1\na2\nb', lineNumber: 2, startLine: 1 }
    ])
  })

  it('a bad pattern, and one above 256 characters, is reported in a sentence', () => {
    expect(textSearch('[', still)).to.have.property('wrong').that.contains('invalid search pattern')
    expect(textSearch('a'.repeat(257), still))
      .to.have.property('wrong')
      .that.contains('at most 256 characters')
  })

  it('250 ms matching budget per file, and no more matches than wanted', () => {
    let at = 0
    const slow = searching('a', () => (at += 100))
    expect(slow.matches('a\na\na\na\na\na', 10)).to.deep.include({
      cut: 'the search was ended at line 3, after 250 ms'
    })
    expect(searching('a').matches('a\na\na', 2)).to.have.property('cut').that.contains('too many matches')
  })

  it('a pattern that backtracking engines choke on takes linear time', async () => {
    const search = (length: number) =>
      expect(searching('(a+)+$').matches(`${'a'.repeat(length)}!`, 10).matches).to.deep.equal([])
    expect(await growth(search, 5_000)).to.be.below(LINEAR)
  })

  describe('the text that every match holds', () => {
    it('is the longest plain part of the pattern, in lower case', () => {
      for (const [pattern, text] of [
        ['Customer-7', 'customer-7'],
        ['load\\.sales\\b.*done', 'load.sales'],
        ['ab?cde', 'cde'],
        ['ab*', 'a'],
        ['ab+c', 'ab'],
        ['ab{0,2}c', 'a'],
        ['[a]b', 'b'],
        ['[]abc]d', 'd'],
        ['(abc)?d', 'd'],
        ['(?i)abc', 'abc'],
        ['^abc$', 'abc'],
        ['abc|d', ''],
        ['(a|b)', ''],
        ['\\Qa.c\\E', ''],
        ['a\u00e9', 'a'],
        ['\\d+', '']
      ])
        expect(neededText(pattern ?? ''), pattern).to.equal(text)
    })

    it('is in every text with a match, whatever the pattern: a look for it loses none', () => {
      const signs = [
        'a',
        'b',
        'K',
        's',
        'I',
        '-',
        '.',
        '*',
        '+',
        '?',
        '|',
        '(',
        ')',
        '[',
        ']',
        '^',
        '$',
        '{1}',
        '{0}',
        '\\'
      ]
      const letters = ['a', 'A', 'b', 'k', '\u212a', 's', '\u017f', 'i', '\u0130', '\u0131', '-', ' ', '\n', '.']
      const text = (from: string[], most: number) => array(constantFrom(...from), { maxLength: most })
      assert(
        property(text([...signs, '[^a]', '(?:b)', '\\.', '\\b'], 7), text(letters, 8), (pattern, content) => {
          const search = textSearch(pattern.join(''), still)
          if ('wrong' in search) return
          const { matches } = search.matches(content.join(''), 10)
          if (matches.length > 0) expect(search.mayMatch(foldedText(content.join(''))), pattern.join('')).to.equal(true)
        }),
        { numRuns: ofAll(300, 3_000) }
      )
    })
  })
})
