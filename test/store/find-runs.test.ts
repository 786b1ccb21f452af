/** Which runs a filter finds, in one go and in parts. Source: http-api "Runs (global)", api-semantics 3.6. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunRecord } from '../../machines/vocabulary.ts'
import { noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { findRuns, findRunsPart } from '../../src/store/find-runs.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import type { RunFilter, RunPlace } from '../../src/store/parts.ts'
import { planOf } from '../support/engine/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('store › finding runs', () => {
  let store: Store
  const record = (dagRunId: string, createdAt: number, more: Partial<RunRecord> = {}): RunRecord => ({
    name: 'etl',
    dagRunId,
    status: 'succeeded',
    attempt: 1,
    createdAt,
    params: [],
    log: '/l',
    nodeLogs: '/l/1',
    plan: 'plain',
    ...more
  })
  const runs = [
    record('nightly', 5, { trigger: { type: 'schedule', slot: 60_000 }, plan: 'tagged' }),
    record('by-ci', 4, { trigger: { type: 'api', by: 'the token CI' }, params: [{ name: 'ENV', value: 'Prod' }] }),
    record('by-hand', 4, { trigger: { type: 'cli', by: 'ops', again: 'retry' }, status: 'failed' }),
    record('embedded', 4, { trigger: { type: 'host' }, name: 'other', plan: 'tagged' }),
    record('old', 1, { params: [{ name: 'ENV', value: 'test' }] })
  ]
  const idsOf = (found: readonly RunRecord[]) => found.map(({ dagRunId }) => dagRunId)

  before(async () => {
    store = openStore(join(temporaryFolder(), 'data'))
    const changes = noChanges()
    for (const one of runs) changes.runs.set(`${one.name}/${one.dagRunId}`, { value: { record: one, seq: 1 } })
    changes.plans.set('plain', { plan: planOf('etl'), spec: '' })
    changes.plans.set('tagged', { plan: planOf('etl', { tags: ['nightly', 'big'] }), spec: '' })
    await commit(store, [changes])
    await store.root.flushed
  })
  after(() => store.root.close())

  const cases: [title: string, filter: RunFilter, ids: string[]][] = [
    ['trigger: any of those given', { trigger: ['schedule', 'host'] }, ['nightly', 'embedded']],
    ['who asked: part of the name, case-insensitive', { byContains: 'ci' }, ['by-ci']],
    ['params: part of NAME=value, case-insensitive', { paramContains: 'env=p' }, ['by-ci']],
    ['tags: all of those given, as the definition was then', { tags: ['big', 'nightly'] }, ['nightly', 'embedded']],
    ['tags of which one is missing', { tags: ['big', 'small'] }, []],
    ['no filter: newest first, equal times by run id', {}, ['nightly', 'by-ci', 'by-hand', 'embedded', 'old']],
    ['the name as a whole', { name: 'etl' }, ['nightly', 'by-ci', 'by-hand', 'old']],
    ['a part of the name is not the name', { name: 'et' }, []],
    ['part of the name, case-insensitive', { nameContains: 'THE' }, ['embedded']],
    ['part of the run id', { idContains: 'by-' }, ['by-ci', 'by-hand']],
    ['status: any of those given', { status: ['failed', 'running'] }, ['by-hand']],
    ['created from an instant on, and before another', { from: 4, to: 5 }, ['by-ci', 'by-hand', 'embedded']],
    ['from after to', { from: 5, to: 4 }, []],
    ['several together', { trigger: ['cli'], byContains: 'op', status: ['failed'], name: 'etl' }, ['by-hand']]
  ]
  for (const [title, filter, ids] of cases)
    it(title, () => {
      expect(idsOf(findRuns(store, filter))).to.deep.equal(ids)
    })

  it('in parts of any size: each once, in the order of the whole, also those of one millisecond', () => {
    const whole = idsOf(findRuns(store, {}))
    for (const size of [1, 2, 3, 5]) {
      const found: string[] = []
      let after: RunPlace | undefined
      do {
        const part = findRunsPart(store, {}, after, (count) => count === size)
        expect(part.runs.length).to.be.at.most(size)
        found.push(...idsOf(part.runs))
        after = part.next
      } while (after)
      expect(found, `${size}`).to.deep.equal(whole)
    }
  })

  it('a part ends when enough runs were looked at, though none matched', () => {
    let seen = 0
    const part = findRunsPart(store, { byContains: 'nobody' }, undefined, () => ++seen === 2)
    expect(part).to.deep.equal({ runs: [], next: { name: 'etl', dagRunId: 'by-ci', createdAt: 4 } })
  })
})
