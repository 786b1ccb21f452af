/** A damaged record stops one run, never the engine; it stays listed, and the doctor names it. Source: reliability P7, F10-F13. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Key } from 'lmdb'
import { createEngine } from '../../../src/index.ts'
import { damagedIn, UNREADABLE } from '../../../src/store/damage/damaged.ts'
import type { Store } from '../../../src/store/open.ts'
import type { OpenState, StoredNode } from '../../../src/store/stored.ts'
import { served } from '../../api/client.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { copyOf, damage, diagnosis, livedInHome } from '../../support/store/lived-in-home.ts'
import { eventually } from '../../support/waiting.ts'

const GARBAGE = Buffer.from([0xd9, 200, 1, 2])
const overwrite = ({ root }: Store, table: string, key: (string | number)[]) =>
  root.openDB<Buffer, (string | number)[]>({ name: table, encoding: 'binary' }).put(key, GARBAGE)
const waiting = (home: string) => `
name: held
steps:
  - command: echo one >>${home}/marks
  - command: 'echo two >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'
  - command: echo three >>${home}/marks
`

/** Whether the second step is at work: it has the home on its command line. */
const isWaiting = (home: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`echo two >>${home}`)
    } catch {
      return false // it has gone meanwhile
    }
  })

describe('damaged records', () => {
  it('a finished run that cannot be read is listed as failed, every other one is as it was, and new ones run', async () => {
    const home = copyOf(await livedInHome())
    await damage(home, (store) => overwrite(store, 'runs', ['flaky', 'f1']))
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      const listed = engine.runs().map(({ dagRunId, status }) => `${dagRunId} ${status}`)
      expect(listed).to.include.members(['f1 failed', 'o1 succeeded', 'l1 canceled'])
      expect(engine.run({ name: 'flaky', dagRunId: 'f1' })?.run.error).to.equal(UNREADABLE)
      const key = await engine.start({ spec: 'name: other\nsteps: [{command: echo hi}]', dagRunId: 'n1' })
      expect((await engine.result(key)).run.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('a finished run one member of which is of no kind that it may have stops no list, and what is known of it is shown', async () => {
    const home = copyOf(await livedInHome())
    await damage(home, async ({ root, runs }) => {
      const stored = runs.get(['flaky', 'f1'])
      const text = JSON.stringify({ ...stored, record: { ...stored?.record, startedAt: 'x' } })
      const bytes = root.openDB<Buffer, string[]>({ name: 'runs', encoding: 'binary' })
      await bytes.put(['flaky', 'f1'], Buffer.from(text))
    })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    const server = await served(engine)
    try {
      const { json } = await server.call('GET', '/dag-runs')
      expect(json.dagRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)).to.include.members(['f1', 'o1', 'l1'])
      for (const look of ['', '/actors', '/explain', '/journal', '/statechart', '/sequence'])
        expect((await server.call('GET', `/dag-runs/flaky/f1${look}`)).status, look).to.equal(200)
    } finally {
      await server.close()
      await engine.close()
    }
    expect((await diagnosis(home)).messages.join('\n')).to.match(/\["flaky","f1"\] of table runs .*record\.startedAt/)
  })

  it('a step that cannot be read is set aside by the doctor, its bytes are kept; then it can be given a status by hand', async () => {
    const home = copyOf(await livedInHome())
    await damage(home, (store) => overwrite(store, 'nodes', ['flaky', 'f1', 0]))
    await diagnosis(home, { fix: true })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    const root = { name: 'flaky', dagRunId: 'f1' }
    try {
      expect(engine.run(root)?.nodes[0]?.node).to.include({ status: 'failed', error: UNREADABLE })
      await engine.setNodeStatus({ root, step: 'good' }, 'succeeded')
      expect(engine.run(root)?.nodes[0]?.node).to.include({ status: 'succeeded' })
    } finally {
      await engine.close()
    }
    await damage(home, (store) =>
      expect(Buffer.from(damagedIn(store).get(['nodes', 'flaky', 'f1', 0]) ?? '')).to.deep.equal(GARBAGE)
    )
  })

  it('what is kept beside runs and is none of its kind keeps no engine from opening, and the doctor names each', async () => {
    const home = copyOf(await livedInHome())
    const keys: [table: string, key: (string | number)[]][] = [
      ['moves', ['old']],
      ['restarts', ['flaky', 'f1']],
      ['decisions', [1]],
      ['slots', ['new']],
      ['leftovers', ['gone', 'g1', 5]],
      ['subs', ['flaky', 'f1', 'x']]
    ]
    for (const bytes of [GARBAGE, Buffer.from([0xc0]), Buffer.from([0x80]), Buffer.from([7])]) {
      await damage(home, async ({ root }) => {
        for (const [name, key] of keys)
          await root.openDB<Buffer, Key>({ name, encoding: 'binary' }).put(key.length > 1 ? key : (key[0] ?? 0), bytes)
      })
      const { messages } = await diagnosis(home)
      for (const [table] of keys)
        expect(
          messages.filter((it) => it.includes(`of table ${table} cannot`)),
          table
        ).to.have.length(1)
      const engine = await createEngine({ home, defaultShell: 'sh', schedules: true })
      const server = await served(engine)
      try {
        const looks = [
          '/services/scheduler/decisions',
          '/dags/new/decisions',
          '/dags/new/explain',
          '/dag-runs/flaky/f1/sub-dag-runs'
        ]
        for (const look of looks) expect((await server.call('GET', look)).status, look).to.equal(200)
        const key = await engine.start({ spec: 'name: other\nsteps: [{command: echo hi}]' })
        expect((await engine.result(key)).run.status).to.equal('succeeded')
      } finally {
        await server.close()
        await engine.close()
      }
    }
    const { messages } = await diagnosis(home, { fix: true })
    expect(messages.filter((message) => message.startsWith('error'))).to.deep.equal([])
  })

  it('a run that cannot be read stays where it is when the history gets another name; the others go along', async () => {
    const home = copyOf(await livedInHome())
    const again = await createEngine({ home, defaultShell: 'sh' })
    await again.result(await again.start({ fileName: 'new', dagRunId: 'b2' }))
    await again.close()
    await damage(home, (store) => overwrite(store, 'journal', ['new', 'b1', 2]))
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      await engine.renameDefinition('new', 'newer')
      const listed = engine
        .runs()
        .flatMap(({ name, dagRunId }) => (name.startsWith('new') ? [`${name} ${dagRunId}`] : []))
      expect(listed).to.have.members(['new b1', 'newer b2'])
    } finally {
      await engine.close()
    }
  })

  it('a run that waits, and whose plan cannot be read, fails when its turn comes: who waits for it is told, and its queue goes on', async () => {
    const home = temporaryFolder()
    const holding = await createEngine({ home, defaultShell: 'sh', holdQueues: true })
    const first = await holding.enqueue({ spec: 'name: kept\nsteps: ["true"]' })
    const { plan } = holding.record(first) ?? {}
    await holding.close()
    await damage(home, (store) => overwrite(store, 'plans', [String(plan)]))
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      const { run } = await engine.result(first)
      expect([run.status, run.error]).to.deep.equal([
        'failed',
        `${UNREADABLE}: the plan of the queued run is not readable`
      ])
      const next = await engine.start({ spec: 'name: kept\nsteps: [echo next]' })
      expect((await engine.result(next)).run.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('plans that are a bare value keep no engine from opening: runs are listed, new ones run, a plan that comes again is mended', async () => {
    const home = copyOf(await livedInHome())
    const same = { spec: 'name: same\nsteps: [{command: echo hi}]' }
    const before = await createEngine({ home, defaultShell: 'sh' })
    const old = await before.start({ ...same, dagRunId: 's1' })
    await before.result(old)
    await before.close()
    await damage(home, async ({ root, plans }) => {
      const bytes = root.openDB<Buffer, string>({ name: 'plans', encoding: 'binary' })
      for (const hash of [...plans.getKeys()]) await bytes.put(String(hash), Buffer.from([7]))
    })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      expect(engine.runs().map(({ dagRunId }) => dagRunId)).to.include.members(['f1', 'o1', 'l1'])
      expect(engine.run(old)?.errors).to.deep.equal([`${UNREADABLE}: the text it was started with`])
      const key = await engine.start({ ...same, dagRunId: 'n1' })
      expect((await engine.result(key)).run.status).to.equal('succeeded')
      expect(engine.run(old)?.nodes.map(({ step }) => step.name)).to.deep.equal(['cmd_1'])
    } finally {
      await engine.close()
    }
  })

  for (const [what, table, key] of [
    ['the entry of an open run', 'runs', ['held', 'r1']],
    ['the entry of a node of an open run', 'nodes', ['held', 'r1', 1]],
    ['the plan of an open run', 'plans', []]
  ] as const)
    it(`${what} cannot be read: it is parked as failed with the reason, nothing of it is executed again, every process of it is dead`, async () => {
      const home = temporaryFolder()
      await killedAfter(home, waiting(home), 2)
      await createEngine({ home }).then((engine) => engine.close()) // what was on its way is in the store
      await damage(home, async (store) => {
        const keys = table === 'plans' ? [...store.plans.getKeys()].map((hash) => [String(hash)]) : [[...key]]
        for (const each of keys) await overwrite(store, table, each)
      })
      const engine = await createEngine({ home, defaultShell: 'sh' })
      try {
        const run = engine.record({ name: 'held', dagRunId: 'r1' })
        expect(run).to.include({ status: 'failed' })
        expect(run?.error).to.match(/^state unreadable: /)
        expect(engine.runs({ status: ['failed'] }).map(({ dagRunId }) => dagRunId)).to.deep.equal(['r1'])
        expect(marksIn(home)).to.deep.equal(['one', 'two'])
        await eventually('the end of its process', () => (isWaiting(home) ? undefined : true))
        const other = await engine.start({ spec: 'name: other\nsteps: [{command: echo hi}]', dagRunId: 'n1' })
        expect((await engine.result(other)).run.status).to.equal('succeeded')
      } finally {
        writeFileSync(join(home, 'go'), '')
        await engine.close()
      }
      if (table === 'runs')
        await damage(home, (store) => {
          expect(Buffer.from(damagedIn(store).get(['runs', 'held', 'r1']) ?? '')).to.deep.equal(GARBAGE)
        })
      const { messages } = await diagnosis(home)
      expect(messages.filter((message) => message.includes('indexes'))).to.deep.equal([])
    })

  for (const [how, removed] of [
    ['', []],
    [', its log folder neither', ['logs']]
  ] as const)
    it(`a run that cannot go on, as its secret cannot be read any more${how}: it is parked, its nodes say so, what they had at work ends`, async () => {
      const home = temporaryFolder()
      const secret = join(home, 'secret')
      writeFileSync(secret, 'hush')
      const spec = `secrets: [{name: TOKEN, provider: file, key: ${secret}}]\n${waiting(home).trimStart()}`
      await killedAfter(home, spec.replace('echo two', 'echo $$ >${home}/pid; echo two').replace('${home}', home), 2)
      const pid = Number(readFileSync(join(home, 'pid'), 'utf8'))
      rmSync(secret)
      for (const folder of removed) rmSync(join(home, folder), { recursive: true })
      const engine = await createEngine({ home, defaultShell: 'sh' })
      try {
        const { run, nodes } = await engine.result({ name: 'held', dagRunId: 'r1' })
        expect(run).to.include({ status: 'failed' })
        expect(run.error).to.match(/^state unreadable: .*secret/)
        expect(nodes.map(({ node }) => [node?.status, node?.error])).to.deep.equal([
          ['succeeded', undefined],
          ['failed', 'interrupted: the run was given up'],
          ['not_started', undefined]
        ])
        await eventually('the end of its process', () => !existsSync(`/proc/${pid}`) || undefined)
        expect(marksIn(home)).to.deep.equal(['one', 'two'])
      } finally {
        writeFileSync(join(home, 'go'), '')
        await engine.close()
      }
      const found = (await diagnosis(home)).messages.filter((message) => !/^note|run\.log is gone/.test(message))
      expect(found).to.deep.equal([])
    })

  const lacking: [what: string, changed: (node: StoredNode, open: OpenState) => unknown][] = [
    ['lacks most of it', () => ({ record: {}, open: {} })],
    ['says that it runs, and not how it goes on', ({ record }) => ({ record })],
    [
      'is that of another place',
      ({ record }, open) => ({ record, open: { ...open, context: { ...open.context, place: 7 } } })
    ],
    [
      'tells of an execution of another run',
      ({ record }, open) => ({
        record,
        open: {
          ...open,
          children: { attempt: { src: 'attempt', input: { run: { name: [], dagRunId: 'r1' }, place: 1, attempt: 1 } } }
        }
      })
    ]
  ]
  for (const [what, changed] of lacking)
    it(`an open run with a node whose entry ${what} is parked, too, and its process ends`, async () => {
      const home = temporaryFolder()
      await killedAfter(home, waiting(home), 2)
      await createEngine({ home }).then((engine) => engine.close()) // what was on its way is in the store
      await damage(home, ({ nodes }) => {
        const node = nodes.get(['held', 'r1', 1])
        if (!node?.open) throw new Error('the node is not open')
        return nodes.put(['held', 'r1', 1], changed(node, node.open) as never)
      })
      const engine = await createEngine({ home, defaultShell: 'sh' })
      try {
        expect(engine.record({ name: 'held', dagRunId: 'r1' })).to.include({ status: 'failed' })
        await eventually('the end of its process', () => (isWaiting(home) ? undefined : true))
        const other = await engine.start({ spec: 'name: other\nsteps: [{command: echo hi}]', dagRunId: 'n1' })
        expect((await engine.result(other)).run.status).to.equal('succeeded')
      } finally {
        writeFileSync(join(home, 'go'), '')
        await engine.close()
      }
    })

  it('a store whose file has been cut off is refused with a message, not with the end of the process', async () => {
    const home = copyOf(await livedInHome())
    truncateSync(join(home, 'data', 'troupe.mdb'), 40_960)
    const refusal = await createEngine({ home }).then(
      () => 'opened',
      (error: Error) => error.message
    )
    expect(refusal).to.match(
      /found one that has been cut off: \d+ bytes are missing at its end; nothing has been changed: restore a backup/
    )
    const { messages } = await diagnosis(home)
    expect(messages.join()).to.contain(
      'error store: wanted a store in <home>/data/troupe.mdb, found one that has been cut off'
    )
  })
})
