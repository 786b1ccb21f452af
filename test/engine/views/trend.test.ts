/** Whether runs have become slower than last week. Source: http-api "Definitions". */
import { expect } from 'chai'
import type { RunStatus } from '../../../machines/vocabulary.ts'
import { trendsOf } from '../../../src/engine/views/trend.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-29T12:00:00Z')

/** An engine at a fixed time; `records` is what its feed has. */
function scene() {
  const engine = fakeEngine({}, {})
  const records: { name: string; step?: string; status?: 'succeeded' }[] = []
  let [looked, id, now] = [0, 0, NOW]
  const trends = trendsOf({
    runsPart: (filter, after, isEnough) =>
      engine.runsPart(filter, after, (found) => {
        looked++
        return isEnough(found)
      }),
    fed: () => records.length,
    feed: (after, limit) => {
      const part = records.slice(after, after + limit)
      return {
        records: part.map(({ name, ...rest }, at) => ({
          number: after + at + 1,
          record: { run: { name, dagRunId: 'x' }, seq: 1, at: 0, actor: '', event: '', from: '', to: '', ...rest }
        })),
        end: after + part.length,
        missed: 0
      }
    },
    now: () => now
  })
  return {
    records,
    add(name: string, days: number, seconds: readonly number[], status: RunStatus = 'succeeded') {
      for (const took of seconds) {
        const createdAt = NOW - days * DAY - ++id
        engine.addRun({
          name,
          dagRunId: `${id}`,
          status,
          createdAt,
          startedAt: createdAt,
          finishedAt: createdAt + took * 1_000
        })
      }
    },
    async trend(name: string) {
      await trends.refresh(() => undefined)
      return trends.of(name)
    },
    looked: () => looked,
    pass(ms: number) {
      now += ms
    }
  }
}

describe('trend: the median of the last seven days beside that of the seven before', () => {
  it('of successful runs, with their numbers', async () => {
    const { add, trend } = scene()
    add('slow', 1, [200, 220, 240, 210, 900])
    add('slow', 1, [5_000, 5_000, 5_000], 'failed')
    add('slow', 8, [100, 130, 120, 110, 140, 150])
    add('slow', 15, [1, 1, 1, 1, 1])
    expect(await trend('slow')).to.deep.equal({
      thisWeek: { runs: 5, p50Ms: 220_000 },
      lastWeek: { runs: 6, p50Ms: 120_000 },
      percent: 83
    })
    expect(await trend('missing')).to.equal(undefined)
  })

  it('only when both weeks have at least five', async () => {
    const { add, trend } = scene()
    add('few', 1, [1, 2, 3, 4, 5])
    add('few', 8, [1, 2, 3, 4])
    expect(await trend('few')).to.equal(undefined)
  })

  it('however many runs there are, it looks at the newest of each week, and at few', async () => {
    const { add, trend, looked } = scene()
    const many = Array.from({ length: 300 }, () => 2)
    add('often', 1, many)
    add('often', 8, many)
    expect(await trend('often')).to.deep.equal({
      thisWeek: { runs: 25, p50Ms: 2_000 },
      lastWeek: { runs: 25, p50Ms: 2_000 },
      percent: 0
    })
    expect(looked()).to.be.below(60)
  })

  it('is kept until the journal tells of a run of the DAG, or a day is over', async () => {
    const { add, trend, looked, records, pass } = scene()
    add('kept', 1, [2, 2, 2, 2, 2])
    add('kept', 8, [1, 1, 1, 1, 1])
    const again = async () => {
      const before = looked()
      await trend('kept')
      return looked() > before
    }
    expect(await again(), 'first').to.equal(true)
    expect(await again(), 'again').to.equal(false)
    records.push(
      { name: 'other', status: 'succeeded' },
      { name: 'kept', step: 'a', status: 'succeeded' },
      { name: 'kept' }
    )
    expect(await again(), 'another DAG, a step and an attempt').to.equal(false)
    records.push({ name: 'kept', status: 'succeeded' })
    expect(await again(), 'a run of it').to.equal(true)
    pass(DAY)
    expect(await again(), 'a day later').to.equal(true)
    for (let at = 0; at < 51; at++) records.push({ name: 'other' })
    expect(await again(), 'more has happened than is worth reading').to.equal(true)
  })

  it('percent: by how much longer than last week; less than a second is no change', async () => {
    const { add, trend } = scene()
    const five = (seconds: number) => Array.from({ length: 5 }, () => seconds)
    for (const [name, now, before] of [
      ['blink', 0.15, 0.02],
      ['slower', 30, 20],
      ['faster', 10, 20]
    ] as const) {
      add(name, 1, five(now))
      add(name, 8, five(before))
    }
    expect((await trend('blink'))?.percent).to.equal(0)
    expect((await trend('slower'))?.percent).to.equal(50)
    expect((await trend('faster'))?.percent).to.equal(-50)
  })
})
