/** The manual page of the command line: its tables (see tables.test.ts) are all there, and its examples are calls. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readArguments } from '../../src/cli/input/arguments.ts'
import { commands } from '../../src/cli/input/commands.ts'
import { cliParts } from '../../src/site/tables/cli.ts'
import { marksIn } from '../../src/site/tables/parts.ts'
import { others, SECTIONS, titles } from '../support/docs/cli-page.ts'

const text = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')

describe('docs/cli.md', () => {
  it('has a place for every command, every flag, and where each works', () => {
    expect(marksIn(text)).to.have.members([...cliParts().keys()])
  })

  it('has no commands that no test of test/docs/run runs', () => {
    expect([...Object.values(SECTIONS).flat(), ...others]).to.have.members(titles)
  })

  it('every example is a call that the program takes', async () => {
    for (const command of commands) {
      const [program, name, ...argv] = command.example.replace(/ > \S+$/, '').split(' ')
      expect([program, name]).to.deep.equal(['troupe', command.name])
      await readArguments(command, argv)
    }
  })
})
