/** What is read to find out what a run waits for. Source: docs/http-api.md "Waiting steps". */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord, Step } from '../../machines/vocabulary.ts'
import { awaitedBy } from '../../src/store/awaited.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { type NodeKey, openStore, type Store } from '../../src/store/open.ts'
import { nodeOf, planOf, stepOf } from '../support/engine/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

const approval = (name: string): Step => stepOf(name, { wait: { kind: 'approval' }, timeoutMs: 60_000 })

describe('store › what a run waits for', () => {
  let store: Store
  let reads: string[]
  /** Of which each read of a node is noted. */
  let counted: Store
  const run = (plan: string, more: Partial<RunRecord> = {}): RunRecord => ({
    name: 'etl',
    dagRunId: plan,
    status: 'running',
    attempt: 1,
    createdAt: 1,
    params: [],
    log: '/l',
    nodeLogs: '/l/1',
    plan,
    ...more
  })
  before(async () => {
    store = openStore(join(temporaryFolder(), 'data'))
    const changes = noChanges()
    const steps = [stepOf('a'), approval('b'), stepOf('c')]
    changes.plans.set('plain', { plan: planOf('etl', { steps: [stepOf('a')] }), spec: '' })
    changes.plans.set('asks', { plan: planOf('etl', { steps }), spec: '' })
    for (const [place, { name }] of steps.entries())
      changes.nodes.set(name, {
        key: ['etl', 'asks', place],
        value: {
          record: nodeOf(name, { status: 'running' }),
          open: {
            value: name === 'b' ? 'awaiting' : { attempting: 'executing' },
            context: { dueAt: 7_000 },
            children: {}
          }
        }
      })
    for (const plan of ['plain', 'asks']) changes.runs.set(plan, { value: { record: run(plan), seq: 1 } })
    await commit(store, [changes])
    await store.root.flushed
    const nodes = Object.create(store.nodes)
    nodes.get = (key: NodeKey) => {
      reads.push(String(key[2]))
      return store.nodes.get(key)
    }
    counted = { ...store, nodes }
  })
  beforeEach(() => {
    reads = []
  })
  after(() => store.root.close())

  it('a person, whatever else is at work, and the limit of the wait', () => {
    expect(awaitedBy(counted, run('asks'))).to.deep.equal({ for: 'approval', until: 7_000 })
  })
  it('the cost of a list does not grow with its history: only nodes that can wait are read, and only those of running runs', () => {
    awaitedBy(counted, run('asks'))
    expect(reads).to.deep.equal(['1'])
    for (const other of [run('asks', { status: 'succeeded' }), run('plain'), run('unknown plan')])
      expect(awaitedBy(counted, other)).to.equal(undefined)
    expect(reads).to.deep.equal(['1'])
  })
})
