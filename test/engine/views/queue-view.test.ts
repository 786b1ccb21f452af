/** Long queues as shown to readers. Source: api-semantics 6.1. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../../src/clock.ts'
import { queuesInParts, queuesOf } from '../../../src/engine/views/queue-view.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { commit } from '../../../src/store/commit.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('queues, read in batches', () => {
  const queues = { enabled: true, config: [{ name: 'batch', maxConcurrency: 2 }] }
  const record = (name: string, n: number, status: RunStatus): RunRecord => ({
    name,
    dagRunId: `r-${n}`,
    status,
    attempt: 1,
    createdAt: 1_000 + Math.floor(n / 3),
    params: [],
    log: '',
    nodeLogs: '',
    plan: 'none',
    queue: name === 'b' ? 'batch' : name,
    ...(status === 'queued' ? { order: 5_000 - n } : { startedAt: n })
  })
  const put = (store: Store, records: RunRecord[], indexed?: RunStatus) => {
    const changes = noChanges()
    for (const each of records)
      changes.runs.set(`${each.name}/${each.dagRunId}`, {
        value: { record: each, seq: 1 },
        ...(indexed ? { indexed } : {})
      })
    return commit(store, [changes])
  }
  const waiting = Array.from({ length: 1_203 }, (_, n) => record(n % 2 ? 'a' : 'b', n, 'queued'))
  let store: Store
  before(async () => {
    store = openStore(join(temporaryFolder(), 'data'))
    await put(store, [...waiting, record('a', 2_000, 'running'), record('c', 2_001, 'succeeded')])
    await store.root.flushed
  })
  after(() => store.root.close())

  it('the same as when all are read at once: every run that runs or waits, in order', async () => {
    const found = await queuesInParts(store, queues, systemClock)
    expect(found).to.deep.equal(queuesOf(store, queues, systemClock.now()))
    expect(found.map(({ name, running, queued }) => [name, running.length, queued.length])).to.deep.equal([
      ['batch', 0, 602],
      ['a', 1, 601]
    ])
    expect(found[1]?.queued[0]?.dagRunId).to.equal('r-1201')
  })

  it('does not block the event loop; a run that is started meanwhile is shown once, as running', async () => {
    let transactions = 0
    const asked = queuesInParts(store, queues, {
      ...systemClock,
      soon: (next) => {
        transactions++
        if (transactions > 1) return systemClock.soon(next)
        // r-1 was read with the first batch.
        void put(store, [record('a', 1, 'running')], 'queued')
          .then(() => store.root.flushed)
          .then(() => systemClock.soon(next))
      }
    })
    const all = (await asked).flatMap(({ running, queued }) => [...running, ...queued])
    expect(transactions).to.equal(2)
    expect(all).to.have.length(1_204)
    expect(
      all.filter(({ name, dagRunId }) => name === 'a' && dagRunId === 'r-1').map(({ status }) => status)
    ).to.deep.equal(['running'])
  })
})
