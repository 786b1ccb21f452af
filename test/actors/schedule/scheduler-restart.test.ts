/** What scheduled stops and restarts do. Source: execution-semantics 11. */
import { expect } from 'chai'
import { dag, given, long, minutes } from '../../support/simulated/given-schedules.ts'
import { utc } from '../../support/simulated/schedules.ts'

describe('schedules › 11.10 to 11.12 stop and restart', () => {
  it('11.10 stop stops all running runs; nothing running is a no-op', async () => {
    const text = dag('{stop: "*/5 * * * *"}', 'maxActiveRuns: 3')
    const { until, start, runs, told } = await given({ a: text }, { script: long })
    const spec = 'name: a\nmaxActiveRuns: 3\nsteps: [{name: s, command: x}]'
    for (const id of ['one', 'two']) await start(spec, id)
    await until(minutes(11))
    expect(runs('a').map(({ status }) => status)).to.deep.equal(['canceled', 'canceled'])
    expect(told()).to.deep.equal(['stop 10:05 fired', 'stop 10:10 nothing_running'])
  })
  it('11.11 restart: stopped, restartWaitSec, a new run with the same params', async () => {
    const text = dag('{restart: "5 * * * *"}', 'restartWaitSec: 90')
    const { until, start, runs, told, decisions } = await given({ a: text }, { script: long })
    await start('name: a\nsteps: [{name: s, command: x}]', 'old')
    await until(minutes(5))
    expect(runs('a').map(({ status }) => status)).to.deep.equal(['canceled'])
    await until(minutes(7))
    const [old, fresh] = runs('a')
    expect([old?.status, fresh?.status]).to.deep.equal(['canceled', 'running'])
    expect(fresh?.startedAt).to.equal((old?.finishedAt ?? 0) + 90_000)
    expect([fresh?.plan, fresh?.params]).to.deep.equal([old?.plan, old?.params])
    expect(told()).to.deep.equal(['restart 10:05 fired'])
    expect(decisions()[0]?.dagRunId).to.equal(fresh?.dagRunId)
  })
  it('11.11 nothing running: a no-op that is reported', async () => {
    const { until, told, runs } = await given({ a: dag('{restart: "5 * * * *"}') })
    await until(minutes(6))
    expect([told(), runs('a')]).to.deep.equal([['restart 10:05 nothing_running'], []])
  })
  it('11.11 restart ignores maxActiveRuns', async () => {
    const text = dag('{restart: "5 * * * *"}', 'restartWaitSec: 60')
    const { until, start, runs } = await given({ a: text }, { script: long })
    await start('name: a\nsteps: [{name: s, command: x}]', 'old')
    await until(utc('2026-03-02T10:05:30'))
    await start('name: a\nsteps: [{name: s, command: x}]', 'between')
    await until(minutes(8))
    expect(runs('a').map(({ status }) => status)).to.deep.equal(['canceled', 'running', 'running'])
  })
  it('11.11 the wait outlives the engine, and is not moved', async () => {
    const text = dag('{restart: "5 10 * * *"}', 'restartWaitSec: 600')
    const { until, start, crash, again } = await given({ a: text }, { script: long })
    await start('name: a\nsteps: [{name: s, command: x}]', 'old')
    await until(minutes(7))
    await crash()
    const next = await again(minutes(8))
    await next.until(minutes(14))
    expect(next.runs('a')).to.have.length(1)
    await next.until(minutes(17))
    const [old, fresh] = next.runs('a')
    expect(fresh?.startedAt).to.equal((old?.finishedAt ?? 0) + 600_000)
    expect(next.store.restarts.getKeysCount()).to.equal(0)
  })
  it('11.12 stop, restart, start in one minute: the run that is being stopped is running', async () => {
    const text = dag('{start: "*/5 * * * *", stop: "*/5 * * * *"}')
    const { until, start, told } = await given({ a: text }, { script: long })
    await start('name: a\nsteps: [{name: s, command: x}]', 'old')
    await until(minutes(11))
    expect(told()).to.deep.equal([
      'stop 10:05 fired',
      'start 10:05 running',
      'stop 10:10 nothing_running',
      'start 10:10 fired'
    ])
  })
})
