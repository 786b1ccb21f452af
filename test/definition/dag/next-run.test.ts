/** When schedules fire. Source: execution-semantics 11.1-11.5, 11.18. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { latestRuns, nextRun, nextRunsIn } from '../../../src/definition/dag/next-run.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

describe('next run of a schedule', () => {
  const ZONE = 'Europe/Berlin'
  /** The next `count` instants after an instant. */
  const firing = (expressions: string[], after: string, count: number, zone = ZONE) => {
    const found: string[] = []
    for (let at = Date.parse(after); found.length < count; ) {
      const next = nextRun(expressions, at, zone)
      if (next === undefined) break
      found.push(new Date(next).toISOString().slice(0, 16))
      at = next
    }
    return found
  }

  it('a date that never comes is no other, and is not looked for', async () => {
    const from = Date.parse('2026-01-01T00:00Z')
    const never = [
      '0 0 30 2 *',
      '0 0 31 2,4,6,9,11 *',
      '0 0 31 2-6/2 *',
      '0 0 30,31 feb *',
      '0 0 31 9/2 *',
      '0 0 30-31 2-2 *'
    ]
    const nextOf = (all: string[]) =>
      all.flatMap((expression) =>
        Array.from({ length: 24 }, (_, hour) => nextRun([expression.replace('0 0', `0 ${hour}`)], from, 'UTC'))
      )
    expect(new Set(nextOf(never))).to.deep.equal(new Set([undefined]))
    // The package takes 8 ms for each date that never comes, and next to nothing for the others.
    const all = [Array(never.length).fill('0 0 1 1 *'), never]
    expect(await growth((which) => nextOf(all[which] ?? []), 0, 1)).to.be.below(LINEAR)
    for (const expression of [
      '0 0 29 2 *',
      '0 0 30 2 1',
      '0 0 31 */2 *',
      '0 0 5,30 2 *',
      '0 0 */30 2 *',
      '0 0 30 2-3 *',
      '0 0 31 1-12/4 *'
    ])
      expect(nextRun([expression], from, 'UTC'), expression).to.be.a('number')
  })

  it('11.2 day-of-month and day-of-week both restricted: a day matching either fires', () => {
    expect(firing(['0 12 13 * fri'], '2026-01-01T12:00Z', 4, 'UTC')).to.deep.equal([
      '2026-01-02T12:00',
      '2026-01-09T12:00',
      '2026-01-13T12:00',
      '2026-01-16T12:00'
    ])
  })

  it('11.3 time zone: CRON_TZ= or TZ= before the fields; else the given one', () => {
    expect(firing(['0 3 * * *'], '2026-01-01T00:00Z', 1)).to.deep.equal(['2026-01-01T02:00'])
    for (const prefix of ['CRON_TZ=Asia/Tokyo ', 'TZ=Asia/Tokyo '])
      expect(firing([`${prefix}0 3 * * *`], '2026-01-01T00:00Z', 1)).to.deep.equal(['2026-01-01T18:00'])
  })

  it('11.4 several expressions: the earliest', () => {
    expect(firing(['0 5 * * *', '0 4 * * *'], '2026-01-01T00:00Z', 2, 'UTC')).to.deep.equal([
      '2026-01-01T04:00',
      '2026-01-01T05:00'
    ])
  })

  it('11.5 a time skipped by DST does not fire', () => {
    expect(firing(['30 2 * * *'], '2026-03-28T00:00Z', 2)).to.deep.equal(['2026-03-28T01:30', '2026-03-30T00:30'])
    expect(firing(['*/30 * * * *'], '2026-03-29T00:15Z', 3)).to.deep.equal([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30'
    ])
  })

  it('11.5 a repeated local time fires at its first occurrence for fixed hours', () => {
    expect(firing(['*/30 2 * * *'], '2026-10-24T12:00Z', 3)).to.deep.equal([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-26T01:00'
    ])
  })

  it('11.5 at both for * hours', () => {
    expect(firing(['30 * * * *'], '2026-10-24T23:45Z', 3)).to.deep.equal([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30'
    ])
  })

  it('11.5 clock changes of half an hour', () => {
    const found = firing(['45 1 * * *'], '2026-04-03T00:00Z', 3, 'Australia/Lord_Howe')
    expect(found).to.deep.equal(['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15'])
  })

  it('what never comes, and what is no expression, has no next run', () => {
    expect(nextRun(['0 0 30 2 *'], 0, 'UTC')).to.equal(undefined)
    expect(nextRun(['nonsense'], 0, 'UTC')).to.equal(undefined)
    expect(nextRun([], 0, 'UTC')).to.equal(undefined)
  })

  it('remembered or not, the answer is the same', () => {
    const remembering = nextRunsIn(() => ZONE)
    const expressions = ['*/7 3,15 * * 1-5', '0 0 1 * *']
    let at = Date.UTC(2026, 2, 27)
    for (let count = 0; count < 300; count++) {
      expect(remembering(expressions, at)).to.equal(nextRun(expressions, at, ZONE))
      at += (count % 5) * 3_599_999 - (count % 11 === 0 ? 7_200_000 : 0)
    }
  })

  it('however many schedules differ, their readings take less than 32 MiB', () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const used = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = used()
    for (let count = 0; count < 1_000; count++) nextRun([`${count % 60} ${Math.floor(count / 60)} 7 7 *`], 0, ZONE)
    expect(used() - before).to.be.below(32 * 2 ** 20)
  })
})

describe('the latest runs of a schedule', () => {
  const HOUR = 3_600_000
  const ZONE = 'Europe/Berlin'
  const before = Date.parse('2026-10-26T12:00Z')

  it('are those after one instant and before another, oldest first, the latest of them when there are too many', () => {
    for (const expressions of [['*/7 * * * *'], ['*/30 2 * * *'], ['0 5 * * *', '10 5 * * 1'], ['0 0 1 1 *'], []])
      for (const hours of [0, 1, 7, 60]) {
        const after = before - hours * HOUR
        const all: number[] = []
        for (let at = nextRun(expressions, after, ZONE); at && at < before; at = nextRun(expressions, at, ZONE))
          all.push(at)
        for (const most of [1, 3, 100]) {
          const found = latestRuns(expressions, { after, before, most }, ZONE)
          expect(found, `${expressions} ${hours} ${most}`).to.deep.equal(all.slice(-most))
        }
      }
  })
  it('ten years of every minute take no longer than a day of it', async () => {
    const latest = (hours: number) =>
      expect(latestRuns(['* * * * *'], { after: before - hours * HOUR, before, most: 100 }, ZONE)).to.have.length(100)
    expect(await growth(latest, 24, 87_600)).to.be.below(LINEAR)
  })
})
