/** Missed minutes: the engine was down, the machine slept, the clock was set, the disk was full. Source: execution-semantics 11. */
import { expect } from 'chai'
import { dag, given, minutes } from '../../support/simulated/given-schedules.ts'
import { MINUTE, utc } from '../../support/simulated/schedules.ts'
import type { Script } from '../../support/simulated/simulation.ts'

describe('schedules › 11.13 missed minutes', () => {
  it('are not backfilled when the engine was down', async () => {
    const { until, crash, again } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(6))
    await crash()
    const next = await again(minutes(31))
    await next.until(minutes(36))
    expect(next.starts('a')).to.deep.equal(['10:05', '10:35'])
  })
  it('are not backfilled when the machine slept; what was skipped is reported once', async () => {
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
  it('a minute that could not be processed in time, because nothing could be stored, is missed', async () => {
    const { until, clock, start, starts, told, store } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(3))
    const { batch } = store.root
    store.root.batch = async () => {
      throw new Error('ENOSPC: no space left on device')
    }
    const asked = start('name: other\nsteps:\n  - name: s\n    command: x\n', 'o') // its transaction waits for the disk
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
  it('a minute whose lookup waited for a full disk while the clock was set back comes in its time', async () => {
    const { until, clock, start, starts, told, store } = await given({ a: dag('"*/5 * * * *"') })
    await until(minutes(3))
    const { batch } = store.root
    store.root.batch = async () => {
      throw new Error('ENOSPC: no space left on device')
    }
    const asked = start('name: other\nsteps:\n  - name: s\n    command: x\n', 'o') // its transaction waits for the disk
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
  it('the clock set ahead and back: what was skipped comes in its time', async () => {
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
  it('what was backfilled is not backfilled again', async () => {
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
  it('P15 no slot has two runs when two lookups wait for a full disk with the same missed starts', async () => {
    const first = await given({ a: dag('"* * * * *"', 'catchup: all\nmaxActiveRuns: -1') })
    await first.until(minutes(1))
    await first.crash()
    const { clock, store, start, until, decisions } = await first.again(minutes(200) + 30_000)
    const { batch } = store.root
    store.root.batch = async () => {
      throw new Error('ENOSPC: no space left on device')
    }
    const asked = start('name: other\nsteps:\n  - name: s\n    command: x\n', 'o') // its transaction waits for the disk
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
  it('at most 100 are backfilled: the latest', async () => {
    const first = await given({ a: dag('"* * * * *"', 'catchup: all\nmaxActiveRuns: -1') })
    await first.until(minutes(1))
    first.clock.jump(minutes(200) + 1_000)
    await first.until(minutes(201) + 10_000)
    const made = first.decisions().filter(({ catchup }) => catchup === 'all')
    expect(made.length).to.be.within(100, 102)
  })
})
