import { expect } from 'chai'
import fc from 'fast-check'
import { linePatterns, lineSearch, matchesExpected } from '../../../src/definition/text/match.ts'
import { TroupeError } from '../../../src/errors.ts'
import { ofAll } from '../../support/long.ts'

describe('match › expected (5.6.2, 5.6.3)', () => {
  it('5.6.2 compares line by line; one equal line suffices', () => {
    expect(matchesExpected('a\nok\nb', 'ok')).to.equal(true)
    expect(matchesExpected('a\nok!\nb', 'ok')).to.equal(false)
  })
  it('5.6.2 is exact and case-sensitive, without trimming of lines', () => {
    for (const value of ['OK', ' ok', 'ok ', 'ok\r\n']) expect(matchesExpected(value, 'ok'), value).to.equal(false)
    expect(matchesExpected('ok\n', 'ok')).to.equal(true)
  })
  it('5.6.2 re: is a regular expression searched unanchored in each line', () => {
    expect(matchesExpected('x\nport 8080 open', 're:[0-9]{4}')).to.equal(true)
    expect(matchesExpected('x\nport 8080 open', 're:^[0-9]{4}')).to.equal(false)
    expect(matchesExpected('ab\ncd', 're:b.?c')).to.equal(false)
    expect(matchesExpected('one\ntwo', 're:^two$')).to.equal(true)
  })
  it('5.6.3 an empty value equals only a re: that matches the empty string', () => {
    expect(matchesExpected('', 're:^$')).to.equal(true)
    expect(matchesExpected('', 're:.*')).to.equal(true)
    expect(matchesExpected('', 're:.')).to.equal(false)
    expect(matchesExpected('', 'x')).to.equal(false)
    expect(matchesExpected('', '')).to.equal(false)
  })
  it('4.5.7 bounds one line: only its beginning is searched', () => {
    expect(matchesExpected('aaaab', 're:b', 4)).to.equal(false)
    expect(matchesExpected('aaab', 're:b', 4)).to.equal(true)
    expect(matchesExpected('ééb', 're:b', 4)).to.equal(false)
    expect(matchesExpected('abcde', 'abcd', 4)).to.equal(false)
    expect(matchesExpected('abcde', 'abcde', 4)).to.equal(false)
  })
  it('runs patterns in linear time', () => {
    expect(matchesExpected('a'.repeat(50_000), 're:(a+)+$|(a|a)*b')).to.equal(true)
    expect(matchesExpected(`${'a'.repeat(50_000)}!`, 're:^(a+)+$')).to.equal(false)
  })
  it('says which pattern is none', () => {
    expect(() => matchesExpected('x', 're:(')).to.throw(TroupeError, 'invalid regular expression "re:("')
  })
})

describe('match › continueOn.output (5.4)', () => {
  it('a line contains the text, or matches the re: pattern (unanchored)', () => {
    const test = linePatterns(['disk full', 're:E[0-9]+'])
    expect(test('error: disk full!')).to.equal(true)
    expect(test('code E42')).to.equal(true)
    expect(test('Disk Full')).to.equal(false)
  })
  it('Choice: an empty text matches no line', () => {
    expect(linePatterns([''])('x')).to.equal(false)
  })
  it('4.5.7 bounds one line', () => {
    expect(linePatterns(['b'], 3)('aaab')).to.equal(false)
    expect(linePatterns(['b'], 4)('aaab')).to.equal(true)
  })
})

describe('match › lineSearch', () => {
  const search = (patterns: string[], chunks: string[], maxLine = 1000) => {
    const found = lineSearch(patterns, maxLine)
    const pushed = chunks.map((chunk) => found.push(Buffer.from(chunk)))
    return { pushed, ended: found.end() }
  }
  it('finds a line that is spread over chunks, once it is whole', () => {
    expect(search(['hello'], ['x\nhe', 'll', 'o\ny'])).to.deep.equal({ pushed: [false, false, true], ended: true })
  })
  it('finds no text across a line break', () => {
    expect(search(['ab', 're:a.?b'], ['a\nb', '\n']).ended).to.equal(false)
  })
  it('searches the last line though no newline ends it', () => {
    expect(search(['re:^end$'], ['x\nen', 'd'])).to.deep.equal({ pushed: [false, false], ended: true })
  })
  it('keeps characters whole that are cut by a chunk', () => {
    const found = lineSearch(['é'], 100)
    found.push(Buffer.from([0xc3]))
    found.push(Buffer.from([0xa9]))
    expect(found.end()).to.equal(true)
  })
  it('copies what it holds: the caller may fill its buffer again', () => {
    const found = lineSearch(['ab'], 100)
    const chunk = Buffer.from('a')
    found.push(chunk)
    chunk[0] = 0x78
    found.push(Buffer.from('b'))
    expect(found.end()).to.equal(true)
  })
  it('4.5.7 maxOutputSize bounds one line, whatever the chunks', () => {
    expect(search(['b'], ['aaa', 'ab\nc'], 4).ended).to.equal(false)
    expect(search(['b'], ['aaaab\nc'], 4).ended).to.equal(false)
    expect(search(['b'], ['aaaa\nb'], 4).ended).to.equal(true)
  })
  it('a log without lines matches nothing', () => {
    expect(search(['re:^$'], ['']).ended).to.equal(false)
  })
  it('property: any chunking equals the whole', () => {
    const text = fc.stringMatching(/^[ab\né]{0,40}$/)
    const line = linePatterns(['aab', 're:^b+é$'], 5)
    fc.assert(
      fc.property(text, fc.array(fc.nat(7), { minLength: 1, maxLength: 20 }), (log, sizes) => {
        const bytes = Buffer.from(log)
        const found = lineSearch(['aab', 're:^b+é$'], 5)
        for (let from = 0, i = 0; from < bytes.length; i++) {
          const size = (sizes[i % sizes.length] ?? 0) + 1
          found.push(bytes.subarray(from, from + size))
          from += size
        }
        const lines = log.split('\n').filter((each, i, all) => i < all.length - 1 || each !== '')
        expect(found.end()).to.equal(lines.some(line))
      }),
      { numRuns: ofAll(60, 300) }
    )
  })
})
