/** Parts of pages that are made of tables of the code are as the code has them. UPDATE_GOLDEN=1 writes them again; the site takes them from the code itself. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { filledPages, filledText } from '../../src/site/tables/parts.ts'
import { PROJECT } from '../support/project.ts'

describe('tables of the documentation', () => {
  for (const page of filledPages)
    it(`${page} has them as they are`, () => {
      const path = join(PROJECT, page)
      const text = readFileSync(path, 'utf8')
      if (process.env.UPDATE_GOLDEN) writeFileSync(path, filledText(page, text))
      else expect(text, 'make golden writes them').to.equal(filledText(page, text))
    })
  it('a line that is not as the code has it is found', () => {
    const text = readFileSync(join(PROJECT, 'docs/configuration.md'), 'utf8')
    const other = text.replace('| `headless` |', '| `headles` |')
    expect(other).not.to.equal(text)
    expect(filledText('docs/configuration.md', other)).to.equal(text)
  })
})
