/** CONTRIBUTING.md: what it names is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from './support/project.ts'

const textOf = (path: string) => readFileSync(join(PROJECT, path), 'utf8')
const text = textOf('CONTRIBUTING.md')
const quoted = Array.from(text.matchAll(/`([^`]+)`/g), ([, words = '']) => words)
/** Words of code that are paths of the project. */
const paths = quoted.flatMap((words) =>
  words.split(/[\s=]/).filter((word) => /^(src|machines|test|docs|fixtures)\/[\w./-]+$/.test(word))
)

describe('CONTRIBUTING.md', () => {
  it('the README leads to it', () => {
    expect(textOf('README.md')).to.contain('](CONTRIBUTING.md)')
  })
  it('names files that exist', () => {
    expect(paths.length).to.be.greaterThan(40)
    expect(paths.filter((path) => !existsSync(join(PROJECT, path)))).to.deep.equal([])
    const links = Array.from(text.matchAll(/\]\(([^)#:]+)\)/g), ([, target = '']) => target)
    expect(links.filter((path) => !existsSync(join(PROJECT, path)))).to.deep.equal([])
  })
  it('names targets of make and scripts of npm that exist', () => {
    const targets = quoted.flatMap((words) => /^make ([\w-]+)/.exec(words)?.[1] ?? [])
    const makefile = textOf('Makefile')
    expect(targets).to.include.members(['build', 'types', 'test-one', 'test', 'test-long', 'bench', 'release-check'])
    expect(targets.filter((target) => !new RegExp(`^${target}:`, 'm').test(makefile))).to.deep.equal([])
    const scripts = quoted.flatMap((words) => /^npm run (\w+)/.exec(words)?.[1] ?? [])
    expect(Object.keys(JSON.parse(textOf('package.json')).scripts)).to.include.members(scripts)
  })
})

describe('test/support/README.md', () => {
  it('names each folder and file there, and none that is not', () => {
    const folder = join('test', 'support')
    const named = Array.from(
      textOf(join(folder, 'README.md')).matchAll(/`([\w-]+(?:\/|\.ts))`/g),
      ([, name = '']) => name
    )
    const there = readdirSync(join(PROJECT, folder), { withFileTypes: true })
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => name !== 'README.md')
    expect(there.filter((name) => !named.includes(name))).to.deep.equal([])
    const isThere = (name: string) =>
      there.includes(name) || there.some((room) => existsSync(join(PROJECT, folder, room, name)))
    expect(named.filter((name) => !isThere(name))).to.deep.equal([])
  })
})
