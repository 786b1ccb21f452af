/** Words of the page are those of the field, as in docs/glossary.md: who looks for `Rerun` or `Duration` finds them. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** By the word that stands in their place; a word begins in upper case where a label would. */
const UNUSUAL = {
  Rerun: ['Run anew'],
  Duration: ['Took'],
  Started: ['Began'],
  Attempts: ['Times run'],
  Manual: ['By hand', 'by hand'],
  Context: ['What it remembers'],
  Previous: ['Page before'],
  Next: ['Page after'],
  again: ['anew', 'whoever', 'Whoever']
}
const FOLDER = fileURLToPath(new URL('../../../page/', import.meta.url))

describe('page › words', () => {
  const texts = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(`${FOLDER}${name}`, 'utf8'))
  const script = texts.join('\n')

  for (const [word, others] of Object.entries(UNUSUAL))
    it(`says ${word}, and nothing else for it`, () => {
      const found = [word, ...others].filter((one) => new RegExp(`\\b${one}\\b`).test(script))
      expect(found).to.deep.equal([word])
    })
})
