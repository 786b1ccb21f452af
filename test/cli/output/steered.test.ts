/** No text from outside steers the terminal: what a command writes has no control sequence but its own colours. Source: docs/cli.md. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { context, type Output } from '../../../src/cli/context.ts'
import { dispatch } from '../../../src/cli/dispatch.ts'
import { liveRegion } from '../../../src/cli/view/live-region.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { codeBelow } from '../../support/tree/tree.ts'

/** The title, the clipboard, the screen, a bell, a line written over, an 8-bit sequence, the direction of writing, text that is not seen. */
const HOSTILE = 'x\x1b]0;T\x07\x1b]52;c;UFdORUQ=\x07\x1b[2J\x07a\rb\x9b2J\x1b[8m\u202ey'
const INTERPRETED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const COLOURS = /\x1b\[(0|1|2|3[1-6])m/g

/** What reaches the terminal, command by command. */
async function written(...argv: string[]): Promise<{ out: string; err: string }> {
  const got = { out: '', err: '' }
  const terminal = (stream: 'out' | 'err'): Output => ({
    write: (text) => {
      got[stream] += text
    },
    isTTY: true,
    columns: 200,
    rows: 50
  })
  await dispatch(argv, terminal('out'), terminal('err'), async () => ({ ...context(), onSignal: () => () => {} }))
  return got
}

/** Of a run, a definition and a step. */
const RUN = [['status'], ['inspect'], ['events'], ['at', '--event', '3'], ['sequence'], ['logs'], ['explain']]
const OTHERS = [
  ['list'],
  ['runs'],
  ['queues'],
  ['waiting'],
  ['workers'],
  ['deliveries'],
  ['decisions'],
  ['versions', 'bad'],
  ['versions', 'bad', '--show', '1'],
  ['dry', 'bad'],
  ['validate', 'bad'],
  ['retry', 'bad', '--run-id', HOSTILE],
  ['stop', HOSTILE],
  ['start', HOSTILE],
  ['dequeue', HOSTILE],
  ['diff', 'bad:r1', 'bad:r2'],
  [HOSTILE],
  ['list', `--${HOSTILE}`],
  ['audit'],
  ['keys'],
  ['version']
]
const HERE = [['config'], ['doctor'], ['completion', HOSTILE], ['watch'], ['test', '.'], ['validate', `./${HOSTILE}`]]

describe('command line › no text from outside steers the terminal', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  let server: RunningServer
  let hostile: Server
  let url: string

  before(async () => {
    mkdirSync(join(home, 'dags'), { recursive: true })
    const quoted = JSON.stringify(HOSTILE)
    writeFileSync(
      join(home, 'dags', 'bad.yaml'),
      `description: ${quoted}\nsteps:\n  - name: one\n    description: ${quoted}\n    command: cat "$HOSTILE"; cat "$HOSTILE" >&2; exit 1\n`
    )
    writeFileSync(join(home, 'dags', `${HOSTILE}.yaml`), `steps:\n  - ${quoted}: 1\n`)
    writeFileSync(join(home, 'dags', 'broken.yaml'), `${quoted}: 1\nsteps:\n  - depends: ${quoted}\n`)
    writeFileSync(join(folder, 'hostile'), `${HOSTILE}\n`)
    const started = program(folder, { ENGINE_HOME: home, HOSTILE: join(folder, 'hostile') }, 'start', 'bad', '-r', 'r1')
    await started.code
    const served = join(folder, 'served')
    cpSync(home, served, { recursive: true })
    server = await runningServer({ ENGINE_HOME: served }, { folder })
    hostile = createServer((request, response) => void answered(request.url ?? '', response))
    await new Promise<void>((resolve) => void hostile.listen(0, '127.0.0.1', resolve))
    const address = hostile.address()
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  })
  after(async () => {
    hostile.close()
    hostile.closeAllConnections()
    await server.end()
  })

  /** The answer of a server, with something hostile in each text that is no word of the API. */
  async function answered(path: string, response: ServerResponse): Promise<void> {
    const answer = await fetch(server.address + path.replaceAll(encodeURIComponent(HOSTILE), ''))
    const text = await answer.text()
    response.statusCode = answer.status
    const type = answer.headers.get('content-type') ?? 'text/plain'
    response.setHeader('content-type', type)
    response.end(type.includes('json') ? JSON.stringify(JSON.parse(text, poisoned)) : text + HOSTILE)
  }
  const poisoned = (key: string, value: unknown) =>
    typeof value === 'string' && !/^(status|statusLabel|code|kind|type|.*At)$/.test(key) ? value + HOSTILE : value

  function expectVisible(argv: readonly string[], texts: { out: string; err: string }): void {
    const what = `${JSON.stringify(argv)}: ${JSON.stringify(texts)}`
    if (argv[0] !== 'audit') expect(texts.out + texts.err, what).to.not.equal('')
    expect(texts.out.replaceAll(COLOURS, ''), what).to.not.match(INTERPRETED)
    expect(texts.err.replaceAll(COLOURS, ''), what).to.not.match(INTERPRETED)
  }

  for (const json of oneIn(2, [[], ['--json']]))
    it(`of a home${json.join()}`, async () => {
      for (const argv of [...RUN.map(([word = '', ...more]) => [word, 'bad', ...more]), ...OTHERS, ...HERE])
        expectVisible(argv, await written(...argv, '--home', home, ...json))
    })
  for (const json of oneIn(2, [[], ['--json']]))
    it(`of a server elsewhere, whatever it answers${json.join()}`, async () => {
      for (const argv of [...RUN.map(([word = '', ...more]) => [word, 'bad', ...more]), ...OTHERS])
        expectVisible(argv, await written(...argv, '--url', url, ...json))
    })

  it('JSON has the same values as for a program', async () => {
    const { out } = await written('validate', 'bad', '--home', home, '--json')
    const { written: piped, code } = program(folder, {}, 'validate', 'broken', '--home', home, '--json')
    await code
    const { out: shown } = await written('validate', 'broken', '--home', home, '--json')
    expect(JSON.parse(out).valid).to.equal(true)
    expect(JSON.parse(shown)).to.deep.equal(JSON.parse(piped.out))
    expect(piped.out).to.contain('\u202e')
  })

  it('the region that is redrawn has its own control sequences alone, and a line stays one', () => {
    let got = ''
    const region = liveRegion({
      write: (text) => {
        got += text
      }
    })
    region.draw([`${HOSTILE}\n\x1b[31mred\x1b[0m`])
    expect(got).to.equal('\x1b[?25l\rby \x1b[31mred\x1b[0m\x1b[K\n\x1b[J')
  })

  it('nothing is written past it but files and own control sequences', () => {
    const past = codeBelow(['src/cli']).filter((path) =>
      /\bverbatim\b|process\.std(out|err)\b|\bstdout\b.* = process\b/.test(readFileSync(path, 'utf8'))
    )
    expect(past).to.have.members([
      'src/cli/commands/audit/audit.ts',
      'src/cli/foreground/question.ts',
      'src/cli/commands/versions/versions.ts',
      'src/cli/context.ts',
      'src/cli/dispatch.ts',
      'src/cli/foreground/report-live.ts',
      'src/cli/main.ts',
      'src/cli/watch/terminal.ts'
    ])
  })
})
