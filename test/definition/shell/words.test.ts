import { expect } from 'chai'
import fc from 'fast-check'
import { splitWords } from '../../../src/definition/shell/words.ts'
import { shellQuote } from '../../../src/platform/shell/shell-word.ts'
import { ofAll } from '../../support/long.ts'

describe('words › splitWords', () => {
  it('1.7 shell: a string is split like a command line', () => {
    expect(splitWords('bash -euo pipefail')).to.deep.equal(['bash', '-euo', 'pipefail'])
    expect(splitWords('  "/opt/my shell"  -x\t')).to.deep.equal(['/opt/my shell', '-x'])
  })
  it('4.1.7 shows the words of a command with their quotes removed', () => {
    expect(splitWords(`echo "a b" 'c "d"' e\\ f g"h"'i'`)).to.deep.equal(['echo', 'a b', 'c "d"', 'e f', 'ghi'])
    expect(splitWords('echo "say \\"hi\\" \\n"')).to.deep.equal(['echo', 'say "hi" \\n'])
  })
  it('4.1.7 a pipe shows as the word |', () => {
    expect(splitWords('cat x|sort | uniq "a|b"')).to.deep.equal(['cat', 'x', '|', 'sort', '|', 'uniq', 'a|b'])
    expect(splitWords('a || b')).to.deep.equal(['a', '||', 'b'])
  })
  it('keeps a backtick command in one word, expands nothing', () => {
    expect(splitWords('echo `date +%F` $X *')).to.deep.equal(['echo', '`date +%F`', '$X', '*'])
  })
  it('has an empty word for empty quotes and none for an empty text', () => {
    expect(splitWords(`a "" ''`)).to.deep.equal(['a', '', ''])
    expect(splitWords(' ')).to.deep.equal([])
  })
  it('takes an unclosed quote to the end of the text', () => {
    expect(splitWords(`a 'b c`)).to.deep.equal(['a', 'b c'])
    expect(splitWords('a "b c\\')).to.deep.equal(['a', 'b c\\'])
  })
})

describe('words › shellQuote', () => {
  it('4.1.6 makes one single-quoted word', () => {
    expect(shellQuote(`it's $X`)).to.equal(`'it'\\''s $X'`)
    expect(shellQuote('')).to.equal(`''`)
  })
  it('property: splitWords(shellQuote(x)) = [x]', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^['"\\`| \n$a]*$/)), (text) => {
        expect(splitWords(shellQuote(text))).to.deep.equal([text])
      }),
      { numRuns: ofAll(100, 500) }
    )
  })
})
