/** docs/executors: a page for each executor, with every setting of its config and examples that the reader takes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXECUTORS, type ExecutorType } from '../../src/definition/fields/executor-types.ts'
import { CONFIGS } from '../../src/definition/fields/fields-executor.ts'
import { messagesOf } from '../definition/reading.ts'
import { PROJECT } from '../support/project.ts'

const FOLDER = join(PROJECT, 'docs', 'executors')

describe('docs/executors', () => {
  it('each executor has a page, and each page but that of your own is of one', () => {
    const pages = readdirSync(FOLDER).map((name) => name.replace(/\.md$/, ''))
    expect(pages).to.have.members([...Object.keys(EXECUTORS), 'custom'])
  })
  for (const type of Object.keys(EXECUTORS) as ExecutorType[]) {
    const page = readFileSync(join(FOLDER, `${type}.md`), 'utf8')
    it(`${type}: the page names every setting, and says what a stop does`, () => {
      const missing = (CONFIGS[type]?.rows ?? []).filter(({ name }) => !page.includes(`\`${name}\``))
      expect(missing.map(({ name }) => name)).to.deep.equal([])
      expect(page).to.match(/\bstop/i)
    })
    it(`${type}: its examples are definitions without problems`, () => {
      const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text)
      expect(examples.length).to.be.greaterThan(0)
      for (const text of examples) expect(messagesOf(text, {}), text).to.deep.equal([])
    })
  }
})
