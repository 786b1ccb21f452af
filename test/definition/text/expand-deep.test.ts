/** Configs and command lines of executors other than shell. Source: execution-semantics 3.3, 10 "Common". */
import { expect } from 'chai'
import { expandDeep, expandWords } from '../../../src/definition/text/expand-deep.ts'
import type { Lookup } from '../../../src/definition/text/lookup.ts'

const values: Record<string, string> = { URL: 'http://h/a b', Q: `it's "q" | $X`, J: '{"a b":[1,2]}', X: 'x' }
const look: Lookup = {
  variable: (name) => values[name],
  substitute: async (command) => `<${command}>`
}

describe('expand › words of a command that no shell reads', () => {
  for (const [text, words] of [
    ['GET ${URL}', ['GET', 'http://h/a b']],
    ['GET "$URL/c" d', ['GET', 'http://h/a b/c', 'd']],
    ['a|b || c', ['a', '|', 'b', '||', 'c']],
    ['say ${Q} $Q', ['say', values.Q, values.Q]],
    ["'${X}' 'a ${X}' \\$X \"\\$X\"", ['${X}', 'a x', '$X', '$X']],
    ['`date -u` "`a b`"', ['<date -u>', '<a b>']],
    ['${UNKNOWN} "" x$UNKNOWN ${NO:-two words}', ['', '', 'x', 'two words']],
    ['$J.["a b"][1]', ['{"a b":[1,2]}.[a b][1]']],
    ['${J.["a b"][1]}', ['2']],
    ['a"b c"d \\" "\\""', ['ab cd', '"', '"']],
    ['', []]
  ] as [string, string[]][])
    it(text || 'nothing', async () => {
      expect(await expandWords(text, look)).to.deep.equal(words)
    })
})

describe('expand › 3.3: executor.config is expanded at any depth', () => {
  it('texts in maps and lists; keys and other values stay', async () => {
    const config = { a: '$X', $X: { list: ['${X}', 5, null, ['`c`']] }, flag: true }
    expect(await expandDeep(config, look)).to.deep.equal({ a: 'x', $X: { list: ['x', 5, null, ['<c>']] }, flag: true })
  })
})
