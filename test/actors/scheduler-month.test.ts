/** A month of schedules, with a clock change and an outage; and what 10,000 definitions cost. Source: execution-semantics 11.5, 11.13. */
import { expect } from 'chai'
import { openTimetable, type Scheduled } from '../../src/actors/timetable.ts'
import { readDefinition } from '../../src/spec/read.ts'
import { temporaryFolder } from '../support/homes.ts'
import { processorMs } from '../support/processor-time.ts'
import { MINUTE, scheduled, schedules, utc } from '../support/schedules.ts'
import { simulatedClock } from '../support/simulated-clock.ts'

const HOUR = 60 * MINUTE
const FROM = utc('2026-03-10T00:00:30')
const OUT = utc('2026-03-20T01:00:30')
const BACK = OUT + 6 * HOUR
const TO = utc('2026-04-09T00:00:30')

const files = () => {
  const all = schedules('Europe/Berlin')
  const text = (expression: string) => `schedule: "${expression}"\nsteps:\n  - name: s\n    command: x\n`
  all.put('gap', text('30 2 * * *')) // left out on 29 March
  all.put('zone', text('CRON_TZ=UTC 0 4 * * *'))
  for (let n = 0; n < 18; n++) all.put(`d${n}`, text(`${n * 3} ${n} * * *`))
  return all
}

async function month(to = TO) {
  const home = temporaryFolder()
  const all = files()
  const first = await scheduled(home, all, simulatedClock(FROM), () => ({ ms: 50, exitCode: 0 }))
  await first.until(OUT)
  await first.crash()
  const next = await scheduled(home, all, simulatedClock(BACK, 2), () => ({ ms: 50, exitCode: 0 }))
  await next.until(to)
  return next
}

describe('schedules › a month', function () {
  this.timeout(120_000)
  it('20 definitions, a clock change and a 6-hour outage: each slot once, none made up', async () => {
    const engine = await month()
    const fired = engine.decisions().filter(({ outcome }) => outcome === 'fired')
    const slots = fired.map(({ fileName, slot }) => `${fileName} ${slot}`)
    expect(new Set(slots).size).to.equal(slots.length)
    expect(fired.filter(({ slot }) => slot > OUT && slot < BACK)).to.deep.equal([])
    // 30 days, one in the gap of 29 March, one in the outage.
    expect(engine.runs('gap')).to.have.length(28)
    expect(engine.runs('zone')).to.have.length(29)
    expect(
      engine.runs('gap').map(({ startedAt = 0 }) => new Date(startedAt).toISOString().slice(11, 16))
    ).to.include.members(['01:30', '00:30'])
  })
  it('equal seed, equal journal: run ids included', async () => {
    const [one, other] = [await month(BACK + 24 * HOUR), await month(BACK + 24 * HOUR)]
    expect(one.decisions()).to.have.length.above(150)
    expect(other.decisions()).to.deep.equal(one.decisions())
  })
})

describe('schedules › 10,000 definitions', function () {
  this.timeout(60_000)
  it('a minute in which few are due costs less than 50 ms, and reads no definition again', () => {
    const { plan } = readDefinition('name: a\nsteps: []')
    if (!plan) throw new Error('the definition has problems')
    const all: Scheduled[] = Array.from({ length: 10_000 }, (_, n) => ({
      fileName: `d${n}`,
      definition: {
        plan: { ...plan, schedule: { start: [`${n % 60} ${n % 24} ${1 + (n % 28)} * *`], stop: [], restart: [] } }
      }
    }))
    const timetable = openTimetable('Europe/Berlin')
    timetable.know(all, FROM)
    const costs: number[] = []
    let count = 0
    for (let minute = utc('2026-03-10T00:00:00'); minute < utc('2026-03-11T00:00:00'); minute += MINUTE) {
      const ms = processorMs(() => {
        timetable.know(all, minute)
        count += timetable.due(minute).length
      })
      costs.push(ms)
    }
    const [median = 0] = costs.toSorted((a, b) => a - b).slice(costs.length / 2)
    expect(count).to.be.greaterThan(200)
    expect(median).to.be.below(50)
  })
})
