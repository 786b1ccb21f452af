/** Every command works on a home and on a server elsewhere, or says why it does not. Source: docs/cli.md "A server elsewhere". */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { commands } from '../../../src/cli/input/commands.ts'
import { called as command } from '../../support/cli/called.ts'
import { type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const ETL = `params: "N=1"
restartWaitSec: 1
schedule: "0 3 * * *"
steps:
  - name: extract
    command: sh -c 'echo out $N; echo oops >&2'
  - name: load
    call: kid
  - name: check
    command: sh -c 'exit 3'
handlerOn:
  exit: echo bye
---
name: kid
steps:
  - name: k
    command: echo in kid
`
const LONG = 'restartWaitSec: 1\nmaxActiveRuns: 2\nsteps:\n  - name: wait\n    command: sleep 60\n'
/** Its first run with a file sleeps, the next one ends at once. */
const ONCE = 'params: "FILE=x"\nsteps:\n  - name: wait\n    command: test -e $FILE || { touch $FILE; sleep 60; }\n'
const ASKS = 'steps:\n  - name: ask\n    executor: approval\n'
const PAID = 'steps:\n  - name: paid\n    executor: signal\n'
const WRONG = 'steps:\n  - name: a\n    command: echo\n    depends: b\n'

interface Call {
  /** What is called, beside where. */
  argv: string[]
  /** Exit code; default 0. */
  code?: number
  /** What it prints has one form in both places: as text, as JSON. Ids and times that are not seconds apart from that differ. */
  same?: ('text' | 'json')[]
}

/** Calls of each command that works in both places, in their order. They may be several. */
const CALLS: Record<string, Call[]> = {
  start: [{ argv: ['etl', '--output', 'none'], code: 1 }],
  enqueue: [{ argv: ['long', '-r', 'ID'] }],
  dequeue: [{ argv: ['--dag-run', 'ID2'] }],
  waiting: [{ argv: [], same: ['json'] }],
  signal: [{ argv: ['paid', 'paid', '{"amount":3}'] }],
  approve: [{ argv: ['asks', 'ask', '--note', 'fine'] }],
  retry: [{ argv: ['etl:latest', '--output', 'none'], code: 1 }],
  restart: [{ argv: ['once:ID'] }],
  stop: [{ argv: ['long'] }],
  list: [{ argv: [], same: ['json'] }],
  runs: [{ argv: ['etl', '--status', 'failed'], same: ['json'] }],
  status: [{ argv: ['etl'], same: ['json'] }],
  logs: [
    { argv: ['etl', '--stderr'], same: ['text'] },
    { argv: ['etl:f1', '--stderr', '-n', '1'], same: ['text'] }
  ],
  watch: [{ argv: ['--json'] }],
  queues: [{ argv: [], same: ['json'] }],
  workers: [{ argv: [], code: 1, same: ['text', 'json'] }],
  diff: [{ argv: ['etl:f1', 'etl:f2'], same: ['json'] }],
  open: [{ argv: ['etl', '--port', 'PORT'], same: ['text', 'json'] }],
  explain: [
    { argv: ['etl', '-r', 'f1'], same: ['text', 'json'] },
    { argv: ['etl', '-r', 'f1', '--step', 'check'], same: ['text', 'json'] },
    { argv: ['etl', '--definition'], same: ['text', 'json'] },
    { argv: ['nobody'], code: 1 }
  ],
  inspect: [
    { argv: ['etl', '-r', 'f1'], same: ['text', 'json'] },
    { argv: ['etl', '-r', 'f1', '--format', 'mermaid'], same: ['text'] },
    { argv: [], same: ['text', 'json'] },
    { argv: ['--machine', 'node'], same: ['text', 'json'] },
    { argv: ['--machine', 'node', '--format', 'mermaid'], same: ['text'] },
    { argv: ['--machine', 'node', '--format', 'stately'], same: ['text'] },
    { argv: ['--machine', 'nod'], code: 1, same: ['text'] }
  ],
  events: [
    { argv: ['etl', '-r', 'f1'], same: ['text', 'json'] },
    { argv: ['etl', '-r', 'f1', '--after', '3', '--follow'], same: ['text', 'json'] },
    { argv: ['etl', '-r', 'none'], code: 1, same: ['text'] }
  ],
  at: [{ argv: ['etl:f1', '--event', '9'], same: ['text', 'json'] }],
  sequence: [{ argv: ['f1'], same: ['text', 'json'] }],
  decisions: [
    { argv: ['etl'], same: ['text', 'json'] },
    { argv: ['--limit', '3'], same: ['text', 'json'] }
  ],
  dry: [
    { argv: ['etl', '--', 'N=2'], same: ['text'] },
    { argv: ['etl', '-N', 'other'], same: ['text'] },
    { argv: ['wrong'], code: 1 }
  ],
  edit: [{ argv: ['etl'] }],
  versions: [
    { argv: ['etl'], same: ['text', 'json'] },
    { argv: ['etl', '--diff', '1'], same: ['text', 'json'] },
    { argv: ['etl', '--show', '1'], same: ['text', 'json'] },
    { argv: ['etl', '--restore', '1'] },
    { argv: ['nobody'], code: 1, same: ['text', 'json'] }
  ],
  suspend: [{ argv: ['etl'], same: ['text'] }],
  resume: [{ argv: ['etl'], same: ['text'] }],
  rename: [{ argv: ['gone', 'GONE'] }],
  delete: [{ argv: ['GONE', '--yes'] }],
  'set-status': [{ argv: ['etl:f1', 'check', 'succeeded'], same: ['text'] }],
  validate: [{ argv: ['etl'] }, { argv: ['wrong'], code: 1 }],
  worker: [
    { argv: ['drain', 'w1'], code: 1, same: ['text', 'json'] },
    { argv: ['enroll', 'ID'] },
    { argv: ['enroll', 'ID'], code: 1 },
    { argv: ['revoke', 'ID'] },
    { argv: ['revoke', 'nobody'], code: 1, same: ['text', 'json'] }
  ],
  keys: [{ argv: [], same: ['text', 'json'] }],
  key: [
    { argv: ['create', 'ID', '--role', 'viewer'] },
    { argv: ['create', 'ID', '--role', 'viewer'], code: 1 },
    { argv: ['revoke', 'ID'] },
    { argv: ['revoke', 'nobody'], code: 1, same: ['text', 'json'] }
  ],
  deliveries: [{ argv: [], same: ['text', 'json'] }],
  audit: [{ argv: ['verify'] }],
  config: [{ argv: [] }],
  backup: [{ argv: ['DIR'] }, { argv: ['DIR'], code: 1 }],
  doctor: [{ argv: [], code: 3, same: ['text', 'json'] }],
  completion: [
    { argv: ['bash'], same: ['text'] },
    { argv: ['names'], same: ['text'] },
    { argv: ['runs'], same: ['text'] }
  ],
  version: [{ argv: [], same: ['text', 'json'] }]
}

describe('every command, on a home and on a server elsewhere', function () {
  this.timeout(180_000)
  const folder = temporaryFolder()
  const dags = temporaryFolder()
  const nowhere = temporaryFolder()
  const copies = temporaryFolder()
  let server: RunningServer
  const places = () => ({
    home: { ENGINE_HOME: folder, ENGINE_DAGS_DIR: dags },
    elsewhere: { ENGINE_HOME: nowhere, ENGINE_AUTH_TOKEN: 'sesame' }
  })
  type Place = keyof ReturnType<typeof places>

  before(async () => {
    const definitions = { etl: ETL, long: LONG, once: ONCE, asks: ASKS, paid: PAID, wrong: WRONG }
    for (const [name, text] of Object.entries(definitions)) writeFileSync(join(dags, `${name}.yaml`), text)
    const environment = { ENGINE_AUTH_TOKEN: 'sesame', ENGINE_TZ: 'UTC', ENGINE_DAGS_DIR: dags }
    server = await runningServer(environment, { folder })
    await called('home', ['start', 'etl', '-r', 'f1', '-q'])
    await called('home', ['start', 'etl', '-r', 'f2', '-q', '--', 'N=2'])
  })
  after(async () => {
    await called('home', ['stop', 'long', '-q'])
    await server.end()
  })

  async function called(place: Place, argv: readonly string[]) {
    const end = argv.indexOf('--')
    const [words, params] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)]
    const where = place === 'home' ? [] : ['--url', server.address]
    const { port } = new URL(server.address)
    const known = { PORT: port, GONE: `gone-${place}`, ID: `l-${place}`, ID2: `q-${place}`, DIR: join(copies, place) }
    const given = [...words, ...where, ...params].map((word) =>
      Object.entries(known).reduce((text, [name, value]) => text.replace(new RegExp(`\\b${name}$`), value), word)
    )
    const environment = { ENGINE_TZ: 'UTC', EDITOR: 'true', ...places()[place] }
    return command(place === 'home' ? folder : nowhere, environment, ...given)
  }
  /** What a call of a command needs beforehand. */
  const NEEDS: Partial<Record<string, (place: Place) => Promise<unknown>>> = {
    dequeue: (place) => called(place, ['enqueue', 'long', '-r', 'ID2']),
    async restart(place) {
      const file = join(folder, `once-${place}`)
      await called(place, ['enqueue', 'once', '-r', 'ID', '--', `FILE=${file}`])
      await eventually('it is at work', () => existsSync(file) || undefined)
    },
    rename: async () => writeFileSync(join(dags, 'gone.yaml'), LONG),
    signal: (place) => waiting(place, 'paid'),
    approve: (place) => waiting(place, 'asks')
  }
  async function waiting(place: Place, name: string) {
    await called(place, ['enqueue', name])
    await eventually('it waits', async () => (await called(place, ['waiting', name])).out.includes(name) || undefined)
  }

  it('one that works in both places is called in both here, the others say what helps', () => {
    for (const { name, elsewhere } of commands) {
      if (elsewhere === true) expect(CALLS, name).to.have.property(name)
      else expect(elsewhere, name).to.match(/--url/)
    }
    const names = commands.filter(({ elsewhere }) => elsewhere === true).map(({ name }) => name)
    expect(Object.keys(CALLS).sort()).to.deep.equal(names.sort())
  })
  for (const [name, calls] of Object.entries(CALLS)) {
    it(`troupe ${name}`, async () => {
      for (const { argv, code = 0, same = [] } of calls)
        for (const form of ofAll([same.at(-1) ?? 'text'], ['text', 'json'] as const)) {
          // What acts is called once in each place, and a format of its own is no JSON.
          if (form === 'json' && (!same.includes('json') || argv.includes('--format'))) continue
          const found: Partial<Record<Place, Awaited<ReturnType<typeof called>>>> = {}
          for (const place of ['home', 'elsewhere'] as const) {
            await NEEDS[name]?.(place)
            const end = argv.indexOf('--')
            const flags = form === 'json' && !argv.includes('--json') ? ['--json'] : []
            const words = end < 0 ? [...argv, ...flags] : [...argv.slice(0, end), ...flags, ...argv.slice(end)]
            const { home: _home, ...one } = { home: '', ...(await called(place, [name, ...words])) }
            expect(one.code, `${place}: ${name} ${words.join(' ')}\n${one.out}${one.err}`).to.equal(code)
            expect(one.err, place).not.to.contain('with --url')
            found[place] = one
          }
          if (same.includes(form)) {
            expect(found.elsewhere?.out, argv.join(' ')).to.equal(found.home?.out)
            expect(found.elsewhere?.err, argv.join(' ')).to.equal(found.home?.err)
          }
        }
    })
  }
  it('the others are refused by name, with a sentence that helps', async () => {
    for (const { name, example, elsewhere } of commands) {
      if (elsewhere === true) continue
      const [, , ...argv] = example.replace(/ > \S+$/, '').split(' ')
      const { code, err } = await called('elsewhere', [name, ...argv])
      expect({ code, err }, name).to.deep.equal({ code: 1, err: `Error: ${name}: ${elsewhere}\n` })
    }
    const { code, err } = await called('elsewhere', ['worker'])
    expect(code).to.equal(1)
    expect(err).to.match(/^Error: worker: .*--url\n$/)
  })
})
