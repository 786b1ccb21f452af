/** No command changes a home without its entry, with a server and without one, in a step too: by the table of commands. Source: docs/operating/audit.md "What is entered". */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Entry } from '../../../src/audit/entry.ts'
import { auditPart } from '../../../src/audit/read.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { called as command } from '../../support/cli/called.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

interface Call {
  argv: string[]
  /** Absent: it only looks. */
  operation?: string
  /** What the column `about` of `troupe audit` says. */
  about?: string
  /** In this step of a run. */
  inStep?: true
  /** Exit code; default 0. */
  code?: number
  /** A server owns the home: it is refused, or has nothing to do. */
  only?: 'alone' | 'served'
  /** Before it. */
  prepare?: () => unknown
}

/** Commands that serve until a signal ends them, that only talk to a terminal, or that know nothing of a home. */
const OTHERS: Readonly<Record<string, string>> = {
  'start-all': 'its start and end are entered: see below',
  server: 'another name of start-all',
  scheduler: 'its start and end are entered, as those of start-all',
  coordinator: 'a message bus: it keeps nothing but its own address and certificates',
  watch: 'its keys stop and retry by the same client as these commands',
  open: 'a page in a browser',
  schema: 'no home',
  completion: 'no home',
  version: 'no home',
  test: 'no home: engines in memory'
}

const TEXT = 'steps: [{name: say, command: echo hi}]\n'
const ASKS = 'steps: [{name: ask, executor: approval}, {name: paid, executor: signal}]\n'
const CONFIG = 'audit: {enabled: true}\nauth: {token: {value: sesame}}\n'
const STEP = { name: 'etl', dagRunId: 'r7', stepName: 'load' }
const IN_STEP = { DAG_NAME: STEP.name, DAG_RUN_ID: STEP.dagRunId, DAG_RUN_STEP_NAME: STEP.stepName }

const isFor = ({ operation, only = operation === undefined ? 'alone' : undefined }: Call, place: string) =>
  only === undefined || only === place

describe('audit › commands', function () {
  this.timeout(180_000)
  const folder = temporaryFolder()
  const copies = temporaryFolder()
  const crontab = join(copies, 'crontab')
  const ONCE = `restartWaitSec: 1\nsteps: ['test -e ${copies}/once || { touch ${copies}/once; sleep 60; }']\n`
  const dagu = join(copies, 'dagu')
  let round = ''
  let server: RunningServer | undefined

  before(() => {
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'config.yaml'), CONFIG, { mode: 0o600 })
    for (const [name, text] of Object.entries({ etl: TEXT, asks: ASKS, once: ONCE })) writeDag(name, text)
    mkdirSync(join(dagu, 'dags'), { recursive: true })
  })
  after(() => server?.end())
  const dagFile = (name: string) => join(folder, 'dags', `${name}.yaml`)
  const writeDag = (name: string, text: string) => writeFileSync(dagFile(name), text)

  async function called(argv: readonly string[], environment: Record<string, string> = {}) {
    const own = { ENGINE_HOME: folder, EDITOR: 'true', ...environment }
    if (server) return command(folder, own, ...argv)
    const { code, written } = program(folder, own, ...argv) // an engine of its own, which has read nothing before
    return { code: await code, ...written }
  }
  const log = async (): Promise<Entry[]> =>
    (await auditPart(join(folder, 'audit'), { filter: {}, limit: 1_000 })).entries
  const waits = () =>
    eventually('both steps wait', async () => JSON.parse((await called(['waiting', '--json'])).out).steps?.length === 2)

  /** What a home is, apart from its log and what only a process that runs has. */
  function state(path = folder): string {
    const digest = createHash('sha256')
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (/^audit$|\.sock$|lock|^bus$/.test(entry.name)) continue
      const below = join(path, entry.name)
      digest.update(`${entry.name} ${entry.isDirectory() ? state(below) : ''}`)
      if (entry.isFile()) digest.update(readFileSync(below))
    }
    return digest.digest('hex')
  }

  /** Calls of each command that is not among the others; `N` stands for the round. */
  const CALLS: Record<string, Call[]> = {
    start: [{ argv: ['etl', '-r', 'sN', '--output', 'none'], operation: 'startDag', about: 'etl sN' }],
    enqueue: [{ argv: ['etl', '-r', 'qN'], operation: 'enqueueDag', about: 'etl qN' }],
    dequeue: [
      {
        argv: ['--dag-run', 'etl:qN'],
        operation: 'dequeueRun',
        about: 'etl qN',
        only: 'alone'
      }
    ],
    retry: [{ argv: ['etl', '-r', 'sN', '--output', 'none'], operation: 'retryRun', about: 'etl sN' }],
    restart: [
      {
        prepare: async () => {
          await called(['enqueue', 'once', '-r', `o${round}`])
          await eventually('it is at work', () => existsSync(join(copies, 'once')) || undefined)
        },
        argv: ['once', '--output', 'none'],
        operation: 'startDag',
        about: 'once',
        only: 'served'
      }
    ],
    stop: [{ argv: ['etl'], operation: 'stopAllRuns', about: 'etl' }],
    waiting: [{ argv: [] }],
    signal: [
      {
        prepare: async () => {
          await called(['enqueue', 'asks', '-r', 'aN'.replace('N', round)])
          await waits()
        },
        argv: ['asks', 'paid', '3'],
        operation: 'signalStep',
        about: 'asks aN paid',
        only: 'served'
      }
    ],
    approve: [{ argv: ['asks', 'ask'], operation: 'signalStep', about: 'asks aN ask', only: 'served' }],
    list: [{ argv: [] }],
    runs: [{ argv: [] }],
    status: [{ argv: ['etl'] }],
    logs: [{ argv: ['etl'] }],
    queues: [{ argv: [] }],
    workers: [{ argv: [], code: 1 }],
    diff: [{ argv: ['etl:sN'], code: 1 }],
    explain: [{ argv: ['etl'] }],
    inspect: [{ argv: ['etl'] }],
    events: [{ argv: ['etl'] }],
    at: [{ argv: ['etl', '--event', '3'] }],
    sequence: [{ argv: ['etl'] }],
    decisions: [{ argv: [] }],
    dry: [{ argv: ['etl'] }],
    validate: [{ argv: ['etl'] }],
    config: [{ argv: [] }],
    audit: [{ argv: [] }, { argv: ['verify'] }],
    edit: [
      {
        argv: ['etl'],
        // An editor that adds a line.
        prepare: () => writeFileSync(join(copies, 'editor'), '#!/bin/sh\necho "# $RANDOM" >> "$1"\n', { mode: 0o700 }),
        operation: 'replaceDagSpec',
        about: 'etl'
      }
    ],
    suspend: [{ argv: ['etl'], operation: 'suspendDag', about: 'etl' }],
    resume: [{ argv: ['etl'], operation: 'suspendDag', about: 'etl' }],
    rename: [
      {
        prepare: () => writeDag(`old-${round}`, TEXT),
        argv: ['old-N', 'new-N'],
        operation: 'renameDag',
        about: 'old-N'
      }
    ],
    delete: [{ argv: ['new-N', '--yes'], operation: 'deleteDag', about: 'new-N' }],
    'set-status': [{ argv: ['etl:sN', 'say', 'succeeded'], operation: 'setStepStatus', about: 'etl sN say' }],
    versions: [
      { argv: ['etl'] },
      {
        argv: ['etl', '--restore', '1'],
        prepare: () => writeDag('etl', `# ${round}\n${TEXT}`),
        operation: 'replaceDagSpec',
        about: 'etl'
      }
    ],
    worker: [
      { argv: ['enroll', 'wN'], operation: 'enrollWorker', about: 'wN' },
      { argv: ['revoke', 'wN'], operation: 'revokeWorker', about: 'wN' },
      { argv: ['drain', 'wN'], code: 1 }
    ],
    keys: [{ argv: [] }],
    key: [
      { argv: ['create', 'kN', '--role', 'admin'], operation: 'createKey', about: 'kN' },
      { argv: ['revoke', 'kN'], operation: 'revokeKey', about: 'kN' }
    ],
    deliveries: [
      { argv: [] },
      { argv: ['remove', 'shop'], operation: 'removeDeliveries', about: 'shop', code: 1, only: 'served' },
      { argv: ['retry', 'shop'], operation: 'retryDeliveries', about: 'shop', code: 1, only: 'served' }
    ],
    backup: [{ argv: [join(copies, 'copyN')], operation: 'backUpHome', about: join(copies, 'copyN') }],
    import: [
      {
        prepare: () => writeFileSync(crontab, `5 4 * * * /usr/bin/tidy-${round} all\n`),
        argv: ['crontab', crontab],
        operation: 'importCrontab',
        about: 'tidy-N'
      },
      {
        prepare: () => writeFileSync(join(dagu, 'dags', `old-${round}.yaml`), 'steps:\n  - command: echo old\n'),
        argv: ['dagu', '--home', dagu, '--only', 'definitions'],
        operation: 'importDagu',
        about: 'old-N',
        only: 'alone'
      }
    ],
    doctor: [
      { argv: [] },
      {
        argv: ['--fix'],
        prepare: () => chmodSync(join(folder, 'data'), 0o777),
        operation: 'fixHome',
        about: folder,
        only: 'alone'
      }
    ],
    restore: [
      {
        argv: ['--replace', join(copies, 'copyN')],
        operation: 'restoreHome',
        about: join(copies, 'copyN'),
        only: 'alone'
      }
    ]
  }

  it('each command is called here, or among the others', () => {
    const names = commands.map(({ name }) => name)
    expect(Object.keys({ ...CALLS, ...OTHERS }).sort()).to.deep.equal(names.sort())
  })

  for (const place of ['alone', 'served'] as const)
    describe(place === 'alone' ? 'where no engine runs' : 'where a server runs', () => {
      before(async () => {
        round = place === 'alone' ? '1' : '2'
        if (place === 'served') server = await runningServer({}, { folder })
      })
      // What only looks is called where nothing else changes a home meanwhile.
      const looking = Object.entries(CALLS).filter(([, [call]]) => call?.operation === undefined)
      const looked = new Set(oneIn(4, looking).map(([name]) => name))
      for (const [name, calls] of Object.entries(CALLS))
        for (const { argv, operation, about, code = 0, prepare } of calls.filter(
          (call) => isFor(call, place) && (call.operation !== undefined || looked.has(name))
        ))
          it(`troupe ${name} ${argv.join(' ').replaceAll(copies, '')}`, async () => {
            await prepare?.()
            const editor = name === 'edit' ? { EDITOR: join(copies, 'editor') } : {}
            const [was, before] = [state(), await log()]
            const words = argv.map((word) => word.replace(/(?<=^|[-:a-z])N$/, round))
            const answer = await called([name, ...words], editor)
            expect(answer.code, `${answer.out}${answer.err}`).to.equal(code)
            const [first] = await log()
            const isEntered = first !== undefined && first.seq > (before[0]?.seq ?? 0)
            if (operation === undefined) {
              expect(isEntered || state() === was, 'nothing has changed').to.equal(true)
              return
            }
            expect(isEntered, 'it is entered').to.equal(true)
            expect(first).to.deep.include({ operation, door: 'cli', outcome: code === 0 ? 'done' : 'not_found' })
            expect(first?.principal.kind).to.equal('owner')
            const target = Object.values(first?.target ?? {})
            for (const word of (about ?? '').replace(/(?<=^|[-:a-z])N(?= |$)/g, round).split(' '))
              expect(target).to.include(word)
          })

      it('what a command in a step does is entered with that step, and keys are refused there', async () => {
        expect((await called(['enqueue', 'etl', '-r', `in-step-${round}`], IN_STEP)).code).to.equal(0)
        expect((await log())[0]).to.deep.include({ operation: 'enqueueDag', step: STEP })
        for (const argv of [
          ['key', 'create', 'own', '--role', 'admin'],
          ['key', 'revoke', 'own'],
          ['worker', 'enroll', 'own'],
          ['worker', 'revoke', 'own']
        ]) {
          const { code, out, err } = await called(argv, IN_STEP)
          expect([code, out], argv.join(' ')).to.deep.equal([1, ''])
          expect(err).to.match(
            new RegExp(`^Error: ${argv[0]} ${argv[1]}: .*steps may not make or revoke keys.*steps\\.mayGiveKeys`)
          )
        }
        expect(existsSync(join(folder, 'own'))).to.equal(false)
      })
    })

  describe('afterwards', () => {
    it('a server enters its start and its end', async () => {
      await server?.end()
      const byEngine = (await log()).filter(({ door }) => door === 'engine').map(({ operation }) => operation)
      expect(byEngine).to.deep.equal(['serverStopped', 'serverStarted'])
      // The column `about`.
      expect((await called(['audit', '--operation', 'createKey'])).out).to.match(/ createKey +k2 +done/)
    })
    it('steps.mayGiveKeys allows it, and it is entered with the step', async () => {
      rmSync(join(folder, 'data', 'troupe.sock'), { force: true })
      const allowed = { ...IN_STEP, ENGINE_STEPS_MAY_GIVE_KEYS: 'true' }
      expect((await called(['key', 'create', 'own', '--role', 'admin'], allowed)).code).to.equal(0)
      expect((await log())[0]).to.deep.include({ operation: 'createKey', target: { keyName: 'own' }, step: STEP })
    })
  })
})
