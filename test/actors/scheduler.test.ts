/** Schedules on real actors and a real store, under simulated time. Source: execution-semantics 11. */
import { expect } from 'chai'
import { nextRunsIn } from '../../src/spec/next-run.ts'
import { temporaryFolder } from '../support/homes.ts'
import { MINUTE, type Schedules, scheduled, schedules, utc } from '../support/schedules.ts'
import { simulatedClock } from '../support/simulated-clock.ts'
import type { Script } from '../support/simulation.ts'

const START = utc('2026-03-02T10:00:30') // a Monday
const dag = (schedule: string, more = '') => `schedule: ${schedule}\n${more}\nsteps:\n  - name: s\n    command: x\n`

async function given(
  files: Record<string, string>,
  {
    start = START,
    script,
    set
  }: {
    start?: number
    script?: Script
    set?: (files: Schedules) => void
  } = {}
) {
  const given = schedules()
  for (const [name, text] of Object.entries(files)) given.put(name, text)
  set?.(given)
  const clock = simulatedClock(start)
  const home = temporaryFolder()
  const engine = await scheduled(home, given, clock, script)
  return {
    ...engine,
    files: given,
    home /** The next engine, at an instant. */,
    again: (at: number) => scheduled(home, given, simulatedClock(at, 2), script)
  }
}
const minutes = (count: number) => START + count * MINUTE
const long: Script = () => ({ ms: 10 * MINUTE, exitCode: 0 })

describe('schedules › 11.1 to 11.5', () => {
  it('a start each time the expression fires, at second 0', async () => {
    const { until, runs, starts } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(16))
    expect(starts('a')).to.deep.equal(['10:05', '10:10', '10:15'])
    for (const { startedAt = 0 } of runs('a')) expect(startedAt % MINUTE).to.be.below(1_000)
  })
  it('11.18 what nextRun says is when the scheduler fires, also around a clock change', async () => {
    const expressions = {
      a: '30 2 * * *',
      b: '0 */6 * * *',
      c: 'CRON_TZ=America/New_York 15 1 * * *',
      d: '59 23 28-31 * *'
    }
    const start = utc('2026-03-27T12:00:30')
    const { until, runs } = await given(
      Object.fromEntries(Object.entries(expressions).map(([name, expression]) => [name, dag(`"${expression}"`)])),
      { start, set: (files) => Object.assign(files, { zone: 'Europe/Berlin' }) }
    )
    const end = utc('2026-03-31T12:00:00')
    await until(end)
    for (const [name, expression] of Object.entries(expressions)) {
      const said: number[] = []
      const next = nextRunsIn(() => 'Europe/Berlin')
      for (let at = next([expression], start); at !== undefined && at < end; at = next([expression], at)) said.push(at)
      const fired = runs(name).map(({ startedAt = 0 }) => Math.floor(startedAt / MINUTE) * MINUTE)
      expect(fired, name).to.deep.equal(said)
      expect(fired, name).to.have.length.above(2)
    }
  })
  it('11.4 two expressions that hit the same minute start one run', async () => {
    const { until, starts, told } = await given({ a: dag('["*/5 * * * *", "5,7 * * * *"]') })
    await until(minutes(8))
    expect(starts('a')).to.deep.equal(['10:05', '10:07'])
    expect(told()).to.deep.equal(['start 10:05 fired', 'start 10:07 fired'])
  })
  it('11.3 ENGINE_TZ where the expression names no zone', async () => {
    const { until, runs } = await given(
      { a: dag('30 19 * * *'), b: dag('CRON_TZ=UTC 45 10 * * *') },
      { set: (files) => Object.assign(files, { zone: 'Asia/Tokyo' }) }
    )
    await until(minutes(60))
    expect([runs('a'), runs('b')].map((found) => found.map(({ startedAt }) => startedAt))).to.deep.equal([
      [utc('2026-03-02T10:30:00')],
      [utc('2026-03-02T10:45:00')]
    ])
  })
})

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
    await system.start({ record: queued, plan, singleton: false, enqueue: { bounded: false, needsWorker: false } })
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
      enqueue: { bounded: false, needsWorker: false }
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
  const { readDefinition } = await import('../../src/spec/read.ts')
  const { plan } = readDefinition(text)
  if (!plan) throw new Error('the definition has problems')
  return plan
}

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
  it('11.11 nothing running: a no-op that is told', async () => {
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

describe('schedules › 11.13 missed minutes', () => {
  it('are not made up when the engine was down', async () => {
    const { until, crash, again } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    await crash()
    const next = await again(minutes(31))
    await next.until(minutes(36))
    expect(next.starts('a')).to.deep.equal(['10:05', '10:35'])
  })
  it('are not made up when the machine slept; what was left out is told once', async () => {
    const { until, clock, starts, told } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    clock.jump(minutes(32))
    await until(minutes(36))
    expect(starts('a')).to.deep.equal(['10:05', '10:35'])
    expect(told()).to.deep.equal(['start 10:05 fired', 'start 10:10 missed', 'start 10:35 fired'])
  })
  it('a late tick considers the minute that it is', async () => {
    const { until, clock, starts } = await given({ a: dag('4 10 * * *') })
    await until(minutes(1))
    clock.jump(utc('2026-03-02T10:04:40'))
    await until(minutes(6))
    expect(starts('a')).to.deep.equal(['10:04'])
  })
  it('a minute that could not be looked at in time, because nothing could be stored, is missed', async () => {
    const { until, clock, start, starts, told, store } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(3))
    const { batch } = store.root
    store.root.batch = async () => {
      throw new Error('ENOSPC: no space left on device')
    }
    const asked = start('name: other\nsteps:\n  - name: s\n    command: x\n', 'o') // its turn waits for the disk
    while (clock.now() < minutes(7)) {
      for (let n = 0; n < 3; n++) await new Promise<void>((resolve) => setImmediate(resolve))
      clock.goTo(clock.now() + 500)
    }
    store.root.batch = batch
    clock.goTo(clock.now() + 500)
    await asked
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:10'])
    expect(told()).to.deep.equal(['start 10:05 missed', 'start 10:10 fired'])
  })
  it('a minute whose look waited for a full disk while the clock was set back comes when it is there', async () => {
    const { until, clock, start, starts, told, store } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(3))
    const { batch } = store.root
    store.root.batch = async () => {
      throw new Error('ENOSPC: no space left on device')
    }
    const asked = start('name: other\nsteps:\n  - name: s\n    command: x\n', 'o') // its turn waits for the disk
    while (clock.now() < minutes(5)) {
      for (let n = 0; n < 3; n++) await new Promise<void>((resolve) => setImmediate(resolve))
      clock.goTo(clock.now() + 500)
    }
    store.root.batch = batch
    clock.jump(utc('2026-03-02T09:57:10'))
    clock.goTo(clock.now() + 500)
    await asked
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:00', '10:05', '10:10'])
    expect(told()).to.deep.equal(['start 10:05 missed', 'start 10:00 fired', 'start 10:05 fired', 'start 10:10 fired'])
  })
  it('no slot has two runs when the clock is set back', async () => {
    const quick: Script = () => ({ ms: 1, exitCode: 0 })
    const { until, clock, starts, told, store } = await given({ a: dag('"*/5 * * * *"') }, { script: quick })
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:05', '10:10'])
    // Nothing is left of them, so that 11.7 does not guard.
    for (const run of ['10:05', '10:10']) expect(starts('a')).to.include(run)
    for (const key of [...store.byName.getKeys()]) await store.byName.remove(key)
    clock.jump(utc('2026-03-02T10:02:30'))
    await until(minutes(16))
    expect(starts('a')).to.deep.equal(['10:15'])
    expect(told().slice(2)).to.deep.equal(['start 10:05 decided', 'start 10:10 decided', 'start 10:15 fired'])
  })
  it('no slot has two runs when the clock is set back over a restart of the engine', async () => {
    const { until, crash, again, store } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    for (const key of [...store.byName.getKeys()]) await store.byName.remove(key)
    await crash()
    const next = await again(utc('2026-03-02T10:02:30'))
    await next.until(minutes(11))
    expect(next.starts('a')).to.deep.equal(['10:10'])
  })
  it('the clock set ahead and back: what was left out comes in its time', async () => {
    const { until, clock, starts } = await given({ a: dag('"30,40 * * * *"') })
    await until(minutes(1))
    clock.jump(utc('2026-03-02T10:35:30'))
    await until(utc('2026-03-02T10:36:10'))
    clock.jump(utc('2026-03-02T10:20:00'))
    await until(minutes(41))
    expect(starts('a')).to.deep.equal(['10:30', '10:40'])
  })
})

describe('schedules › catchup', () => {
  const missed = async (catchup: string, at = minutes(31)) => {
    const first = await given({ a: dag('"*/10 * * * *"', `catchup: ${catchup}`) })
    await first.until(minutes(11))
    await first.crash()
    const next = await first.again(at)
    await next.until(at + 5 * MINUTE)
    return { ...next, again: first.again }
  }
  it('last: one run for all that was missed', async () => {
    const { starts, decisions } = await missed('last', utc('2026-03-02T10:41:30'))
    expect(starts('a')).to.deep.equal(['10:10', '10:42'])
    expect(decisions().at(-1)).to.include({ slot: utc('2026-03-02T10:40:00'), catchup: 'last' })
  })
  it('last: the start of this minute stands for them', async () => {
    const { starts } = await missed('last', utc('2026-03-02T10:39:30'))
    expect(starts('a')).to.deep.equal(['10:10', '10:40'])
  })
  it('all: a run for each, one after the other', async () => {
    const { runs, decisions } = await missed('all', utc('2026-03-02T10:41:30'))
    expect(runs('a').map(({ status }) => status)).to.deep.equal(Array(4).fill('succeeded'))
    const made = decisions().filter(({ catchup }) => catchup === 'all')
    expect(made.map(({ slot }) => new Date(slot).toISOString().slice(11, 16))).to.deep.equal([
      '10:20',
      '10:30',
      '10:40'
    ])
  })
  it('what was made up is not made up again', async () => {
    const first = await missed('all')
    const count = first.runs('a').length
    await first.crash()
    const next = await first.again(first.clock.now() + 1_000)
    await next.until(next.clock.now() + 2 * MINUTE)
    expect([count, next.runs('a').length]).to.deep.equal([3, 3])
  })
  it('a definition that is new, and one whose schedule has changed, has missed nothing', async () => {
    const first = await given({ a: dag('"*/10 * * * *"', 'catchup: all') })
    await first.until(minutes(11))
    await first.crash()
    first.files.put('a', dag('"*/15 * * * *"', 'catchup: all'))
    first.files.put('b', dag('"*/10 * * * *"', 'catchup: all'))
    const next = await first.again(utc('2026-03-02T10:41:30'))
    await next.until(utc('2026-03-02T10:46:00'))
    expect([next.starts('a'), next.starts('b')]).to.deep.equal([['10:10', '10:45'], []])
  })
  it('P15 no slot has two runs when two looks wait for a full disk with the same missed starts', async () => {
    const first = await given({ a: dag('"* * * * *"', 'catchup: all\nmaxActiveRuns: -1') })
    await first.until(minutes(1))
    await first.crash()
    const { clock, store, start, until, decisions } = await first.again(minutes(200) + 30_000)
    const { batch } = store.root
    store.root.batch = async () => {
      throw new Error('ENOSPC: no space left on device')
    }
    const asked = start('name: other\nsteps:\n  - name: s\n    command: x\n', 'o') // its turn waits for the disk
    while (clock.now() < minutes(203) + 10_000) {
      for (let n = 0; n < 3; n++) await new Promise<void>((resolve) => setImmediate(resolve))
      clock.goTo(clock.now() + 500)
    }
    store.root.batch = batch
    clock.goTo(clock.now() + 500)
    await asked
    await until(minutes(204) + 10_000)
    const fired = decisions().flatMap(({ outcome, slot }) => (outcome === 'fired' ? [slot] : []))
    expect(fired.length).to.be.greaterThan(90)
    expect(fired.filter((slot, at) => fired.indexOf(slot) !== at)).to.deep.equal([])
  })
  it('at most 100 are made up: the latest', async () => {
    const first = await given({ a: dag('"* * * * *"', 'catchup: all\nmaxActiveRuns: -1') })
    await first.until(minutes(1))
    first.clock.jump(minutes(200) + 1_000)
    await first.until(minutes(201) + 10_000)
    const made = first.decisions().filter(({ catchup }) => catchup === 'all')
    expect(made.length).to.be.within(100, 102)
  })
})

describe('schedules › 11.14 to 11.16 definitions and flags', () => {
  it('11.14 suspended: none of its schedules fires; it goes on when it is no longer', async () => {
    const { until, files, told } = await given({ a: dag('{start: "*/5 * * * *", stop: "*/5 * * * *"}') })
    files.suspended.add('a')
    await until(minutes(6))
    files.suspended.clear()
    await until(minutes(11))
    expect(told()).to.deep.equal([
      'stop 10:05 suspended',
      'start 10:05 suspended',
      'stop 10:10 nothing_running',
      'start 10:10 fired'
    ])
  })
  it('11.15 definitions that are added, changed and removed are seen at the next minute', async () => {
    const { until, files, starts } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    files.put('b', dag('8 * * * *'))
    files.put('a', dag('9 * * * *'))
    await until(minutes(10))
    files.remove('a')
    files.put('b', dag('11 * * * *'))
    await until(minutes(70))
    expect([starts('a'), starts('b')]).to.deep.equal([
      ['10:05', '10:09'],
      ['10:08', '10:11']
    ])
  })
  it('11.15 a tick while files are still being read holds up nobody: it waits for them, and what they say is started in its minute', async () => {
    let read = () => {}
    const { files, until, starts, told, clock } = await given({ a: dag('"*/5 * * * *"') })
    files.reading = new Promise((resolve) => {
      read = resolve
    })
    await until(utc('2026-03-02T10:05:10'))
    expect(starts('a')).to.deep.equal([])
    files.put('b', dag('"5 * * * *"'))
    read()
    await until(clock.now() + 1)
    expect([starts('a'), starts('b')]).to.deep.equal([['10:05'], ['10:05']])
    expect(told()).to.have.members(['start 10:05 fired', 'start 10:05 fired'])
  })
  it('11.15 files that took longer than the minute: it is missed, and nothing has two runs', async () => {
    let read = () => {}
    const { files, until, starts, told } = await given({ a: dag('"*/5 * * * *"') })
    files.reading = new Promise((resolve) => {
      read = resolve
    })
    await until(utc('2026-03-02T10:06:30'))
    read()
    await until(utc('2026-03-02T10:10:30'))
    expect(starts('a')).to.deep.equal(['10:10'])
    expect(told()).to.deep.equal(['start 10:05 missed', 'start 10:10 fired'])
  })
  it('11.15 a definition with errors has no schedule', async () => {
    const { until, files, starts } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    files.put('a', dag('"*/5 * * * *"', 'nonsense: 1'))
    await until(minutes(11))
    expect(starts('a')).to.deep.equal(['10:05'])
  })
})
