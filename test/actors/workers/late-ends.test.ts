/** Which execution a worker speaks of that nobody waits for. Source: distribution 1 (D6, D12). */
import { expect } from 'chai'
import type { NodeRecord } from '../../../machines/vocabulary.ts'
import type { LateEndOf } from '../../../src/actors/root/late-end.ts'
import { lateEnds } from '../../../src/actors/workers/tasks/late-ends.ts'
import { runOnBus, taskOnBus } from '../../../src/actors/workers/tasks/task-ids.ts'
import type { TaskEvent } from '../../../src/bus/tasks.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'

const HOME = 'a'.repeat(16)
const KEY = { name: 'dag', dagRunId: 'r1' }

describe('workers › ends that come late', () => {
  let store: Store
  let notes: LateEndOf[]
  let noting: Promise<void>
  beforeEach(async () => {
    store = openStore(temporaryFolder())
    notes = []
    noting = Promise.resolve()
    const placement = { home: HOME, id: 'wa', lease: 7 }
    const record = {
      ...KEY,
      status: 'failed' as const,
      attempt: 2,
      createdAt: 0,
      params: [],
      log: '',
      nodeLogs: '',
      placement
    }
    const handlers = { exit: step('onExit') }
    await store.plans.put('hash', { plan: plan([step('a'), step('b/c')], { handlers }), spec: '' })
    await store.runs.put(['dag', 'r1'], { record: { ...record, plan: 'hash' }, seq: 9 })
    const node = (name: string, given: Partial<NodeRecord>) => ({
      record: { step: name, status: 'failed' as const, retryCount: 0, doneCount: 1, ...given }
    })
    const late = { endedAt: 1, heardAt: 2 }
    await store.nodes.put(['dag', 'r1', 0], node('a', { givenUp: [{ attempt: 1, worker: 'wa', home: HOME, late }] }))
    const givenUp = [1, 3].map((attempt) => ({ attempt, worker: 'wa', home: HOME }))
    await store.nodes.put(['dag', 'r1', 1], node('b/c', { givenUp }))
    await store.nodes.put(['dag', 'r1', 'onExit'], node('onExit', { givenUp: givenUp.slice(0, 1) }))
  })
  afterEach(() => store.root.close())

  const heard = () =>
    lateEnds({
      store,
      clock: { now: () => 10_000 },
      transactions: { take: (work) => work(), whenShown: (effect) => effect() },
      note(found) {
        notes.push(found)
        return noting
      }
    })
  function event(name: string, place: number | 'onExit', attempt: number, given: Partial<TaskEvent> = {}): TaskEvent {
    return {
      task: taskOnBus(runOnBus(KEY, 2), 'step', attempt, place),
      lease: 7,
      engine: 'e',
      session: 's',
      what: 'ended',
      agoMs: 400,
      out: 0,
      err: 0,
      outFrom: 0,
      errFrom: 0,
      name: `run/dag/r1/node/${name}`,
      result: '{"exitCode":3,"error":"exit status 3","notes":[]}',
      ...given
    }
  }

  it('D6 an execution that was given up is noted with its end, a handler, too', async () => {
    await heard()(HOME, event('b/c', 1, 3))
    await heard()(HOME, event('onExit', 'onExit', 1, { result: 'what is this?' }))
    expect(notes.map(({ step: { name }, ...note }) => ({ ...note, name }))).to.deep.equal([
      {
        key: KEY,
        place: 1,
        name: 'b/c',
        attempt: 3,
        late: { endedAt: 9_600, heardAt: 10_000, exitCode: 3, error: 'exit status 3' }
      },
      { key: KEY, place: 'onExit', name: 'onExit', attempt: 1, late: { endedAt: 9_600, heardAt: 10_000 } }
    ])
  })
  it('one that was not given up, was noted before, or is of another attempt of its run is nothing to note', async () => {
    const late = heard()
    await late(HOME, event('b/c', 1, 2))
    await late(HOME, event('a', 0, 1))
    await late(HOME, event('b/c', 1, 1, { task: taskOnBus(runOnBus(KEY, 1), 'step', 1, 1) }))
    await late(HOME, event('nobody', 5, 1))
    await late(HOME, { ...event('b/c', 1, 1), name: 'run/other/r1/node/b/c' })
    const { name: _, ...ofEarlierRelease } = event('b/c', 1, 1)
    await late(HOME, ofEarlierRelease)
    expect(notes).to.deep.equal([])
  })
  it('D12 a worker speaks of its own executions only', async () => {
    await heard()('b'.repeat(16), event('b/c', 1, 1))
    expect(notes).to.deep.equal([])
  })
  it('what is said again while it is being written down is noted once; what cannot be written down is said again', async () => {
    const late = heard()
    noting = Promise.reject(new Error('not now'))
    const both = await Promise.allSettled([late(HOME, event('b/c', 1, 1)), late(HOME, event('b/c', 1, 1))])
    expect([both.map(({ status }) => status), notes.length]).to.deep.equal([['rejected', 'rejected'], 1])
    noting = Promise.resolve()
    await late(HOME, event('b/c', 1, 1))
    expect(notes).to.have.length(2)
  })
})
