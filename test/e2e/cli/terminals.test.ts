/** Commands that print once, on terminals of 80 and 200 columns, with and without colours. Source: docs/cli.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAM, program } from '../../support/cli/program.ts'
import { describeTmux, openTmux, type Tmux } from '../../support/cli/tmux.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'

const LONG = 'a-definition-whose-name-takes-columns'
const TEXT = `steps:
  - name: ok
    command: echo fine
  - name: a step with a name that is longer than a small terminal is wide, or nearly so, with a rest
    command: sh -c 'echo broken >&2; exit 3'
`

describeTmux('commands on a terminal', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  const environment = { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }
  let terminal: Tmux | undefined
  before(async () => {
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'dags', `${LONG}.yaml`), TEXT)
    expect(await program(folder, environment, 'start', LONG, '-q').code).to.equal(1)
  })
  afterEach(() => terminal?.end())

  /** The screen after a command, and what steers the terminal in it. */
  async function shown(columns: number, argv: string, more: Record<string, string> = {}) {
    const opened = openTmux({ columns, rows: 40 }, { ...environment, ...more })
    terminal = opened
    opened.keys(
      `'${process.execPath}' '${PROGRAM}' ${argv} > /dev/null; clear; '${process.execPath}' '${PROGRAM}' ${argv}; echo left with $?`
    )
    opened.keys('Enter')
    const text = await opened.shows(/^left with \d$/m)
    const styled = opened.styled()
    opened.end()
    return { lines: text.slice(0, text.indexOf('left with')).split('\n').slice(0, -1), styled }
  }

  for (const columns of oneIn(2, [80, 200]))
    it(`${columns} columns: no line of a list or a tree is broken`, async () => {
      const found = async (argv: string) => (await shown(columns, argv)).lines
      const runs = await found('runs')
      expect(runs).to.have.length(2)
      expect(runs[1]).to.match(/^✗ failed +a-definition/)
      expect(await found('list')).to.have.length(2)
      // The tree, and what to ask.
      const status = await found(`status ${LONG}`)
      expect(status.slice(0, 3).map((line) => line.slice(0, 2))).to.deep.equal(['✗ ', '├─', '└─'])
    })
  it('colours on a terminal, none with NO_COLOR', async () => {
    for (const argv of ['runs', `status ${LONG}`, `logs ${LONG}`, `explain ${LONG}`]) {
      expect((await shown(100, argv)).styled, argv).to.match(/\x1b\[3[1-6]m/)
      expect((await shown(100, argv, { NO_COLOR: '1' })).styled, argv).not.to.contain('\x1b[')
    }
  })
})
