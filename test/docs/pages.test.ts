/** What holds of every page: what it shows is read without a word, and its links lead somewhere. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { messagesOf } from '../definition/reading.ts'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

/** Paths from the project's folder. */
const pages = ['', 'docs', 'fixtures', 'machines', 'src', 'test'].flatMap((folder) =>
  readdirSync(join(PROJECT, folder), { recursive: folder !== '', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
)
const textOf = (page: string) => readFileSync(join(PROJECT, page), 'utf8')
const yamlOf = (page: string) => [...textOf(page).matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text)

/** Their YAML is a `config.yaml`, with these variables in it. */
const CONFIGURATIONS = ['authentication', 'configuration', 'operating/audit', 'remote-nodes'].map(
  (name) => `docs/${name}.md`
)
const VARIABLES = ['ADMIN_PASSWORD', 'CI_TOKEN', 'DASHBOARD_TOKEN', 'LAB_TOKEN', 'OIDC_SECRET', 'ST_PASSWORD']
const environment = Object.fromEntries(VARIABLES.map((name) => [name, name.toLowerCase()]))

/** The executor that docs/executors/custom.md registers. */
const custom = new Map([['publish', {}]])

/** A server is started with their YAML, or another program, by test/docs/run. */
const STARTED = ['limits', 'watching'].map((name) => `docs/operating/${name}.md`)

const defining = pages.filter((page) => ![...CONFIGURATIONS, ...STARTED].includes(page) && yamlOf(page).length > 0)

describe('every page', () => {
  it('is looked at', () => {
    expect(pages).to.include.members([
      'README.md',
      'docs/executors/custom.md',
      'machines/README.md',
      'src/cli/README.md'
    ])
    expect(defining).to.include.members(['README.md', 'docs/secrets.md'])
  })
  for (const page of defining)
    it(`${page}: its definitions have no problems`, () => {
      for (const text of yamlOf(page)) expect(messagesOf(text, { custom }), text).to.deep.equal([])
    })
  for (const page of CONFIGURATIONS)
    it(`${page}: its configurations are read without a warning`, () => {
      for (const text of yamlOf(page)) {
        const home = temporaryFolder()
        writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 })
        expect(readConfig({ home }, environment).warnings, text).to.deep.equal([])
      }
    })
  it('links to files that exist', () => {
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)]
        .filter(([, target = '']) => !existsSync(join(PROJECT, dirname(page), target)))
        .map(([, target]) => `${page}: ${target}`)
    )
    expect(broken).to.deep.equal([])
  })
})
