/** The help: commands by task, on terminals of any width. Source: docs/cli.md. */
import { expect } from 'chai'
import { commands, tasks } from '../../../src/cli/input/commands.ts'
import { helpText } from '../../../src/cli/input/help.ts'

describe('command line › help', () => {
  it('every command is in one task, which has an example of one of them', () => {
    const listed = tasks.flatMap((task) => task.commands)
    expect([...listed].sort()).to.deep.equal([...commands.map(({ name }) => name), 'help'].sort())
    for (const { commands: names, example } of tasks) expect(names).to.include(example)
    expect(helpText()).to.contain('\nLook, such as troupe runs etl --status failed --since 24h\n  list  ')
  })
  it('a terminal of 80 columns breaks no line of a table: the rest is below its summary', () => {
    const of = (room?: number) => helpText(undefined, room).split('\n')
    for (const line of of(80).filter((line) => line.startsWith('  '))) expect(line.length, line).to.be.at.most(80)
    const text = of(80)
      .join('\n')
      .replace(/\n {15}(?=\S)/g, ' ')
    for (const { summary } of commands) expect(text).to.contain(summary)
    expect(of(80).length).to.be.greaterThan(of().length)
    const start = commands.find(({ name }) => name === 'start')
    for (const line of helpText(start, 60)
      .split('\n')
      .filter((line) => line.startsWith('  -') || line.startsWith('      ')))
      expect(line.length, line).to.be.at.most(60)
  })
  it('flags that a command refuses are not on its page', () => {
    for (const command of commands)
      expect(helpText(command).includes('--url URL'), command.name).to.equal(command.elsewhere === true)
  })
})
