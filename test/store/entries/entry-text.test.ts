/** How runs and nodes are stored. Source: architecture 1, 5 ("stored data carries a version"). */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { commit } from '../../../src/store/commit.ts'
import { readRun, UNREADABLE } from '../../../src/store/damage/damaged.ts'
import { everyNodeOf, nodesOf } from '../../../src/store/history.ts'
import { type NodeKey, openStore, type Store } from '../../../src/store/open.ts'
import type { StoredNode, StoredRun } from '../../../src/store/stored.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('store › runs and nodes', () => {
  const key = { name: 'etl', dagRunId: 'r1' }
  const record: RunRecord = {
    ...key,
    status: 'running',
    attempt: 1,
    createdAt: 1_767_225_610_000,
    params: [{ name: 'P', value: 'ä "quoted" \u2028\n' }],
    log: '/l/run.log',
    nodeLogs: '/l/1',
    plan: 'hash'
  }
  const run: StoredRun = {
    record,
    seq: 4,
    open: { value: { concluding: 'exiting' }, context: { key, at: 1, only: 0 }, children: {} }
  }
  const node: StoredNode = { record: { step: 's', status: 'failed', retryCount: 1, doneCount: 0, error: '\u0000' } }
  let store: Store

  beforeEach(() => {
    store = openStore(join(temporaryFolder(), 'data'))
  })
  afterEach(() => store.root.close())

  it('are read as they were written', async () => {
    const changes = noChanges()
    changes.runs.set('run/etl/r1', { value: run })
    const asked = { only: [2, 0], fresh: true as const, priority: -5, notBefore: 1_767_225_610_000 }
    const waiting: StoredRun = { record: { ...record, dagRunId: 'r2', status: 'queued', ...asked }, seq: 0 }
    changes.runs.set('run/etl/r2', { value: waiting })
    changes.nodes.set('run/etl/r1/0', { key: ['etl', 'r1', 0], value: node })
    await commit(store, [changes])
    expect(readRun(store, key)).to.deep.equal(run)
    expect(readRun(store, { name: 'etl', dagRunId: 'r2' })).to.deep.equal(waiting)
    expect(nodesOf(store, key)).to.deep.equal(new Map([[0, node]]))
  })

  it('of releases before, as MessagePack, are read as they are', async () => {
    await store.root.openDB<StoredRun, [string, string]>({ name: 'runs' }).put(['etl', 'r1'], run)
    await store.root.openDB<StoredNode, NodeKey>({ name: 'nodes' }).put(['etl', 'r1', 'onExit'], node)
    expect(readRun(store, key)).to.deep.equal(run)
    expect(everyNodeOf(store, key)).to.deep.equal(new Map([['onExit', node]]))
  })

  it('P7 bytes that are none are an unreadable run and an unreadable node', async () => {
    const runs = store.root.openDB<Buffer, [string, string]>({ name: 'runs', encoding: 'binary' })
    const nodes = store.root.openDB<Buffer, NodeKey>({ name: 'nodes', encoding: 'binary' })
    const texts = [JSON.stringify(run).slice(0, 40), '{', '7', '\0\0\0', 'null', '"x"']
    for (const bytes of texts.map((text) => Buffer.from(text))) {
      await runs.put(['etl', 'r1'], bytes)
      expect(readRun(store, key)?.record, bytes.toString()).to.include({ status: 'failed', error: UNREADABLE })
      await nodes.put(['etl', 'r1', 0], bytes)
      expect(nodesOf(store, key).get(0)?.record, bytes.toString()).to.include({ status: 'failed', error: UNREADABLE })
    }
    await runs.put(['etl', 'r1'], Buffer.from('{}'))
    expect(readRun(store, key)?.record).to.include({ error: UNREADABLE })
    await nodes.put(['etl', 'r1', 0], Buffer.from('{"record":'))
    expect(() => everyNodeOf(store, key)).to.throw()
  })

  it('P7 what is JSON but has a member that is none of its kind is an unreadable run and an unreadable node', async () => {
    const runs = store.root.openDB<Buffer, [string, string]>({ name: 'runs', encoding: 'binary' })
    const nodes = store.root.openDB<Buffer, NodeKey>({ name: 'nodes', encoding: 'binary' })
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
    const wrongRuns: [string, unknown][] = [
      ['status', 'weird'],
      ['createdAt', 'x'],
      ['startedAt', 8.64e15 + 1],
      ['finishedAt', ['x']],
      ['params', 7],
      ['params', [{ name: 'P' }]],
      ['log', {}],
      ['plan', null],
      ['caller', { root: key, parent: 'x' }],
      ['retryOf', []],
      ['conditions', [null]],
      ['error', 7]
    ]
    for (const [member, value] of wrongRuns) {
      await runs.put(['etl', 'r1'], bytes({ ...run, record: { ...record, [member]: value } }))
      expect(readRun(store, key)?.record, member).to.include({ status: 'failed', error: UNREADABLE })
    }
    for (const open of [7, [], { ...run.open, children: { a: null } }, { ...run.open, context: 'x' }, { value: 1 }]) {
      await runs.put(['etl', 'r1'], bytes({ ...run, open }))
      expect(readRun(store, key)?.record, JSON.stringify(open)).to.include({ error: UNREADABLE })
    }
    const wrongNodes: [string, unknown][] = [
      ['status', 'queued'],
      ['startedAt', {}],
      ['retryCount', '1'],
      ['doneCount', -1],
      ['stdout', [{}]],
      ['outputMarks', [7]]
    ]
    for (const [member, value] of wrongNodes) {
      await nodes.put(['etl', 'r1', 0], bytes({ record: { ...node.record, [member]: value } }))
      expect(nodesOf(store, key).get(0)?.record, member).to.include({ status: 'failed', error: UNREADABLE })
      expect(() => everyNodeOf(store, key)).to.throw(`record.${member} is damaged`)
    }
  })
})
