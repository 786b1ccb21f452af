/** What a home shows before anything has run in it. Source: docs/cli.md "Before the first run". */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readArguments } from '../../src/cli/input/arguments.ts'
import { commands } from '../../src/cli/input/commands.ts'
import { complete } from '../../src/cli/input/completion.ts'
import { OPERANDS } from '../../src/cli/input/operands.ts'
import { createEngine } from '../../src/index.ts'
import { command, refusal } from '../support/cli/cli-scene.ts'
import { fakeCliEngine, type Stage, stage } from '../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

/** What each command that lists says where there is nothing, and the empty list that `--json` has. */
const LISTS: Record<string, { words: string[]; says: RegExp; json: object }> = {
  list: { words: [], says: /\nhello .*never ran/, json: {} },
  runs: { words: [], says: /^no run matches$/, json: { dagRuns: [] } },
  queues: { words: [], says: /^no queue is configured, and nothing runs or waits$/, json: { queues: [] } },
  waiting: { words: [], says: /^no step waits for a signal or an approval$/, json: { waiting: [] } },
  versions: { words: ['hello'], says: /^no version of hello is known$/, json: { fileName: 'hello', versions: [] } },
  keys: { words: [], says: /^there are no keys; /, json: { keys: [] } },
  workers: { words: [], says: /^no worker has said hello$/, json: { workers: [], errors: [], enrolled: [] } },
  deliveries: {
    words: [],
    says: /^notify has no targets, and nothing waits$/,
    json: { targets: [], deliveries: [], nextCursor: null }
  },
  decisions: { words: [], says: /^no scheduled minute has been decided$/, json: { decisions: [] } }
}
/** Those that show a run: there is none. */
const OF_A_RUN = ['status', 'logs', 'inspect', 'events', 'at', 'sequence', 'diff', 'open']
const WORDS: Record<string, string[]> = {
  at: ['--event', '1'],
  diff: ['hello:r1', 'hello:r2'],
  open: ['hello', '--host', '127.0.0.1']
}
/** Those that need no operand, work on any server, and show something else than a list. */
const OTHERS = ['dequeue', 'explain', 'inspect', 'watch', 'open', 'config', 'doctor', 'audit', 'worker', 'version']

/** A reader of a home, on the engine that a command opens. */
function readerOf(home: string): Stage {
  return { ...stage(home, fakeCliEngine(home)), createEngine: (options) => createEngine({ ...options, home }) as never }
}

function fresh(): string {
  const home = temporaryFolder()
  mkdirSync(join(home, 'dags'))
  writeFileSync(join(home, 'dags', 'hello.yaml'), 'steps:\n  - echo\n')
  return home
}

describe('command line › a home in which nothing has run', () => {
  const isOther = (name: string) => name in LISTS || [...OF_A_RUN, ...OTHERS].includes(name)
  const unknown = commands.filter(
    ({ name, operand, elsewhere }) =>
      elsewhere === true && !isOther(name) && (operand === undefined || OPERANDS[operand].wanted === undefined)
  )
  const any = { words: [], says: /./, json: {} }
  const lists = [...Object.entries(LISTS), ...unknown.map(({ name }) => [name, any] as const)]

  for (const [name, { words, says, json }] of lists) {
    it(`${name} says so, with exit code 0, and --json has its usual shape; nothing is made on disk`, async () => {
      const home = fresh()
      const [text, asJson, quiet] = [readerOf(home), readerOf(home), readerOf(home)]
      expect(await command(name, text, ...words)).to.equal(0)
      expect(text.written.out.trimEnd()).to.match(says)
      expect(await command(name, asJson, ...words, '--json')).to.equal(0)
      expect(JSON.parse(asJson.written.out)).to.deep.include(json)
      expect(await command(name, quiet, ...words, '--quiet')).to.equal(0)
      expect(quiet.written.out).to.equal('')
      expect(readdirSync(home)).to.deep.equal(['dags'])
    })
  }

  it('list has the definition in the shape that it has after a run', async () => {
    const here = readerOf(fresh())
    await command('list', here, '--json')
    const { dags } = JSON.parse(here.written.out)
    expect(dags).to.have.length(1)
    expect(dags[0]).to.deep.include({ fileName: 'hello', name: 'hello', latestDAGRun: null })
  })

  it('names are completed, and no runs', async () => {
    const completed = async (what: string) => {
      const here = readerOf(fresh())
      const table = commands.find((one) => one.name === 'completion')
      if (!table) throw new Error('no completion')
      expect(await complete(await readArguments(table, [what]), here, commands)).to.equal(0)
      return here.written.out
    }
    expect(await completed('names')).to.equal('hello\n')
    expect(await completed('runs')).to.equal('')
  })

  for (const name of OF_A_RUN)
    it(`${name} says that nothing has run`, async () => {
      const words = WORDS[name] ?? []
      const all = words[0]?.startsWith('hello') ? words : ['hello', ...words]
      expect(await refusal(name, readerOf(fresh()), ...all)).to.match(
        /hello has no runs|there is no run|no server answers/
      )
    })

  it('explain says why the definition has started no run', async () => {
    const here = readerOf(fresh())
    expect(await command('explain', here, 'hello')).to.equal(0)
    expect(here.written.out).to.contain('hello')
  })

  it('the same where the home does not exist, and stays so', async () => {
    const parent = temporaryFolder()
    for (const [name, { words, says }] of Object.entries(LISTS)) {
      if (name === 'list' || name === 'versions') continue
      const here = readerOf(join(parent, 'none'))
      expect(await command(name, here, ...words), name).to.equal(0)
      expect(here.written.out.trimEnd()).to.match(says)
    }
    const here = readerOf(join(parent, 'none'))
    expect(await command('list', here)).to.equal(0)
    expect(here.written.out).to.match(/^no definition is in /)
    expect(readdirSync(parent)).to.deep.equal([])
  })

  it('the same in a home that may only be read, and where only the store file is missing', async () => {
    const home = fresh()
    mkdirSync(join(home, 'data'))
    chmodSync(join(home, 'data'), 0o500)
    chmodSync(home, 0o500)
    try {
      for (const [name, { words, says }] of Object.entries(LISTS)) {
        const here = readerOf(home)
        expect(await command(name, here, ...words), name).to.equal(0)
        expect(here.written.out.trimEnd()).to.match(says)
      }
    } finally {
      chmodSync(home, 0o700)
      chmodSync(join(home, 'data'), 0o700)
    }
  })
})
