/** Why the latest scheduled minute of a definition came to nothing. Source: execution-semantics 11; docs/inspect.md. */
import { expect } from 'chai'
import { readDefinition } from '../../../src/definition/read.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { causesIn } from '../../support/inspect/explanations.ts'
import {
  MINUTE,
  type ScheduledEngine,
  type Schedules,
  scheduled,
  schedules,
  utc
} from '../../support/simulated/schedules.ts'
import { type SimulatedClock, simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { simulatedFacts } from '../../support/simulated/simulated-facts.ts'
import type { Script } from '../../support/simulated/simulation.ts'

const START = utc('2026-03-02T10:00:30') // a Monday
const minutes = (count: number) => START + count * MINUTE
const often = 'schedule: "*/5 * * * *"'
const long: Script = () => ({ ms: 10 * MINUTE, exitCode: 0 })

interface Room {
  engine: ScheduledEngine
  files: Schedules
  clock: SimulatedClock
}

/** Causes that are given for the definition `a` after `play`. */
async function whyAfter(head: string, play: (room: Room) => Promise<unknown>, script?: Script): Promise<string[]> {
  const text = `${head}\nsteps:\n  - name: s\n    command: x\n`
  const files = schedules()
  files.put('a', text)
  const clock = simulatedClock(START)
  const engine = await scheduled(temporaryFolder(), files, clock, script)
  await play({ engine, files, clock })
  const { plan, problems } = readDefinition(text, { fallbackName: 'a' })
  if (!plan) throw new Error('the definition has problems')
  const facts = simulatedFacts(engine, {
    definition: (fileName) => ({
      fileName,
      name: 'a',
      plan,
      problems: problems.map(({ message }) => message),
      suspended: files.suspended.has('a')
    })
  })
  const causes = causesIn(facts.explainDefinition('a')).a?.split(' ') ?? []
  await engine.store.root.close()
  return causes
}

describe('explain › scheduled minutes', () => {
  it('it was suspended', async () => {
    const causes = await whyAfter(often, ({ engine, files }) => {
      files.suspended.add('a')
      return engine.until(minutes(6))
    })
    expect(causes).to.deep.equal(['suspended', 'skipped_suspended'])
  })
  it('its newest run was running', async () => {
    const causes = await whyAfter(often, ({ engine }) => engine.until(minutes(11)), long)
    expect(causes).to.deep.equal(['max_active_runs', 'next_start', 'skipped_running'])
  })
  it('a run had started in that minute', async () => {
    const causes = await whyAfter('schedule: "5 * * * *"', async ({ engine, clock }) => {
      await engine.until(utc('2026-03-02T10:04:50'))
      clock.jump(utc('2026-03-02T10:05:20'))
      await engine.start('name: a\nsteps: []', 'by-hand')
      await engine.play(() => engine.runs('a')[0]?.status === 'succeeded')
      clock.jump(utc('2026-03-02T10:04:55'))
      await engine.until(minutes(6))
    })
    expect(causes).to.include('skipped_started')
  })
  it('it had succeeded since the time before', async () => {
    const causes = await whyAfter(
      'schedule: ["0 11 * * *", "30 10 * * 1,4"]\nskipIfSuccessful: true',
      async ({ engine }) => {
        await engine.start('name: a\nsteps: []', 'by-hand')
        await engine.until(utc('2026-03-02T11:30:00'))
      }
    )
    expect(causes).to.include('skipped_succeeded')
  })
  it('there was nothing to stop', async () => {
    const causes = await whyAfter('schedule: {stop: "*/5 * * * *"}', ({ engine }) => engine.until(minutes(6)))
    expect(causes).to.deep.equal(['skipped_nothing_running'])
  })
  it('the machine slept', async () => {
    const causes = await whyAfter(often, async ({ engine, clock }) => {
      await engine.until(minutes(6))
      clock.jump(minutes(32))
      await engine.until(minutes(33))
    })
    expect(causes).to.include('skipped_missed')
  })
  it('the clock was set back', async () => {
    const quick: Script = () => ({ ms: 1, exitCode: 0 })
    const causes = await whyAfter(
      often,
      async ({ engine, clock }) => {
        await engine.until(minutes(11))
        for (const key of [...engine.store.byName.getKeys()]) await engine.store.byName.remove(key)
        clock.jump(utc('2026-03-02T10:02:30'))
        await engine.until(minutes(11))
      },
      quick
    )
    expect(causes).to.include('skipped_decided')
  })
  it('maxActiveRuns was reached', async () => {
    const causes = await whyAfter(
      'schedule: "5 * * * *"',
      async ({ engine }) => {
        await engine.start('name: a\nsteps: [{name: s, command: x}]', 'one')
        const [record] = engine.runs('a')
        const { plan } = readDefinition('name: a\nsteps: []')
        if (!record || !plan) throw new Error('it has not started')
        await engine.system.start({
          record: { ...record, dagRunId: 'two', createdAt: record.createdAt + 1 },
          plan: { plan, spec: '' },
          singleton: false,
          enqueue: { bounded: false }
        })
        await engine.until(minutes(6))
      },
      long
    )
    expect(causes).to.include('skipped_limit')
  })
  it('the start itself failed', async () => {
    const causes = await whyAfter(often, ({ engine, files }) => {
      files.refuse = new Error('params: no such file')
      return engine.until(minutes(6))
    })
    expect(causes).to.deep.equal(['next_start', 'skipped_invalid'])
  })
  it('a restart is under way, and the next one is skipped for it', async () => {
    const causes = await whyAfter(
      'maxCleanUpTimeSec: 1200\nschedule: {restart: "*/5 * * * *"}\nrestartWaitSec: 60',
      async ({ engine }) => {
        await engine.start('name: a\nmaxCleanUpTimeSec: 1200\nsteps: [{name: s, command: x}]', 'old')
        await engine.until(minutes(11))
      },
      () => ({ ms: 60 * MINUTE, exitCode: 0, is: 'deaf' })
    )
    expect(causes).to.include.members(['restart_waiting', 'skipped_restarting'])
  })
})
