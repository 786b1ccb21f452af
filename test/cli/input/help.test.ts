/** The help: commands by task, on terminals of any width. Source: docs/cli.md. */
import { expect } from 'chai'
import { aliases, commands, tasks } from '../../../src/cli/input/commands.ts'
import { helpText, topics } from '../../../src/cli/input/help.ts'

describe('command line › help', () => {
  it('every command is in one task, which has an example of one of them', () => {
    const listed = tasks.flatMap((task) => task.commands)
    expect([...listed].sort()).to.deep.equal([...commands.map(({ name }) => name), 'help'].sort())
    for (const { commands: names, example } of tasks) expect(names).to.include(example)
    expect(tasks[0]?.commands).to.have.length(8)
  })
  it('the overview is one screen: eight commands with a line each, the others by name; help all has a line for each', () => {
    const text = helpText(undefined, 100)
    expect(text.split('\n').length).to.be.below(36)
    expect(text).to.contain('\n  start        Run a definition and show its progress\n')
    for (const { name } of commands) expect(text).to.match(new RegExp(`(^  |[ ,])${name}(,|\n| )`, 'm'))
    for (const alias of Object.keys(aliases)) expect(text).to.contain(` ${alias} (`)
    const all = topics.all?.() ?? ''
    for (const { name, summary } of commands)
      expect(all).to.contain(`\n  ${name.padEnd(11)}  ${summary.charAt(0).toUpperCase()}${summary.slice(1)}\n`)
  })
  it('flags of every command are one line, and a page of their own', () => {
    const stop = helpText(commands.find(({ name }) => name === 'stop'))
    expect(stop)
      .to.match(/^Usage: troupe stop RUN \[flags\]\n\nStop a run; /)
      .and.contain('Also written: cancel (stop)')
    expect(stop.match(/--home/g)).to.have.length(1)
    expect(topics.flags?.()).to.contain('      --home DIR         home folder, instead of ENGINE_HOME\n')
  })
  it('a terminal of 80 columns breaks no line of a table: the rest is below its summary', () => {
    const of = (room?: number) => (topics.all?.(room) ?? '').split('\n')
    for (const line of of(80).filter((line) => line.startsWith('  '))) expect(line.length, line).to.be.at.most(80)
    const text = of(80)
      .join('\n')
      .replace(/\n {15}(?=\S)/g, ' ')
    for (const { summary } of commands) expect(text).to.contain(summary.slice(1))
    for (const line of helpText(undefined, 80).split('\n')) expect(line.length, line).to.be.at.most(80)
    expect(of(80).length).to.be.greaterThan(of().length)
    const start = commands.find(({ name }) => name === 'start')
    for (const line of helpText(start, 60)
      .split('\n')
      .filter((line) => line.startsWith('  -') || line.startsWith('      ')))
      expect(line.length, line).to.be.at.most(60)
  })
  it('flags that a command refuses are not on its page', () => {
    for (const command of commands)
      expect(helpText(command).includes('--url'), command.name).to.equal(command.elsewhere === true)
  })
})
