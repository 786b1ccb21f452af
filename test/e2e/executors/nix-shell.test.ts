/** Steps in a nix-shell, played by a program that records its arguments and runs its command. Source: execution-semantics 4.2.5. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** A folder with a `nix-shell` in it. */
function fakeNix() {
  const folder = temporaryFolder()
  const program = join(folder, 'nix-shell')
  writeFileSync(
    program,
    `#!/usr/bin/env bash\nprintf '%s|' "$@" >>${folder}/arguments; echo >>${folder}/arguments\nexec bash -c "\${@: -1}"\n`
  )
  chmodSync(program, 0o755)
  return { folder, recorded: () => readFileSync(join(folder, 'arguments'), 'utf8').trimEnd().split('\n') }
}

describe('nix-shell', () => {
  const { folder, recorded } = fakeNix()
  const live = liveEngine({ logDir: join(folder, "logs of it's own") })
  const path = `env: {PATH: "${folder}:\${PATH}"}`

  it('4.2.5 commands, scripts, and commands with a script run in it; values arrive unchanged', async () => {
    const run = await live.run(
      `
      ${path}
      shell: nix-shell
      params: V=x
      steps:
        - {name: command, command: 'echo "\${V}" | tr a-z A-Z'}
        - {name: script, script: 'echo "$0 \${V}"'}
        - {name: both, command: bash -u, args: [-x], script: 'echo "<\${V}>"'}
      `,
      { params: 'V="it\'s \\"q\\" $HOME"' }
    )
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
    expect(run.out('command')).to.equal('IT\'S "Q" $HOME\n')
    expect(run.out('script')).to.match(/script\.1\.script it's "q" \$HOME\n$/)
    expect(run.out('both')).to.equal('<it\'s "q" $HOME>\n')
    const [first, second, third] = recorded()
    expect(first).to.match(/^--pure\|--run\|echo /)
    expect(second).to.match(/^--pure\|--run\|bash '.*logs of it'\\''s own.*script\.1\.script'\|$/)
    expect(third).to.match(/^--pure\|--run\|'bash' '-u' '-x' '.*'\|$/)
  })

  it('4.2.5 exit codes are those of the command', async () => {
    const run = await live.run(`${path}\nsteps: [{name: fails, shell: nix-shell, command: exit 7}]`)
    expect(run.node('fails')).to.include({ status: 'failed', exitCode: 7 })
  })
})

describe('nix-shell as the default shell', () => {
  const { folder, recorded } = fakeNix()
  const live = liveEngine({ defaultShell: join(folder, 'nix-shell') })

  it('4.2.5 `set -e; ` is put in front: a script stops at the first failing command; backticks run in it too', async () => {
    const run = await live.run(`
      env: {E: "\`echo loaded\`"}
      steps:
        - {name: stops, command: 'false; echo on', continueOn: {failure: true}}
        - {name: stops too, script: "false\\necho on", continueOn: {failure: true}}
        - {name: shows, command: 'echo "$E \`echo run\`"'}
    `)
    expect(run.out('stops') + run.out('stops too')).to.equal('')
    expect(run.statuses.slice(0, 2)).to.deep.equal(['failed', 'failed'])
    expect(run.out('shows')).to.equal('loaded run\n')
    expect(recorded()).to.include('--pure|--run|echo loaded|').and.to.include('--pure|--run|set -e; false; echo on|')
  })
})
