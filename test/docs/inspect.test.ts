/** The manual page about watching: each cause of its table (see tables.test.ts) is one that there is a test of. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CAUSES } from '../../src/inspect/explain/causes.ts'
import { marksIn } from '../../src/site/tables/parts.ts'

const page = new URL('../../../docs/inspect.md', import.meta.url)
const tests = [
  'inspect/explain/explain',
  'inspect/explain/explain-waiting',
  'inspect/explain/explain-ended',
  'inspect/explain/explain-charts',
  'inspect/explain/explain-schedules',
  'inspect/explain/waiting-for-worker',
  'e2e/inspect/explain',
  'e2e/api/runs/placed-starts'
].map((name) => readFileSync(new URL(`../../../test/${name}.test.ts`, import.meta.url), 'utf8'))
describe('docs/inspect.md', () => {
  it('has a place for every cause that an explanation may name', () => {
    expect(marksIn(readFileSync(page, 'utf8'))).to.deep.equal(['causes'])
  })
  it('every one of them has a test that brings an engine, or a chart, into it', () => {
    const missing = Object.keys(CAUSES).filter(
      (cause) => !tests.some((text) => new RegExp(`\\b${cause}\\b`).test(text))
    )
    expect(missing).to.deep.equal([])
  })
})
