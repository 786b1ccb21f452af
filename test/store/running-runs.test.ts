/** Which runs are running, however many wait. Source: execution-semantics 11.10, reliability P18. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { latestRunning, runningRuns } from '../../src/store/find-runs.ts'
import { openStore } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › running runs', () => {
  const record = (dagRunId: string, createdAt: number, status: RunStatus, name = 'n'): RunRecord => ({
    name,
    dagRunId,
    status,
    attempt: 1,
    createdAt,
    params: [],
    log: '/l',
    nodeLogs: '/l/1',
    plan: 'p'
  })

  it('are found newest first, and no record of a run that waits is read', async () => {
    const store = openStore(join(temporaryFolder(), 'data'))
    const waiting = Array.from({ length: 500 }, (_, index) => record(`q${index}`, index, 'queued'))
    const running = [record('a', 7, 'running'), record('b', 9, 'running'), record('c', 8, 'running', 'other')]
    const changes = noChanges()
    for (const one of [...waiting, ...running]) changes.runs.set(one.dagRunId, { value: { record: one, seq: 1 } })
    await commit(store, [changes])
    await store.root.flushed
    let reads = 0
    const { get } = store.runs
    store.runs.get = ((...given: Parameters<typeof get>) => {
      reads++
      return get.apply(store.runs, given)
    }) as typeof get
    expect(Object.fromEntries(runningRuns(store))).to.deep.equal({
      n: ['b', 'a'].map((dagRunId) => ({ name: 'n', dagRunId })),
      other: [{ name: 'other', dagRunId: 'c' }]
    })
    expect(reads).to.equal(0)
    expect(latestRunning(store, 'n')?.dagRunId).to.equal('b')
    expect(latestRunning(store, 'absent')).to.equal(undefined)
    expect(reads).to.equal(1)
    await store.root.close()
  })
})
