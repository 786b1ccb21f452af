/** Words and flags that people know from other programs. Source: docs/cli.md. */
import { expect } from 'chai'
import { dispatch } from '../../src/cli/dispatch.ts'
import { aliases, commands, flagAliases } from '../../src/cli/input/commands.ts'
import { complete } from '../../src/cli/input/completion.ts'
import { scene } from '../support/cli/cli-scene.ts'
import { stage } from '../support/cli/fake-cli-engine.ts'

function home() {
  const { home, engine } = scene()
  engine.addRun({ name: 'etl', dagRunId: 'going', status: 'running', createdAt: 1, startedAt: 1 })
  engine.addRun({ name: 'etl', dagRunId: 'failed', status: 'failed', createdAt: 2 })
  /** What a command line prints. */
  return async (...words: string[]) => {
    const here = stage(home, engine)
    const code = await dispatch(words, here.out, here.err, async () => here)
    return { code, ...here.written }
  }
}

describe('command line › aliases', () => {
  it('each is one command, and none is a command by itself', () => {
    const names = commands.map(({ name }) => name)
    for (const [alias, stands] of Object.entries(aliases)) {
      expect(names, alias).to.include(stands?.[0])
      expect(names).to.not.include(alias)
    }
  })
  it('ls is list, ps the runs that are running, with flags beside; help has the page of the command', async () => {
    const said = home()
    expect(await said('ls')).to.deep.equal(await said('list'))
    expect((await said('ps')).out)
      .to.contain('going')
      .and.not.contain('failed')
    expect((await said('ps', 'etl', '--status', 'failed')).out)
      .to.contain('failed')
      .and.not.contain('going')
    for (const words of [
      ['help', 'cancel'],
      ['cancel', '--help']
    ])
      expect((await said(...words)).out, words.join(' ')).to.contain('Usage: troupe stop RUN')
    expect((await said('rerun')).err).to.contain('retry: wanted a run, found none')
  })
  it('-o json is --json, in errors too; -o wide is --wide; -v is --version', async () => {
    const said = home()
    const json = await said('runs', '--json')
    for (const words of [['-o', 'json'], ['-ojson'], ['-o=json']])
      expect(await said('runs', ...words), words.join(' ')).to.deep.equal(json)
    expect((await said('status', 'none', '-o', 'json')).out).to.match(/^\{"error":/)
    expect((await said('runs', '-o', 'wide')).code).to.equal(0)
    expect((await said('-v')).out).to.equal((await said('version')).out)
    expect((await said('runs', '-o', 'yaml')).err).to.equal(
      'Error: runs: unknown flag -o; there is -o json and -o wide\n'
    )
    expect((await said('canel', 'etl')).err).to.contain('did you mean cancel?')
    expect(await said('status', 'etl', '--', '-o', 'json'), 'words of a run').to.deep.equal({
      code: 1,
      out: '',
      err: 'Error: status: takes nothing after --\n'
    })
  })
  it('all are completed, and the words that help has', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { here } = scene()
      await complete({ operand: shell, operands: [shell], words: [], text: {}, on: new Set() }, here, commands)
      for (const word of [...Object.keys(aliases), 'flags'])
        expect(here.written.out, `${shell}: ${word}`).to.contain(word)
    }
    expect(Object.keys(flagAliases)).to.include('-v')
  })
})
