/** The manual page of the settings says what the table says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { KEYS, rowOf } from '../../src/config/table.ts'
import { isSettingLine, settingLines } from '../../src/site/tables/configuration.ts'
import { PROJECT } from '../support/project.ts'

const page = readFileSync(join(PROJECT, 'docs', 'configuration.md'), 'utf8')

describe('docs/configuration.md', () => {
  it('has every row of the table, in its order, and no other', () => {
    expect(page.split('\n').filter(isSettingLine)).to.deep.equal(settingLines())
  })

  it('names every old spelling', () => {
    for (const old of KEYS.flatMap((key) => rowOf(key).old ?? [])) expect(page).to.contain(`\`${old}\``)
  })
})
