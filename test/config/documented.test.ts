/** The manual page of the settings says what the table says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { KEYS, rowOf } from '../../src/config/table.ts'
import { PROJECT } from '../support/project.ts'

const page = readFileSync(join(PROJECT, 'docs', 'configuration.md'), 'utf8')

const documented = (): string[] =>
  KEYS.map((key) => {
    const { env, envAlias, flag, standard, worked, later, help } = rowOf(key)
    const names = [env, envAlias].filter((name) => name !== undefined).map((name) => `\`ENGINE_${name}\``)
    const shown =
      standard === undefined || standard === ''
        ? (worked ?? '')
        : `\`${typeof standard === 'string' ? standard : JSON.stringify(standard)}\``
    const build = later ? '**not yet**: ' : ''
    const cells = [`\`${key}\``, names.join(', '), flag ? `\`--${flag}\`` : '', shown, build + help]
    return `| ${cells.join(' | ')} |`
  })

describe('docs/configuration.md', () => {
  it('has every row of the table, in its order, and no other', () => {
    const rows = page.split('\n').filter((line) => /^\| `[a-z]/.test(line) && line.split(' | ').length === 5)
    expect(rows).to.deep.equal(documented())
  })

  it('names every old spelling', () => {
    for (const old of KEYS.flatMap((key) => rowOf(key).old ?? [])) expect(page).to.contain(`\`${old}\``)
  })
})
