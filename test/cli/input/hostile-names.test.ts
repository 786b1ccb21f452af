/** Names from outside are never executed: each that a shell completes is one candidate, quoted. Source: docs/cli.md "Completion". */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAM, program } from '../../support/cli/program.ts'
import { describeTmux, openTmux, type Tmux } from '../../support/cli/tmux.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

/** What a shell expands or executes, by the letter that each name begins with. */
const NAMES = {
  a: 'a$(touch PWNED)il',
  b: 'b`touch PWNED`il',
  c: 'c deploy  prod',
  d: `d'it"s`,
  e: 'e*',
  f: 'f{x,y}~$HOME',
  g: 'g;touch PWNED;',
  h: 'h&touch PWNED|x>PWNED',
  i: 'i\\x#!y',
  j: 'j[a-z]?(x)<y>'
}
/** No candidates: not one line of a terminal, a flag, or no name of a file. */
const REFUSED = ['k\nk$(touch PWNED)', 'l\x1b]0;title\x07', '-m', '--home=n', `o${'o'.repeat(255)}`, 'p\tq']

/** With a prompt of `> `, which fish takes from a function. */
const SHELLS = {
  bash: '--norc --noprofile',
  zsh: '-f',
  fish: `--no-config -C 'function fish_prompt; echo "> "; end'`
}
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

describeTmux('hostile names in a shell', function () {
  this.timeout(180_000)
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  const bin = join(folder, 'bin')
  const environment = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, LC_ALL: 'C.UTF-8' }
  const cwd = join(folder, 'cwd')
  let server: Server
  let url: string
  let terminal: Tmux | undefined

  before(async () => {
    for (const path of [bin, home, cwd, join(home, 'dags')]) mkdirSync(path)
    writeFileSync(join(home, 'dags', 'zero.yaml'), 'steps:\n  - command: "true"\n')
    expect(await program(folder, { ENGINE_HOME: home }, 'start', 'zero', '-q').code).to.equal(0)
    // A slash is no part of a file name.
    for (const name of [...Object.values(NAMES), ...REFUSED.filter((name) => name.length <= 250)])
      writeFileSync(join(home, 'dags', `${name}.yaml`), 'steps:\n  - command: "true"\n')
    // Says with which words it was started. What it offers at a place is asked for once.
    writeFileSync(
      join(bin, 'troupe'),
      `#!/bin/sh
if [ "$1" = completion ]; then
  kept='${folder}'/$(echo "$*" | cksum | cut -d' ' -f1)
  [ -f "$kept" ] || '${process.execPath}' '${PROGRAM}' "$@" > "$kept"
  exec cat "$kept"
fi
printf '%s\\0' "$@" > '${folder}/got.part'
mv '${folder}/got.part' '${folder}/got'
`
    )
    chmodSync(join(bin, 'troupe'), 0o755)
    for (const shell of Object.keys(SHELLS))
      writeFileSync(join(folder, `troupe.${shell}`), execFileSync(process.execPath, [PROGRAM, 'completion', shell]))
    const all = [...Object.values(NAMES), ...REFUSED]
    server = createServer(({ url: asked = '' }, response) => {
      const dags = all.map((name) => ({ fileName: name, dag: { name }, errors: [], suspended: false }))
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify(asked.includes('dag-runs') ? { dagRuns: [] } : { dags, pagination: { nextPage: null } })
      )
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  })
  after(() => server.close())
  afterEach(() => {
    terminal?.end()
    terminal = undefined
  })

  async function opened(shell: keyof typeof SHELLS): Promise<Tmux> {
    const made = openTmux({ columns: 200, rows: 50 }, environment)
    terminal = made
    made.keys(`cd '${cwd}'; PS1='> ' exec ${shell} ${SHELLS[shell]}`, 'Enter')
    const load = {
      bash: 'set +H',
      zsh: `autoload -Uz compinit; compinit -u -d '${join(folder, 'zcd')}'`,
      // What is offered after the cursor would be taken for what Tab has completed.
      fish: 'set -g fish_autosuggestion_enabled 0'
    }
    await made.shows(/>\s*$/)
    made.keys(`${load[shell]}; source '${folder}/troupe.${shell}'; echo re''ady`, 'Enter')
    await made.shows(/^ready$/m)
    return made
  }

  for (const shell of oneIn(2, ['bash', 'zsh', 'fish'] as const))
    for (const where of ['local', 'remote'] as const)
      it(`${shell}, ${where}: each name is one candidate, quoted, and nothing is executed`, async function () {
        if (!has(shell)) this.skip()
        const { keys } = await opened(shell)
        const place = where === 'local' ? ['--home', home] : ['--url', url]
        for (const [letter, name] of Object.entries(NAMES)) {
          rmSync(join(folder, 'got'), { force: true })
          keys('-l', `troupe start ${place.join(' ')} ${letter}`)
          keys('Tab')
          await terminal?.shows(new RegExp(`${place[0]} \\S+ ${letter}[^\\n]`))
          keys('Enter')
          const got = await eventually(`the words for ${name}`, () =>
            existsSync(join(folder, 'got')) ? readFileSync(join(folder, 'got'), 'utf8') : undefined
          )
          expect(got.split('\0').slice(0, -1)).to.deep.equal(['start', ...place, name])
          keys('C-l')
        }
        // All of them are listed.
        keys('-l', `troupe start ${place.join(' ')} `)
        keys('Tab')
        if (shell === 'bash') keys('Tab')
        await terminal?.shows(/deploy/)
        keys('C-c')
        keys('-l', 'echo li""ved')
        keys('Enter')
        await terminal?.shows(/lived/)
        expect(readdirSync(cwd)).to.deep.equal([])
      })

  it('what is no word of one line, a flag or too long is no candidate', async () => {
    const { written, code } = program(folder, {}, 'completion', 'names', '--url', url)
    expect(await code).to.equal(0)
    expect(written.out.split('\n').slice(0, -1)).to.deep.equal(Object.values(NAMES))
  })
})
