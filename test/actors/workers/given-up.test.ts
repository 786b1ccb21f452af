/** Which executions a worker is told to end when it is back. Source: distribution 1 (D13). */
import { expect } from 'chai'
import type { NodeRecord, RunRecord } from '../../../machines/vocabulary.ts'
import { givenUpOf } from '../../../src/actors/workers/tasks/given-up.ts'
import { runOnBus, taskOnBus } from '../../../src/actors/workers/tasks/task-ids.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'

const [HOME, OTHER] = ['a'.repeat(16), 'b'.repeat(16)]
const KEY = { name: 'dag', dagRunId: 'r1' }

describe('workers › executions that were given up', () => {
  it('are those of open runs on that worker of which no end was heard, of handlers, too', async () => {
    const store = openStore(temporaryFolder())
    const record: RunRecord = {
      ...KEY,
      status: 'running',
      attempt: 2,
      createdAt: 0,
      params: [],
      log: '',
      nodeLogs: '',
      plan: 'hash',
      placement: { home: HOME, id: 'wa', lease: 7 }
    }
    const node = (given: Partial<NodeRecord>) => ({
      record: { step: 'a', status: 'failed' as const, retryCount: 0, doneCount: 1, ...given }
    })
    const given = (attempt: number, home = HOME) => ({ attempt, worker: 'w', home })
    const late = { endedAt: 1, heardAt: 2 }
    await store.nodes.put(['dag', 'r1', 0], node({ givenUp: [{ ...given(1), late }, given(2), given(3, OTHER)] }))
    await store.nodes.put(['dag', 'r1', 1], node({}))
    await store.nodes.put(['dag', 'r1', 'onExit'], node({ givenUp: [given(1)] }))
    const task = (attempt: number, place: number | 'onExit') => taskOnBus(runOnBus(KEY, 2), 'step', attempt, place)
    expect(givenUpOf(store, [record])).to.have.deep.members([
      { home: HOME, task: task(2, 0), lease: 7 },
      { home: HOME, task: task(1, 'onExit'), lease: 7 }
    ])
    expect(givenUpOf(store, [{ ...KEY, status: 'running', attempt: 2 } as RunRecord])).to.deep.equal([])
    await store.root.close()
  })
})
