/** docs/scheduling.md: its definition is started, restarted and stopped when the page says. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type ScheduleDecision } from '../../../src/index.ts'
import { later } from '../../../src/testing/ends.ts'
import { testEngine } from '../../../src/testing/index.ts'
import { runBlocks } from '../../support/docs/page-blocks.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { skippingClock } from '../../support/simulated/skipping-clock.ts'
import { eventually } from '../../support/waiting.ts'

const timeZone = 'Europe/Berlin'
/** In winter, in that zone. */
const at = (instant: number) => new Date(instant + 3_600_000).toISOString().slice(5, 16)
const told = ({ kind, slot, outcome, reason, catchup }: ScheduleDecision) =>
  [at(slot), kind, outcome, reason, catchup].filter(Boolean).join(' ')

/** An engine on this home from an instant on, until it has decided something, which is returned. */
async function decidedFrom(home: string, instant: string, count: number): Promise<string[]> {
  const skipping = skippingClock()
  const ahead = Date.parse(instant) - skipping.now()
  const clock = {
    ...skipping,
    now: () => skipping.now() + ahead,
    at: (dueAt: number, ring: () => void) => skipping.at(dueAt - ahead, ring)
  }
  const engine = await createEngine({ home, tz: timeZone, schedules: true, defaultShell: 'sh', clock })
  try {
    await engine.resumed
    await skipping.pass(61_000)
    return await eventually('decisions', async () => {
      const { decisions } = await engine.facts.decisions({ fileName: 'etl' })
      return decisions.length >= count ? decisions.map(({ decision }) => told(decision)).reverse() : undefined
    })
  } finally {
    await engine.close()
    skipping.close()
  }
}

// D1563: hours are those of a clock of the test
describe('docs › schedules, run', function () {
  this.timeout(120_000)

  /** Nobody waits for a day: the clock is that of the test, all else the engine's. */
  async function twoDays(definition: string) {
    const engine = await testEngine({ dags: [definition], timeZone, now: '2026-03-01T20:00' }) // a Sunday
    try {
      engine.mock('etl/work', [later('20h', ''), later('20h', ''), later('1m', '')])
      await engine.advance('36h')
      const { decisions } = await engine.facts.decisions({ fileName: 'etl' })
      return {
        decided: decisions.map(({ decision }) => told(decision)).reverse(),
        begun: engine.calls('etl/work').map((call) => at(call.at))
      }
    } finally {
      await engine.close()
    }
  }

  runBlocks({
    'docs/scheduling.md': {
      yaml: [
        [
          'starts in both zones, restarts at noon, stops in the evening, starts nothing that has succeeded, and one run for what was missed',
          async (block) => {
            const definition = `name: etl\n${block}steps:\n  - {name: work, command: echo}\n`
            const { decided, begun } = await twoDays(definition)
            expect(decided).to.deep.equal([
              '03-02T01:30 start fired',
              '03-02T06:00 start skipped running',
              '03-02T12:00 restart fired',
              '03-02T18:00 stop fired',
              '03-03T01:30 start fired',
              '03-03T06:00 start skipped succeeded'
            ])
            expect(begun).to.deep.equal(['03-02T01:30', '03-02T12:01', '03-03T01:30'])
            const home = temporaryFolder()
            mkdirSync(join(home, 'dags'))
            writeFileSync(join(home, 'dags/etl.yaml'), definition)
            const evening = '03-02T18:00 stop skipped nothing_running'
            expect(await decidedFrom(home, '2026-03-02T16:59:00Z', 1)).to.deep.equal([evening])
            expect(await decidedFrom(home, '2026-03-03T06:30:00Z', 2)).to.deep.equal([
              evening,
              '03-03T06:00 start fired last'
            ])
          }
        ]
      ]
    }
  })
})
