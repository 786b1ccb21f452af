/** Completion in the shells themselves: commands, flags, names of definitions, ids of runs, of the place that the line names. Source: docs/cli.md. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAM, program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { describeTmux, openTmux } from '../../support/cli/tmux.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

describe('troupe completion', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  const home = join(folder, 'a')
  const bin = join(folder, 'bin')
  const environment = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, LC_ALL: 'C.UTF-8' }
  const scriptOf = (shell: string) => join(folder, `troupe.${shell}`)
  let server: RunningServer

  before(async () => {
    for (const path of [bin, home, join(home, 'dags')]) mkdirSync(path)
    writeFileSync(join(bin, 'troupe'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
    chmodSync(join(bin, 'troupe'), 0o755)
    for (const name of ['etl', 'report'])
      writeFileSync(join(home, 'dags', `${name}.yaml`), 'steps:\n  - command: echo\n')
    for (const shell of SHELLS)
      writeFileSync(scriptOf(shell), execFileSync(process.execPath, [PROGRAM, 'completion', shell]))
    expect(await program(folder, { ENGINE_HOME: home }, 'start', 'etl', '-r', 'run-1', '-q').code).to.equal(0)
    server = await runningServer({ ENGINE_HOME: home, ENGINE_AUTH_TOKEN: 'sesame' }, { folder: temporaryFolder() })
  })
  after(() => server.end())

  /** A line, and what is offered at its end. */
  const offers = (): readonly (readonly [line: string, found: readonly string[]])[] => [
    ['troupe sta', ['start', 'start-all', 'status']],
    [`troupe --home ${home} sta`, ['start', 'start-all', 'status']],
    ['troupe runs --st', ['--status']],
    ['troupe runs --status ', []],
    ['troupe help st', ['start', 'start-all', 'status', 'stop']],
    ['troupe worker d', ['drain']],
    [`troupe logs --home ${home} `, ['etl', 'report', 'run-1']],
    [`troupe logs --home=${home} r`, ['report', 'run-1']],
    [`troupe --home ${home} retry etl --run-id `, ['run-1']],
    [`troupe --home ${home} retry etl -r `, ['run-1']],
    [`troupe --url ${server.address} --token-file ${join(folder, 'token')} status re`, ['report']]
  ]
  before(() => writeFileSync(join(folder, 'token'), 'sesame\n'))

  for (const shell of SHELLS)
    it(`${shell}: its script is one`, function () {
      if (!has(shell)) this.skip()
      execFileSync(shell, ['-n', scriptOf(shell)])
    })
  it('bash offers what fits, and nothing where nothing can be asked', () => {
    const ask = `source ${scriptOf('bash')}
COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _troupe; printf '%s\\n' "\${COMPREPLY[@]}"`
    const completed = (line: string) =>
      execFileSync('bash', ['-c', ask, 'bash', line], { cwd: temporaryFolder(), env: environment, stdio: 'pipe' })
        .toString()
        .split('\n')
        .filter(Boolean)
        .sort()
    for (const [line, found] of offers()) expect(completed(line), line).to.deep.equal(found)
    expect(completed('troupe status --url http://127.0.0.1:1 e')).to.deep.equal([])
  })
  itLong('fish offers the same', function () {
    if (!has('fish')) this.skip()
    const completed = (line: string) => {
      const { stdout, stderr } = spawnSync('fish', ['-c', `source ${scriptOf('fish')}; complete -C$argv[1]`, line], {
        cwd: temporaryFolder(),
        env: environment,
        encoding: 'utf8'
      })
      expect(stderr, line).to.equal('')
      return stdout
        .split('\n')
        .map((offered) => offered.split('\t')[0] ?? '')
        .filter(Boolean)
        .sort()
    }
    for (const [line, found] of offers()) expect(completed(line), line).to.deep.equal(found)
  })

  describeTmux('in a terminal', () => {
    it('zsh offers the same', async function () {
      if (!has('zsh')) this.skip()
      const { keys, shows, end } = openTmux({ columns: 180, rows: 40 }, environment)
      try {
        keys(`cd '${temporaryFolder()}'; PS1='> ' exec zsh -f`, 'Enter')
        await shows(/^>\s*$/m)
        keys(
          `autoload -Uz compinit; compinit -u -d '${join(folder, 'zcd')}'; source '${scriptOf('zsh')}'; echo re''ady`,
          'Enter'
        )
        await shows(/^ready$/m)
        for (const [line, found] of offers()) {
          keys('C-u')
          keys('C-l')
          await shows(/^>\s*$/)
          // A single offer is put into the line, several are listed below it.
          keys('-l', line)
          keys('Tab')
          const [only, ...more] = found
          if (only === undefined) continue
          if (more.length === 0) await shows(line.slice(0, line.lastIndexOf(' ') + 1) + only)
          else for (const one of found) await shows(new RegExp(`^(.* )?${one}( |$)`, 'm'))
        }
      } finally {
        end()
      }
    })
  })
})
