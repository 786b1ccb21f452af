/** The map of the documentation: from `docs/README.md` every page can be reached, and the README leads to it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../support/project.ts'

const linksOf = (page: string): string[] =>
  [...readFileSync(join(PROJECT, page), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, target = '']) =>
    relative(PROJECT, join(PROJECT, dirname(page), target))
  )

describe('docs/README.md', () => {
  it('the README links to it', () => {
    expect(linksOf('README.md')).to.include('docs/README.md')
  })
  it('names every page but those of decisions, which have an index of their own', () => {
    const pages = readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && name !== 'README.md' && !name.startsWith('decisions'))
      .map((name) => join('docs', name))
    expect(linksOf('docs/README.md')).to.include.members([...pages, 'docs/decisions/README.md'])
  })
  it('docs/glossary.md has at most 40 terms, in order', () => {
    const terms = [...readFileSync(join(PROJECT, 'docs', 'glossary.md'), 'utf8').matchAll(/^\| ([^|]+) \|/gm)]
      .map(([, term = '']) => term)
      .slice(1)
    expect(terms).to.have.length.within(20, 40)
    expect(terms).to.deep.equal([...terms].sort((a, b) => a.localeCompare(b)))
  })
})
