/** A month of schedules, with a clock change and an outage; and what 10,000 definitions cost. Source: execution-semantics 11.5, 11.13. */
import { join } from 'node:path'
import { expect } from 'chai'
import { openTimetable, type Scheduled } from '../../../src/actors/schedule/timetable.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { type AheadFile, memoryAhead } from '../../../src/testing/memory/memory-ahead.ts'
import { emptyDisk, memoryStore } from '../../../src/testing/memory/memory-store.ts'
import { openMoments } from '../../../src/testing/moments.ts'
import { HOMES, openQuickFiles } from '../../sim/quick-files.ts'
import { ofAll } from '../../support/long.ts'
import { MINUTE, scheduled, schedules, utc } from '../../support/simulated/schedules.ts'
import { type SimulatedClock, simulatedClock } from '../../support/simulated/simulated-clock.ts'
import type { Script } from '../../support/simulated/simulation.ts'

const HOUR = 60 * MINUTE
/** Both the outage and the change of clocks are in the part. */
const FROM = utc(ofAll('2026-03-26T00:00:30', '2026-03-10T00:00:30'))
const OUT = utc(ofAll('2026-03-27T01:00:30', '2026-03-20T01:00:30'))
const BACK = OUT + 6 * HOUR
const TO = utc(ofAll('2026-03-31T00:00:30', '2026-04-09T00:00:30'))
const DAYS = Math.round((TO - FROM) / (24 * HOUR))

const files = () => {
  const all = schedules('Europe/Berlin')
  const text = (expression: string) => `schedule: "${expression}"\nsteps:\n  - name: s\n    command: x\n`
  all.put('gap', text('30 2 * * *')) // left out on 29 March
  all.put('zone', text('CRON_TZ=UTC 0 4 * * *'))
  for (let n = 0; n < 18; n++) all.put(`d${n}`, text(`${n * 3} ${n} * * *`))
  return all
}

async function month() {
  const home = join(HOMES, 'month')
  const all = files()
  const disk = emptyDisk()
  const file: AheadFile = { entries: [], cleared: [] }
  const stored = (clock: SimulatedClock) => {
    const moments = openMoments(clock)
    return { store: memoryStore(disk, moments), ahead: memoryAhead(file, disk, moments, () => {}) }
  }
  const quick: Script = () => ({ ms: 50, exitCode: 0 })
  const quickFiles = openQuickFiles()
  try {
    const first = await scheduled(home, all, simulatedClock(FROM), quick, { stored })
    await first.until(OUT)
    await first.crash()
    const next = await scheduled(home, all, simulatedClock(BACK, 2), quick, { stored })
    await next.until(TO)
    return { ...next, journal: Array.from(next.store.journal.getRange(), ({ value }) => value) }
  } finally {
    quickFiles.close()
  }
}

describe('schedules › a month', function () {
  this.timeout(300_000)
  let [one, other]: Awaited<ReturnType<typeof month>>[] = []
  const played = () => {
    if (!one || !other) throw new Error('the month was not played')
    return { one, other }
  }
  before(async () => {
    one = await month()
    other = await month()
  })
  it('20 definitions, a clock change and a 6-hour outage: each slot once, none backfilled', () => {
    const engine = played().one
    const fired = engine.decisions().filter(({ outcome }) => outcome === 'fired')
    const slots = fired.map(({ fileName, slot }) => `${fileName} ${slot}`)
    expect(new Set(slots).size).to.equal(slots.length)
    expect(fired.filter(({ slot }) => slot > OUT && slot < BACK)).to.deep.equal([])
    // Each day, but one in the gap of 29 March, one in the outage.
    expect(engine.runs('gap')).to.have.length(DAYS - 2)
    expect(engine.runs('zone')).to.have.length(DAYS - 1)
    expect(
      engine.runs('gap').map(({ startedAt = 0 }) => new Date(startedAt).toISOString().slice(11, 16))
    ).to.include.members(['01:30', '00:30'])
  })
  it('every decision is kept, and each run that it started is among the runs', () => {
    const { one } = played()
    const decided = one.decisions().flatMap(({ dagRunId }) => dagRunId ?? [])
    const runs = ['gap', 'zone', ...Array.from({ length: 18 }, (_, n) => `d${n}`)].flatMap((name) => one.runs(name))
    expect(runs.map(({ dagRunId }) => dagRunId)).to.have.members(decided)
    expect(runs.every(({ status }) => status === 'succeeded')).to.equal(true)
  })
  it('equal seed, equal journal: decisions, transitions and run ids', () => {
    const { one, other } = played()
    expect(one.decisions()).to.have.length.above(18 * DAYS)
    expect(one.journal).to.have.length.above(100 * DAYS)
    expect(other.decisions()).to.deep.equal(one.decisions())
    expect(other.journal).to.deep.equal(one.journal)
  })
})

describe('schedules › 10,000 definitions', () => {
  it('a minute reads no definition again, and computes the next time of those expressions alone that were due', () => {
    const { plan } = readDefinition('name: a\nsteps: []')
    if (!plan) throw new Error('the definition has problems')
    let read = 0
    const all: Scheduled[] = Array.from({ length: 10_000 }, (_, n) => ({
      fileName: `d${n}`,
      get definition() {
        read++
        return { plan: plans[n % plans.length] ?? plan }
      }
    }))
    const plans = Array.from({ length: 840 }, (_, n) => ({
      ...plan,
      schedule: { start: [`${n % 60} ${n % 24} ${1 + (n % 28)} * *`], stop: [], restart: [] }
    }))
    let computed = 0
    const timetable = openTimetable(() => {
      computed++
      return 'Europe/Berlin'
    })
    timetable.know(all, utc('2026-03-10T00:00:00'))
    expect([read, computed]).to.deep.equal([10_000, 840])
    const [expressions, found] = [new Set<string>(), new Set<string>()]
    for (let minute = utc('2026-03-10T00:00:00'); minute < utc('2026-03-11T00:00:00'); minute += MINUTE) {
      expect(timetable.know(all, minute)).to.deep.equal([])
      for (const due of timetable.due(minute)) {
        found.add(due.fileName)
        for (const expression of due.expressions) expressions.add(expression)
      }
    }
    expect(found.size).to.be.greaterThan(200)
    expect([read, computed]).to.deep.equal([10_000, 840 + expressions.size])
  })
  it('an expression that never fires is asked once, however many have it, and goes with the last of them', () => {
    const { plan } = readDefinition('name: a\nsteps: []')
    if (!plan) throw new Error('the definition has problems')
    const of = (start: string): Scheduled[] =>
      Array.from({ length: 3_000 }, (_, n) => ({
        fileName: `d${n}`,
        definition: { plan: { ...plan, schedule: { start: [start], stop: [], restart: [] } } }
      }))
    const noon = utc('2026-03-10T12:00:00')
    let computed = 0
    const timetable = openTimetable(() => {
      computed++
      return 'Europe/Berlin'
    })
    const never = of('0 0 31 2 *')
    timetable.know(never, noon)
    expect(timetable.due(noon)).to.deep.equal([])
    expect(computed).to.equal(1)
    timetable.know(of('* * * * *'), noon)
    expect(timetable.due(noon)).to.have.length(3_000)
    timetable.know(never, noon)
    expect(timetable.due(noon + MINUTE)).to.deep.equal([])
    expect(timetable.due(noon - MINUTE), 'the clock was set back').to.deep.equal([])
  })
})
