/** A damaged record stops the one run that it belongs to, and its processes, never the engine. Source: reliability P7, F10-F13. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { damagedIn, UNREADABLE } from '../../../src/store/damage/damaged.ts'
import type { OpenState, StoredNode } from '../../../src/store/stored.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { GARBAGE, overwrite } from '../../support/store/damaged-records.ts'
import { damage, diagnosis } from '../../support/store/lived-in-home.ts'
import { eventually } from '../../support/waiting.ts'

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
  it('a run that waits, and whose plan cannot be read, fails when it is dispatched: those who wait for it are notified, and its queue continues', async () => {
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

  for (const [what, table, key] of [
    ['the entry of an open run', 'runs', ['held', 'r1']],
    ['the entry of a node of an open run', 'nodes', ['held', 'r1', 1]],
    ['the plan of an open run', 'plans', []]
  ] as const)
    it(`${what} cannot be read: the engine fails it with the reason, executes nothing of it again, and ends its processes`, async () => {
      const home = temporaryFolder()
      await killedAfter(home, waiting(home), 2)
      await createEngine({ home }).then((engine) => engine.close()) // everything pending is in the store
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
    [', nor its log folder', ['logs']]
  ] as const)
    it(`a run that cannot continue because its secret is no longer readable${how}: the engine fails it, its nodes say so, and their processes end`, async () => {
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
      const found = (await diagnosis(home)).messages.filter(
        (message) => !/^note|run\.log is gone|the logs of its steps in \S+ are gone/.test(message)
      )
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
      'refers to an execution of another run',
      ({ record }, open) => ({
        record,
        open: {
          ...open,
          children: { attempt: { src: 'attempt', input: { run: { name: [], dagRunId: 'r1' }, place: 1, attempt: 1 } } }
        }
      })
    ]
  ]
  for (const [what, changed] of oneIn(2, lacking))
    it(`an open run with a node whose entry ${what} fails as well, and its process ends`, async () => {
      const home = temporaryFolder()
      await killedAfter(home, waiting(home), 2)
      await createEngine({ home }).then((engine) => engine.close()) // everything pending is in the store
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
})
