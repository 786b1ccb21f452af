/** Restarts of a queue, and what starts after executions that ended while no engine was running. Source: execution-semantics 12.5, 12.14, 13.5. */
import { expect } from 'chai'
import type { Running } from '../../../src/executors/executor.ts'
import { plan, step } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Script, simulate } from '../../support/simulated/simulation.ts'

const quick: Script = () => ({ ms: 1_000, exitCode: 0 })
const OUTAGE_MS = 3_600_000
/** It ended by itself at that instant, and its end is on record. */
const endedAt = (at: number): Running => ({
  over: true,
  began: Promise.resolve(at),
  ended: Promise.resolve({ exitCode: 0, at, offset: 0 }),
  stop: () => {},
  kill: () => {}
})

describe('actors › a queue across a restart', () => {
  it('12.14 queued runs keep their order, whatever the order of their ids', async () => {
    const home = temporaryFolder()
    const held = await simulate(home, quick, simulatedClock(), { holdQueues: true })
    const ids = ['r8', 'r9', 'r10', 'r11', 'r100']
    for (const id of ids) await held.start(plan([step('a')], { maxActiveRuns: 1 }), id, 'enqueue')
    await held.crash()
    const again = await simulate(home, quick, simulatedClock(held.clock.now() + 5))
    await again.play()
    const begun = ids.map((dagRunId) => again.record({ name: 'dag', dagRunId })?.startedAt ?? 0)
    expect(begun).to.deep.equal(begun.toSorted((a, b) => a - b))
    expect(new Set(begun).size, 'one after the other').to.equal(ids.length)
    await again.store.root.close()
  })

  it('12.11 a run that held the slot ended in an outage: the next one has its 10 s from now on, and begins now', async () => {
    const home = temporaryFolder()
    const first = await simulate(home, quick)
    const given = plan([step('a')], { maxActiveRuns: 1 })
    await first.start(given, 'runs')
    const waits = await first.start(given, 'waits', 'enqueue')
    await first.play(() => first.begun.length === 1)
    await first.crash()
    const end = first.clock.now() + 1_000
    const again = await simulate(home, quick, simulatedClock(end + OUTAGE_MS), { find: () => endedAt(end) })
    await again.play()
    const dates = again.journal(waits).map(({ at }) => at)
    expect(
      dates.filter((at) => at >= end && at < end + OUTAGE_MS),
      'nothing of it is dated back'
    ).to.deep.equal([])
    expect(dates.some((at) => at >= end + OUTAGE_MS)).to.equal(true)
    expect(again.record(waits)).to.include({ status: 'succeeded', startedAt: end + OUTAGE_MS })
    await again.store.root.close()
  })
})

describe('actors › 13.5 an execution that ended while no engine was running', () => {
  it('keeps the instant of its end; the step that follows begins when the engine is back', async () => {
    const home = temporaryFolder()
    const first = await simulate(home, quick)
    const key = await first.start(plan([step('a'), step('b', { depends: ['a'] })]), 'r')
    await first.play(() => first.begun.length === 1)
    await first.crash()
    const end = first.clock.now() + 1_000
    const again = await simulate(home, quick, simulatedClock(end + OUTAGE_MS), { find: () => endedAt(end) })
    await again.play()
    const node = (index: number) => again.store.nodes.get([key.name, key.dagRunId, index])?.record
    expect(node(0)).to.include({ status: 'succeeded', finishedAt: end })
    expect(node(1)).to.include({ status: 'succeeded', startedAt: end + OUTAGE_MS, finishedAt: end + OUTAGE_MS + 1_000 })
    await again.store.root.close()
  })

  it('the wait before its retry began with its end', async () => {
    const home = temporaryFolder()
    const first = await simulate(home, quick)
    const key = await first.start(plan([step('a', { retry: { limit: 1, interval: 2 * OUTAGE_MS } })]), 'r')
    await first.play(() => first.begun.length === 1)
    await first.crash()
    const end = first.clock.now() + 1_000
    const failed = { ...endedAt(end), ended: Promise.resolve({ exitCode: 1, at: end, offset: 0 }) }
    const again = await simulate(home, quick, simulatedClock(end + OUTAGE_MS), { find: () => failed })
    await again.play()
    const executions = again.journal(key).filter(({ to }) => to === 'attempting.executing')
    expect(executions.at(-1)?.at).to.equal(end + 2 * OUTAGE_MS)
    await again.store.root.close()
  })
})
