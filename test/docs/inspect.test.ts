/** The manual page about watching: its table of causes is that of the program. UPDATE_GOLDEN=1 writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { CAUSES } from '../../src/inspect/explain/causes.ts'

const page = new URL('../../../docs/inspect.md', import.meta.url)
const tests = [
  'inspect/explain/explain',
  'inspect/explain/explain-waiting',
  'inspect/explain/explain-ended',
  'inspect/explain/explain-charts',
  'inspect/explain/explain-schedules',
  'inspect/explain/waiting-for-worker',
  'e2e/inspect/explain'
].map((name) => readFileSync(new URL(`../../../test/${name}.test.ts`, import.meta.url), 'utf8'))
const SECTION = /<!-- causes -->\n([\s\S]*?)<!-- end -->/
const table = `| cause | why |\n| --- | --- |\n${Object.entries(CAUSES)
  .map(([cause, text]) => `| \`${cause}\` | ${text} |\n`)
  .join('')}`

describe('docs/inspect.md', () => {
  it('has every cause that an explanation may name', () => {
    const text = readFileSync(page, 'utf8')
    if (process.env.UPDATE_GOLDEN)
      writeFileSync(
        page,
        text.replace(SECTION, () => `<!-- causes -->\n${table}<!-- end -->`)
      )
    else expect(SECTION.exec(text)?.[1], 'UPDATE_GOLDEN=1 writes it anew').to.equal(table)
  })
  it('every one of them has a test that brings an engine, or a chart, into it', () => {
    const missing = Object.keys(CAUSES).filter(
      (cause) => !tests.some((text) => new RegExp(`\\b${cause}\\b`).test(text))
    )
    expect(missing).to.deep.equal([])
  })
})
