/** How many runs of a period have which status, counted by the indexes. Source: http-api "Calendar". */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { countsIn, statusesPart } from '../../src/store/count-runs.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import type { RunPlace } from '../../src/store/parts.ts'
import { planOf } from '../support/engine/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › counting runs', () => {
  let store: Store
  const record = (dagRunId: string, createdAt: number, status: RunStatus, name = 'etl'): RunRecord => ({
    name,
    dagRunId,
    status,
    attempt: 1,
    createdAt,
    params: [],
    log: '/l',
    nodeLogs: '/l/1',
    plan: 'plain'
  })
  const runs = [
    record('a', 10, 'succeeded'),
    record('b', 10, 'failed'),
    record('c', 10, 'succeeded', 'other'),
    record('d', 15, 'running'),
    record('e', 20, 'canceled'),
    record('f', 20, 'queued', 'other')
  ]
  before(async () => {
    store = openStore(join(temporaryFolder(), 'data'))
    const changes = noChanges()
    for (const one of runs) changes.runs.set(`${one.name}/${one.dagRunId}`, { value: { record: one, seq: 1 } })
    changes.plans.set('plain', { plan: planOf('etl'), spec: '' })
    await commit(store, [changes])
    await store.root.flushed
  })
  after(() => store.root.close())

  it('of all DAGs: the beginning of the period counts, its end does not', () => {
    expect(countsIn(store, 10, 20)).to.deep.equal({ succeeded: 2, failed: 1, running: 1 })
    expect(countsIn(store, 20, 21)).to.deep.equal({ canceled: 1, queued: 1 })
    expect(countsIn(store, 21, 100)).to.deep.equal({})
  })

  it('one by one, in parts of any size: each once, newest first, with its status', () => {
    for (const name of [undefined, 'etl', 'other', 'missing'])
      for (const [from, to] of [
        [0, 100],
        [10, 20],
        [11, 20]
      ] as const)
        for (const most of [1, 2, 10]) {
          const found: string[] = []
          for (let before: RunPlace | undefined; ; ) {
            const part = statusesPart(store, { ...(name && { name }), from, to }, before, most)
            found.push(...part.map(({ dagRunId, status }) => `${dagRunId} ${status}`))
            before = part.at(-1)
            if (part.length < most) break
          }
          const wanted = runs
            .filter((run) => (name ?? run.name) === run.name && run.createdAt >= from && run.createdAt < to)
            .map(({ dagRunId, status }) => `${dagRunId} ${status}`)
          expect(found, `${name} ${from} ${to} ${most}`).to.have.members(wanted)
        }
  })
})
