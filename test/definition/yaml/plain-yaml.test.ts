/** The short way from YAML to values says what the package says, of every text that it takes. Source: performance 5, execution-semantics 1.6.5. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { LineCounter } from 'yaml'
import { collectProblems } from '../../../src/definition/problems.ts'
import { readByPackage } from '../../../src/definition/yaml/document.ts'
import { plainYaml } from '../../../src/definition/yaml/plain-yaml.ts'
import { seeded } from '../../support/random.ts'

const fixtures = fileURLToPath(new URL('../../../../fixtures/', import.meta.url))
const texts = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ya?ml$/.test(name))
  .map((name) => readFileSync(join(fixtures, name), 'utf8'))
  .filter((text) => text.length < 4_000)

/** Undefined when it does not take the text; else whether it says what the package says. */
function isTaken(text: string): boolean {
  const [short, long] = [new LineCounter(), new LineCounter()]
  const found = plainYaml(text, short)
  if (!found) {
    expect(short.lineStarts).to.deep.equal([])
    return false
  }
  const problems = collectProblems(long)
  const [main, ...others] = readByPackage(text, long, problems)
  expect({ problems: problems.list(), others }, text).to.deep.equal({ problems: [], others: [] })
  expect(main, text).to.deep.equal({ name: '', path: '', value: found })
  expect(short.lineStarts, text).to.deep.equal(long.lineStarts)
  return true
}

const PIECES = [
  '\n',
  ' ',
  '  ',
  '- ',
  ': ',
  ':',
  ' #',
  '#',
  '"',
  "'",
  '[',
  ']',
  '{',
  '}',
  ',',
  '|',
  '|-',
  '>',
  '&a ',
  '*a',
  '!x ',
  '~',
  'null',
  '0x1f',
  '---\n',
  '...',
  '\\n',
  '\\',
  '1.5',
  '-1',
  '.5',
  'true',
  'a: b',
  '- a',
  '\n\n',
  '\n  ',
  '\n    ',
  '\t',
  'ü',
  '%',
  '? ',
  '<<',
  '1e3',
  '0o7'
]

describe('plain YAML, read the short way', () => {
  it('is what the package reads: fixtures and examples', () => {
    const taken = texts.filter(isTaken)
    expect(taken.length).to.be.above(texts.length / 3)
  })
  for (const [what, text] of Object.entries({
    'values on one line':
      "a: b c\nd: \"e \\\" f \\n\"\ng: 'h''i'\nj: [k, \"l\", 'm', 1]\nn: {o: p, q: [1.50, {r: s}]}\nt: []\nu: {}\n",
    'lists of maps, of texts, at the column of their key': 'a:\n- b: 1\n  c: 2\n- d\ne:\n  - f\n  -  g: h\n     i: j\n',
    'comments and empty lines': '# a\n\na: b\n   # c\n  \nd:\n  # e\n  f: g\n# h',
    'literal blocks': 'a: |\n  b\n\n   c # d\ne:\n  - f: |-\n      g: h\n      - i\n\n\n    j: k\n',
    'texts that look like something else':
      'a: 007\nb: 1.10\nc: 0x1F\nd: -1\ne: ~\nf: null\ng: True\nh: .5\ni: 1.2.3\nj: 10s\nk: -.inf\nl: no\nm: nan\n',
    'texts of a command line': 'a: echo "step ${b} of $c" | wc -l > /dev/null && (d; e)\n'
  }))
    it(`takes ${what}`, () => {
      expect(isTaken(text)).to.equal(true)
    })
  for (const [what, text] of Object.entries({
    'a text that goes on': 'a: b\n  c\n',
    'a key that comes again': 'a: b\na: c\n',
    'a key without a value': 'a:\nb: c\n',
    'a refused key': 'constructor: a\n',
    'an alias': 'a: *b\n',
    'another document': 'a: b\n---\nc: d\n',
    'a list alone': '- a\n',
    'a literal that the text cuts off': 'a: |\n  b',
    'more levels than it wants to': Array.from(
      { length: 40 },
      (_, i) => `${' '.repeat(i)}a:${i < 39 ? '' : ' b'}\n`
    ).join(''),
    'a long text': `a: ${'b'.repeat(256 * 1024)}\n`
  }))
    it(`leaves ${what} to the package`, () => {
      expect(isTaken(text)).to.equal(false)
    })
  it('is what the package reads, whatever is put into it or taken out of it', function () {
    this.timeout(60_000)
    const { below } = seeded(1)
    let taken = 0
    for (let round = 0; round < 3_000; round++) {
      let text = (texts[below(texts.length)] ?? '').slice(0, 600)
      for (let change = below(4); change >= 0; change--) {
        const at = below(text.length + 1)
        const piece = below(3) === 0 ? '' : (PIECES[below(PIECES.length)] ?? '')
        text = text.slice(0, at) + piece + text.slice(at + (below(2) === 0 ? 0 : below(6)))
      }
      if (isTaken(text)) taken++
    }
    expect(taken).to.be.above(100)
  })
})
