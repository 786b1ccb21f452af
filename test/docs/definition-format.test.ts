/** The manual page of the definition format: the tables of the reader (see tables.test.ts) are all there. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { EXECUTORS } from '../../src/definition/fields/executor-types.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { definitionParts } from '../../src/site/tables/definition.ts'
import { marksIn } from '../../src/site/tables/parts.ts'

const text = readFileSync(new URL('../../../docs/definition-format.md', import.meta.url), 'utf8')

describe('docs/definition-format.md', () => {
  it('every field of every level has a place on it', () => {
    expect(marksIn(text)).to.have.members([...definitionParts().keys()])
  })

  it('every executor type and its other names are on it', () => {
    for (const [type, aliases] of Object.entries(EXECUTORS)) {
      const others = aliases.filter((alias) => alias !== '').map((alias) => `\`${alias}\``)
      expect(text).to.contain(`| \`${type}\` |${others.length > 0 ? ` ${others.join(', ')} ` : ' '}|`)
    }
  })

  it('the definition it shows is valid', () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
    expect(readDefinition(yaml).problems).to.deep.equal([])
  })
})
