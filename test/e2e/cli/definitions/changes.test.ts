/** Commands that change definitions and steps, with a server and without one, and what they refuse. Source: docs/cli.md. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../../support/cli/called.ts'
import { PROGRAM, runningServer } from '../../../support/cli/program.ts'
import { describeTmux, openTmux } from '../../../support/cli/tmux.ts'
import { temporaryFolder } from '../../../support/homes.ts'

const TEXT = 'schedule: "0 3 * * *"\nsteps:\n  - {name: s, command: test -e done}\n'

describe('suspend, resume, rename, delete, set-status on the command line', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
  const file = (name: string) => join(folder, 'dags', `${name}.yaml`)

  before(() => mkdirSync(join(folder, 'dags')))

  async function all() {
    writeFileSync(file('etl'), TEXT)
    const said: string[] = []
    const say = async (...argv: string[]) => {
      const { code, out, err } = await done(...argv)
      said.push(`${code} ${(out || err).trim()}`)
    }
    const isSuspended = async () => {
      const { dags } = JSON.parse((await done('list', '--json')).out)
      return dags.find(({ fileName }: { fileName: string }) => fileName === 'etl').suspended
    }
    await say('suspend', 'etl')
    expect(await isSuspended()).to.equal(true)
    await say('resume', 'etl.yaml', '--json')
    expect(await isSuspended()).to.equal(false)
    await say('suspend', 'etk')
    await done('start', 'etl', '-r', 'r1', '-q')
    await say('set-status', 'etl', 's', 'succeeded')
    const { nodes } = JSON.parse((await done('status', 'etl:r1', '--json')).out)
    expect(nodes[0].statusLabel).to.equal('succeeded')
    await say('set-status', 'etl:r1', 'z', 'failed')
    await say('rename', 'etl', 'etl')
    await say('rename', 'etl', 'load')
    expect([existsSync(file('etl')), existsSync(file('load'))]).to.deep.equal([false, true])
    await say('delete', 'load')
    expect(existsSync(file('load'))).to.equal(true)
    await say('delete', 'load', '--yes')
    expect(existsSync(file('load'))).to.equal(false)
    await say('delete', 'load', '--yes')
    return said
  }

  it('the same with a server and without one, with the same refusals', async () => {
    const alone = await all()
    await done('stop', 'load')
    const server = await runningServer({ ENGINE_TZ: 'UTC' }, { folder })
    const served = await all().finally(() => server.end())
    expect(served).to.deep.equal(alone)
    expect(alone).to.deep.equal([
      '0 etl is suspended: its schedule starts no run',
      '0 {"fileName":"etl","suspended":false}',
      '1 Error: there is no definition named etk; did you mean etl?',
      '0 step s is succeeded (run r1 of etl); a retry follows it',
      '1 Error: run r1 of etl has no step or handler "z"; wanted one of s',
      '1 Error: a definition named etl exists already',
      '0 etl is now called load',
      '1 Error: delete: wanted --yes, as nobody is at a terminal to be asked',
      '0 load is deleted; its runs stay',
      '1 Error: there is no definition named load'
    ])
  })
  it('what is no name, no new name or no status is refused before anything is asked', async () => {
    const refused = async (...argv: string[]) => (await done(...argv)).err
    for (const argv of [['suspend'], ['resume'], ['delete', '--yes']])
      expect(await refused(...argv, './dags/etl'), argv[0]).to.contain('found the path "./dags/etl"')
    expect(await refused('rename', 'etl')).to.contain('wanted a definition and its new name, found etl')
    expect(await refused('set-status', 'etl', 's')).to.contain('wanted a status, one of not_started, running, failed')
    expect(await refused('set-status', 'etl', 's', 'suceeded')).to.contain('did you mean succeeded?')
  })
  describeTmux('at a terminal', () => {
    it('delete asks, and anything but yes keeps the definition', async () => {
      writeFileSync(file('etl'), TEXT)
      const terminal = openTmux({ columns: 200, rows: 20 }, { ENGINE_HOME: folder })
      try {
        for (const [answer, is] of [
          ['n', true],
          ['y', false]
        ] as const) {
          terminal.keys(`clear; '${process.execPath}' '${PROGRAM}' delete etl; echo left with $?`, 'Enter')
          await terminal.shows(`Delete the definition etl in ${folder}/dags? Its runs stay. [y/N]`)
          terminal.keys(answer, 'Enter')
          await terminal.shows(/^left with \d$/m)
          expect(existsSync(file('etl')), answer).to.equal(is)
        }
      } finally {
        terminal.end()
      }
    })
  })
})
