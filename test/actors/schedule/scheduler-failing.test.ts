/** A scheduler that fails: it restarts, reports that, and backfills nothing silently. Source: api-semantics 3.1, execution-semantics 11. */
import { expect } from 'chai'
import { schedulerFault } from '../../../src/actors/schedule/scheduler-fault.ts'
import { dag, given, minutes } from '../../support/simulated/given-schedules.ts'

const BROKEN = new Error('Invalid time zone specified: Etc/Unknown')

describe('schedules › a lookup that fails', () => {
  it('the health check reports it at once, and until a lookup has succeeded', async () => {
    const { until, system, files } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(1))
    expect(system.schedulerFault()).to.equal(undefined)
    files.broken = BROKEN
    await until(minutes(3))
    expect(system.schedulerFault()).to.equal('scheduler has failed: the log says why; it tries again each minute')
    files.broken = undefined
    await until(minutes(4))
    expect(system.schedulerFault()).to.equal(undefined)
    expect(files.failing).to.deep.equal([BROKEN.message, BROKEN.message, 'works'])
  })
  it('what was due meanwhile is missed, and reported; what is due afterwards fires', async () => {
    const { until, files, starts, told } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(3))
    files.broken = BROKEN
    await until(minutes(7))
    files.broken = undefined
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:10'])
    expect(told()).to.deep.equal(['start 10:05 missed', 'start 10:10 fired'])
  })
  it('with `catchup` it is backfilled', async () => {
    const { until, files, starts } = await given({ a: dag('"*/5 * * * *"', 'catchup: all') })
    await until(minutes(3))
    files.broken = BROKEN
    await until(minutes(13))
    files.broken = undefined
    await until(minutes(16))
    expect(starts('a')).to.deep.equal(['10:14', '10:14', '10:15'])
  })
  it('what is known of a run cannot be found: the minute is missed, and reported', async () => {
    const { until, files, starts, told, system } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(3))
    const { has } = files.suspended
    files.suspended.has = () => {
      throw BROKEN
    }
    await until(minutes(6))
    expect(system.schedulerFault()).to.contain('scheduler has failed')
    files.suspended.has = has
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:10'])
    expect(told()).to.deep.equal(['start 10:05 missed', 'start 10:10 fired'])
    expect(system.schedulerFault()).to.equal(undefined)
  })
  it('definitions that are never read: the health check reports that it does not tick', async () => {
    const { until, files, system } = await given({ a: dag('"*/5 * * * *"') })
    files.reading = new Promise(() => {})
    await until(minutes(3))
    expect(system.schedulerFault()).to.match(/^scheduler has not ticked for \d+s$/)
  })
})

describe('schedules › a scheduler that throws itself', () => {
  const working = { tickedAt: minutes(1), lookedAt: minutes(1), hasFailed: false }
  it('the health check reports for 90 s that it was restarted', () => {
    expect(schedulerFault(working, minutes(1), minutes(2))).to.equal(
      'scheduler has failed 60s ago and was started again: the log says why'
    )
    expect(schedulerFault(working, minutes(0), minutes(2))).to.equal(undefined)
    expect(schedulerFault(working, undefined, minutes(2))).to.equal(undefined)
  })
  it('one that was stopped for good is reported', () => {
    expect(schedulerFault(undefined, minutes(1), minutes(2))).to.contain('is stopped')
  })
})
