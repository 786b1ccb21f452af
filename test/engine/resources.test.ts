/** Sampling of the machine under a simulated clock. Source: api-semantics 3.1 (resources history). */
import { statfsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { expect } from 'chai'
import { openMonitor } from '../../src/engine/resources.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type SimulatedClock, simulatedClock } from '../support/simulated/simulated-clock.ts'

const START = Date.UTC(2026, 0, 1)

/** Lets time pass, sample by sample: a sample is complete when the disk has answered. */
async function until(clock: SimulatedClock, at: number): Promise<void> {
  for (let next = clock.next(); next !== undefined && next <= at; next = clock.next()) {
    clock.goTo(next)
    while (clock.next() === undefined) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  clock.goTo(at)
}

describe('resources › samples of processor, memory, disk and load', () => {
  it('one each interval, kept for the retention; a shorter time can be asked for', async () => {
    const clock = simulatedClock(START)
    const monitor = openMonitor(clock, temporaryFolder(), { intervalMs: 5_000, retentionMs: 60_000 })
    const seconds = (durationMs: number) => monitor.history(durationMs).map(({ at }) => (at - START) / 1_000)
    expect(seconds(60_000)).to.deep.equal([])
    await until(clock, START + 20_000)
    expect(seconds(60_000)).to.deep.equal([5, 10, 15, 20])
    expect(seconds(9_000)).to.deep.equal([15, 20])
    await until(clock, START + 3_600_000)
    expect(seconds(Number.POSITIVE_INFINITY)).to.deep.equal(Array.from({ length: 13 }, (_, n) => 3_540 + 5 * n))
    monitor.close()
    expect(clock.next(), 'nobody looks any more').to.equal(undefined)
  })
  it('a machine that slept is sampled when it wakes; skipped samples are not backfilled', async () => {
    const clock = simulatedClock(START)
    const monitor = openMonitor(clock, temporaryFolder(), { intervalMs: 5_000, retentionMs: 86_400_000 })
    await until(clock, START + 5_000)
    clock.jump(START + 3_600_000)
    await until(clock, START + 3_610_000)
    expect(monitor.history(86_400_000)).to.have.length.within(4, 5)
    monitor.close()
  })
  it('shares in percent, the disk is that of the folder, load is the average of one minute', async () => {
    const clock = simulatedClock(START)
    const folder = temporaryFolder()
    const monitor = openMonitor(clock, folder, { intervalMs: 1_000, retentionMs: 60_000 })
    await until(clock, START + 1_000)
    const [look] = monitor.history(60_000)
    const { blocks, bfree, bavail } = statfsSync(folder)
    expect(look?.disk).to.be.closeTo(((blocks - bfree) / (blocks - bfree + bavail)) * 100, 2)
    expect(look?.memory).to.be.within(0.1, 100)
    expect(look?.load).to.be.closeTo(loadavg()[0] ?? 0, 10)
    monitor.close()
  })
  it('a missing folder: everything but the disk is reported', async () => {
    const clock = simulatedClock(START)
    const monitor = openMonitor(clock, '/nowhere/at/all', { intervalMs: 1_000, retentionMs: 60_000 })
    await until(clock, START + 1_000)
    const [look] = monitor.history(60_000)
    expect(look).to.include.keys('memory', 'load').and.not.include.keys('disk')
    monitor.close()
  })
})
