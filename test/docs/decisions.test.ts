/** Decisions and the code that obeys them name each other. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { explained } from '../compare/explained.ts'
import { PROJECT } from '../support/project.ts'

const FOLDER = join(PROJECT, 'docs', 'decisions')
const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md')
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

/** Every heading of a decision: its number, its page and what stands below it. */
const decisions = pages.flatMap((page) =>
  textOf(page)
    .split(/^### /m)
    .slice(1)
    .map((text) => ({ page, number: /^D\d+/.exec(text)?.[0] ?? text, text }))
)
const numbers = new Set(decisions.map(({ number }) => number))

const NUMBER = /(?<![$%#.\w-])D\d{1,4}\b/g
/** In code a number stands in a comment or in the title of a test; other texts may look the same. */
const inCode = (line: string) => /\/\/.*|\/\*\*.*|^\s*\*.*|^#.*|\bit\([`'"]D\d.*/.exec(line)?.[0] ?? ''

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
}
const code = [
  ...['src', 'machines', 'test'].flatMap((folder) => filesBelow(folder, /(?:\.(?:tsx?|mjs|sh|pl|c)|\/Makefile)$/)),
  'Makefile'
]
const named = code.flatMap((file) =>
  readFileSync(join(PROJECT, file), 'utf8')
    .split('\n')
    .flatMap((line) => [...inCode(line).matchAll(NUMBER)].map(([number]) => ({ file, number })))
)

describe('docs/decisions', () => {
  it('each number is given once, and says what and why', () => {
    expect(decisions.length).to.be.greaterThan(300)
    expect(decisions.length).to.equal(numbers.size)
    for (const { page, number, text } of decisions) {
      expect(number, page).to.match(/^D\d{1,4}$/)
      expect(text, `${page}: ${number}`).to.match(/^D\d+ \S.*\n\n(?:.*\n)*?\*\*Why\.\*\* \S/)
    }
  })
  it('each number in code has a decision', () => {
    const dangling = named.filter(({ number }) => !numbers.has(number)).map(({ file, number }) => `${file}: ${number}`)
    expect(dangling).to.deep.equal([])
  })
  it('a number in code has its reason in a few words behind it', () => {
    const bare = code.flatMap((file) =>
      readFileSync(join(PROJECT, file), 'utf8')
        .split('\n')
        .filter((line) => /(?:\/\/|#) ?D\d+(?:, ?D\d+)*\.?$/.test(line))
        .map((line) => `${file}: ${line.trim()}`)
    )
    expect(bare).to.deep.equal([])
  })
  it('each number in a page has a decision', () => {
    const all = ['README.md', 'SECURITY.md', ...filesBelow('docs', /\.md$/), ...filesBelow('src', /\.md$/)]
    const dangling = all.flatMap((page) =>
      [...readFileSync(join(PROJECT, page), 'utf8').matchAll(NUMBER)]
        .filter(([number]) => !numbers.has(number))
        .map(([number]) => `${page}: ${number}`)
    )
    expect(dangling).to.deep.equal([])
  })
  it('each decision is named by the code that obeys it, or says that none does', () => {
    const obeyed = new Set(named.map(({ number }) => number))
    const lost = decisions.filter(({ number, text }) => !obeyed.has(number) && !text.includes('Nowhere in code'))
    expect(lost.map(({ number, page }) => `${page}: ${number}`)).to.deep.equal([])
  })
  it('the index has every page', () => {
    const index = textOf('README.md')
    expect(pages.filter((page) => !index.includes(`](${page})`))).to.deep.equal([])
  })
  it('the differences from Dagu are read by `make compare`', () => {
    expect(explained()).to.include.members(['7.3.6', '1.6.5', '1.9-maskenv'])
  })
})
