/** `troupe watch`: on terminals of several sizes, and where there is none. Source: docs/cli.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { PROGRAM, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { describeTmux, openTmux, type Tmux } from '../../support/cli/tmux.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong, oneIn } from '../../support/long.ts'

const SLOW = 'steps:\n  - name: work\n    command: sh -c "echo working; sleep 600"\n'
const FAILS = 'steps:\n  - name: bad\n    command: sh -c "echo it breaks >&2; exit 3"\n'
/** A name that would move the cursor and clear the screen, if it were let. */
const HOSTILE =
  'steps:\n  - name: "a\\u001b[2J\\u001b[Hpwned"\n    command: printf "\\033[2Jlog\\033]0;title\\007 end\\n"\n'

describe('troupe watch › no terminal', () => {
  it('prints once, without anything that steers a terminal; --json too', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'fails.yaml'), FAILS)
    const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
    await done('start', 'fails', '-r', 'f1', '-q')
    const { code, out, err } = await done('watch')
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(out)
      .to.contain('no engine is there')
      .and.match(/✗ failed +fails .* f1/)
    expect(out).not.to.match(/[\x00-\x09\x0b-\x1f]/)
    const json = JSON.parse((await done('watch', '--json')).out)
    expect([json.failures, json.isServed, json.dagRuns[0].dagRunId]).to.deep.equal([1, false, 'f1'])
    const none = await called(temporaryFolder(), { ENGINE_HOME: temporaryFolder() }, 'watch')
    expect(none.code).to.equal(0)
    expect(none.out).to.contain('no runs')
  })
})

describeTmux('troupe watch › in a terminal', () => {
  const folder = temporaryFolder()
  const environment = { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }
  let server: RunningServer
  let terminal: Tmux | undefined
  before(async () => {
    const definitions = { slow: SLOW, fails: FAILS, hostile: HOSTILE }
    for (const [name, text] of Object.entries(definitions)) writeFileSync(join(folder, `${name}.yaml`), text)
    server = await serve()
    await done('start', 'fails', '-r', 'f1', '-q')
    await done('start', 'hostile', '-r', 'h1', '-q')
    await done('enqueue', 'slow', '-r', 's1', '-q')
  })
  after(async () => {
    await done('stop', 'slow', '-q')
    await server.end()
  })
  afterEach(() => terminal?.end())

  const serve = () => runningServer({ ENGINE_DAGS_DIR: folder, ENGINE_TZ: 'UTC' }, { folder })
  const done = (...argv: string[]) => called(folder, environment, ...argv)
  const open = (columns: number, rows: number, words = '') => {
    const opened = openTmux({ columns, rows }, environment)
    terminal = opened
    opened.keys(`'${process.execPath}' '${PROGRAM}' watch ${words}; echo "left with $?"`, 'Enter')
    return opened
  }
  const widest = (screen: string[]) => Math.max(...screen.map((line) => [...line].length))

  for (const [columns, rows] of oneIn(2, [
    [80, 24],
    [200, 50]
  ] as const))
    it(`${columns} columns: runs, queues and failures, from the first line to the keys in the last`, async () => {
      const { shows, screen } = open(columns, rows)
      await shows(/> ● .*slow/)
      const text = await shows(/1 running, 0 queued, 1 failed in 24 hours/)
      expect(text)
        .to.contain(`troupe  ${folder}`)
        .and.match(/✗ .*fails .* f1/)
      expect(text).to.match(/queue slow: 1( of \d+)? running, 0 waiting/)
      const lines = screen()
      expect(lines).to.have.length(rows)
      expect(lines.at(-1)).to.contain('q quit')
      expect(widest(lines)).to.be.at.most(columns)
      expect(lines[0]).to.match(/\d\d:\d\d:\d\d$/)
    })
  itLong('a screen that becomes smaller and larger is filled anew', async () => {
    const { shows, screen, resize } = open(120, 30)
    await shows(/> ● /)
    resize(50, 10)
    await shows(/↑↓ select/)
    const filled = async (rows: number, columns: number) => {
      const lines = await shows(/^troupe .*\d\d:\d\d:\d\d\n/).then(() => screen())
      expect(lines).to.have.length(rows)
      expect(widest(lines)).to.be.at.most(columns)
      expect(lines.at(-1)).to.match(/^↑↓ select/)
    }
    await filled(10, 50)
    resize(100, 40)
    await shows('q quit')
    await filled(40, 100)
  })
  it('Ctrl-C and q leave the terminal as it was: the shell is back, its line is seen, the cursor too', async () => {
    for (const key of ['C-c', 'q']) {
      const { shows, keys, value } = open(80, 24)
      await shows(/> ● /)
      expect(value('#{alternate_on} #{cursor_flag}')).to.equal('1 0')
      keys(key)
      const text = await shows(/^left with 0$/m)
      expect(text).not.to.contain('q quit')
      expect(value('#{alternate_on} #{cursor_flag}')).to.equal('0 1')
      keys('echo typed', 'Enter')
      await shows(/[#$] echo typed\n+typed$/m)
      terminal?.end()
    }
  })
  it('enter shows the log of the selected run, q goes back; names and logs steer nothing', async () => {
    const { shows, keys } = open(100, 24)
    await shows(/> ● .*slow/)
    keys('Down')
    await shows(/> ✓ .*hostile/)
    keys('Enter')
    const log = await shows(/\| log end/)
    expect(log)
      .to.contain('log of hostile h1, ended')
      .and.match(/^apwned \| log end$/m)
    keys('q')
    await shows(/> ✓ .*hostile/)
    keys('f')
    await shows(/> ✗ .*fails/)
    keys('Enter')
    await shows('bad | it breaks')
  })
  it('s asks and stops, r asks and retries; no is no', async () => {
    await done('enqueue', 'slow', '-r', 's2', '-N', 'other', '-q')
    const { shows, keys } = open(100, 24)
    await shows(/other .* s2/)
    keys('Home')
    const text = await shows(/> ● /)
    const [, name = ''] = /> ● .*?(other|slow)/.exec(text) ?? []
    if (name !== 'other') keys('Down')
    await shows(/> ● .*other/)
    keys('s')
    await shows('stop run s2 of other? y or n')
    keys('n')
    await shows('no stop')
    keys('s')
    await shows('stop run s2 of other? y or n')
    keys('y')
    await shows('stopping run s2 of other')
    await shows(/> ■ .*other/)
    keys('r')
    await shows('retry run s2 of other? y or n')
    keys('y')
    await shows('retrying run s2 of other')
    await shows(/> ● .*other/)
    await done('stop', 'other', '-q')
  })
  it('a server that is killed: it says so, goes on, and is there again with the next one', async () => {
    const { shows, keys } = open(100, 24)
    await shows(/> ● .*slow/)
    server.child.kill('SIGKILL')
    await server.code
    await shows(/no engine is there: runs stand still/)
    keys('s')
    await shows(/stop run s1/)
    keys('y')
    await shows('nobody could stop it')
    server = await serve()
    await shows(/1 running, 0 queued/)
    keys('q')
    await shows(/left with 0/)
  })
  itLong('of a server elsewhere the same: killed, said, and back', async () => {
    const port = new URL(server.address).port
    const { shows, keys } = open(120, 24, `--url ${server.address}`)
    const text = await shows(/> ● .*slow/)
    expect(text).to.contain(`troupe  ${server.address}`)
    keys('Enter')
    await shows('work | working')
    keys('q')
    server.child.kill('SIGKILL')
    await server.code
    await shows(/no server answers at .*; looking again/)
    server = await runningServer({ ENGINE_DAGS_DIR: folder, ENGINE_TZ: 'UTC' }, { folder, argv: ['--port', port] })
    await shows(/1 running, 0 queued/)
  })
})
