/** Why a scheduled start is skipped, or waits. Source: execution-semantics 11. */
import { expect } from 'chai'
import { dag, given, long, minutes } from '../../support/simulated/given-schedules.ts'
import { utc } from '../../support/simulated/schedules.ts'

describe('schedules › 11.6 to 11.9 why a start is skipped', () => {
  it('11.6 the latest run is running, even if maxActiveRuns would allow more', async () => {
    const { until, starts, told } = await given({ a: dag('"*/5 * * * *"', 'maxActiveRuns: 3') }, { script: long })
    await until(minutes(16))
    expect(starts('a')).to.deep.equal(['10:05', '10:15'])
    expect(told()).to.deep.equal(['start 10:05 fired', 'start 10:10 running', 'start 10:15 fired'])
  })
  it('11.7 a run by hand in that minute or later: its clock was a little ahead', async () => {
    const { until, start, told, clock, play, runs } = await given({ a: dag('5 * * * *') })
    await until(utc('2026-03-02T10:04:50'))
    clock.jump(utc('2026-03-02T10:05:20'))
    await start('name: a\nsteps: []', 'by-hand')
    await play(() => runs('a')[0]?.status === 'succeeded')
    clock.jump(utc('2026-03-02T10:04:55'))
    await until(minutes(6))
    expect(told()).to.deep.equal(['start 10:05 started'])
  })
  it('11.8 skipIfSuccessful: it has succeeded since the true previous time of the same expression', async () => {
    const text = dag('["0 11 * * *", "30 10 * * 1,4"]', 'skipIfSuccessful: true')
    const { until, start, told } = await given({ a: text })
    await start('name: a\nsteps: []', 'by-hand') // Monday 10:00, after Thursday 10:30 and Sunday 11:00
    await until(utc('2026-03-03T12:00:00'))
    expect(told()).to.deep.equal(['start 10:30 succeeded', 'start 11:00 succeeded', 'start 11:00 fired'])
  })
  it('11.9 dropped when maxActiveRuns is 1 and one runs that is not the latest', async () => {
    const { until, start, told, system, runs } = await given({ a: dag('5 * * * *') }, { script: long })
    const key = await start('name: a\nsteps: [{name: s, command: x}]', 'one')
    const [record] = runs('a')
    if (!record) throw new Error('it has not started')
    const plan = { plan: { ...(await planOf('name: a\nsteps: []')) }, spec: '' }
    const queued = { ...record, dagRunId: 'two', createdAt: record.createdAt + 1 }
    await system.start({ record: queued, plan, singleton: false, enqueue: { bounded: false } })
    await until(minutes(6))
    expect(key.dagRunId).to.equal('one')
    expect(told()).to.deep.equal(['start 10:05 limit'])
  })
  it('11.9 the same with maxActiveRuns 2: it waits', async () => {
    const { until, start, told, system, runs } = await given(
      { a: dag('5 * * * *', 'maxActiveRuns: 2') },
      { script: long }
    )
    const text = 'name: a\nmaxActiveRuns: 1\nsteps: [{name: s, command: x}]'
    await start(text, 'one')
    const [record] = runs('a')
    if (!record) throw new Error('it has not started')
    const queued = { ...record, dagRunId: 'two', createdAt: record.createdAt + 1 }
    await system.start({
      record: queued,
      plan: { plan: await planOf(text), spec: '' },
      singleton: false,
      enqueue: { bounded: false }
    })
    await until(minutes(6))
    expect(told()).to.deep.equal(['start 10:05 fired'])
    expect(runs('a').map(({ status }) => status)).to.deep.equal(['running', 'queued', 'queued'])
  })
  it('a start that cannot be made is kept with its reason, and the next one goes', async () => {
    const { until, files, decisions, told } = await given({ a: dag('"*/5 * * * *"') })
    files.refuse = new Error('params: no such file')
    await until(minutes(6))
    delete files.refuse
    await until(minutes(11))
    expect(told()).to.deep.equal(['start 10:05 invalid', 'start 10:10 fired'])
    expect(decisions()[0]).to.include({ error: 'params: no such file' })
  })
})

async function planOf(text: string) {
  const { readDefinition } = await import('../../../src/definition/read.ts')
  const { plan } = readDefinition(text)
  if (!plan) throw new Error('the definition has problems')
  return plan
}
