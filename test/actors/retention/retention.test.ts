/** The removal of runs. Source: execution-semantics 14.1. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { findRuns } from '../../../src/store/find-runs.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Simulation, simulate } from '../../support/simulated/simulation.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)
const dag = (days: number | undefined, name = 'a') =>
  `name: ${name}\n${days === undefined ? '' : `histRetentionDays: ${days}\n`}maxActiveRuns: -1\nsteps:\n  - name: s\n    command: x\n`
const script = () => ({ ms: 1_000, exitCode: 0 })

/** Plays alarm by alarm until an instant. */
async function until({ clock, play }: Simulation, at: number) {
  await play(() => (clock.next() ?? Number.POSITIVE_INFINITY) > at)
  clock.goTo(at)
  await play(() => true)
}
const ids = ({ store }: Simulation, name = 'a') => findRuns(store, { name }).map(({ dagRunId }) => dagRunId)

async function given(at = NOW, home = temporaryFolder()) {
  const engine = await simulate(home, script, simulatedClock(at))
  return { ...engine, home, until: (at: number) => until(engine, at), ids: (name?: string) => ids(engine, name) }
}

/** More than one batch. */
const MANY = ofAll(70, 130)

describe('retention › 14.1', () => {
  it('14.1.1 N > 0: runs whose last change is more than N x 24 h old go once a day', async () => {
    const { start, until, ids, store } = await given()
    await start(dag(2), 'r')
    await until(NOW + 2 * DAY)
    expect(ids()).to.deep.equal(['r'])
    await until(NOW + 3 * DAY + 1_000)
    expect(ids()).to.deep.equal([])
    for (const kind of [store.nodes, store.journal, store.byTime, store.byStatus, store.leftovers] as {
      getKeysCount(): number
    }[])
      expect(kind.getKeysCount()).to.equal(0)
  })
  it('14.1.3 at the start of a run of that DAG', async () => {
    const { start, until, ids } = await given()
    await until(NOW + 1_000)
    await start(dag(1), 'r')
    await until(NOW + DAY + 500)
    expect(ids()).to.deep.equal(['r'])
    await until(NOW + DAY + 60_000)
    await start(dag(1), 'next')
    await until(NOW + DAY + 60_100)
    expect(ids()).to.deep.equal(['next'])
  })
  it('14.1.3 0: after the end, and not before 5 s', async () => {
    const { start, until, ids } = await given()
    await start(dag(0), 'r')
    await until(NOW + 5_900)
    expect(ids()).to.deep.equal(['r'])
    await until(NOW + 6_500)
    expect(ids()).to.deep.equal([])
  })
  it('14.1.1 negative: forever; absent: 30 days', async () => {
    const { start, until, ids, clock } = await given()
    await start(dag(-1), 'r')
    await start(dag(undefined, 'b'), 'r')
    await until(NOW + 10_000)
    clock.jump(NOW + 30 * DAY)
    await until(NOW + 30 * DAY)
    expect([ids(), ids('b')]).to.deep.equal([['r'], ['r']])
    clock.jump(NOW + 31 * DAY + 20_000)
    await until(NOW + 31 * DAY + 21_000)
    expect([ids(), ids('b')]).to.deep.equal([['r'], []])
  })
  it('14.1.2 an active run is never removed', async () => {
    const home = temporaryFolder()
    const engine = await simulate(home, () => ({ ms: 5 * DAY, exitCode: 0 }), simulatedClock(NOW))
    await engine.start(dag(0), 'r')
    await until(engine, NOW + 4 * DAY)
    expect(engine.record({ name: 'a', dagRunId: 'r' })?.status).to.equal('running')
  })
  it('14.1.5 the value is that of the newest run', async () => {
    const { start, until, ids } = await given()
    await start(dag(0), 'old')
    await until(NOW + 2_000)
    await start(dag(-1), 'new')
    await until(NOW + 2 * DAY)
    expect(ids()).to.deep.equal(['new', 'old'])
  })
  it('14.1.4 logs of all attempts, empty folders and its own working directory go; what others have put there stays', async () => {
    const { start, until, home, record } = await given()
    const put = (path: string) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '')
    }
    const folder = join(home, 'logs', 'a', 'r')
    const key = await start(dag(0), 'r')
    const kept = join(home, 'logs', 'a', 'kept')
    await until(NOW + 1_500)
    expect(record(key)?.status).to.equal('succeeded')
    put(kept)
    for (const file of ['1/s.out', '1/s.err', '1/s.1', 'run.log']) put(join(folder, file))
    const own = join(home, 'data', 'work', 'a', 'r', 'deep', 'file')
    put(own)
    await until(NOW + 8_000)
    expect(existsSync(folder)).to.equal(false)
    expect(existsSync(join(home, 'data', 'work', 'a'))).to.equal(false)
    expect(readdirSync(join(home, 'logs', 'a'))).to.deep.equal(['kept'])
  })
  it('14.1.4 a file that a step names with stdout: is kept, in the log folder too', async () => {
    const { start, until, home } = await given()
    const folder = join(home, 'logs', 'a', 'r', '1')
    await start(dag(0), 'r')
    mkdirSync(folder, { recursive: true })
    for (const name of ['s.out', 'report.txt']) writeFileSync(join(folder, name), '')
    await until(NOW + 8_000)
    expect(readdirSync(folder)).to.deep.equal(['report.txt'])
  })
  it('14.1.4 sub runs go with their root, and so do their logs, where release 0.2 kept them, too', async () => {
    const { start, until, store, home } = await given()
    const text = `name: a\nhistRetentionDays: 0\nsteps:\n  - name: c\n    call: kid\n---\nname: kid\nsteps:\n  - name: k\n    command: x\n`
    await start(text, 'r')
    await until(NOW + 1_500)
    expect(store.runs.getKeysCount()).to.equal(2)
    for (const { value } of store.runs.getRange()) {
      const { log, nodeLogs, caller } = value.record
      const ofSteps = caller ? [join(nodeLogs, 'k.out'), join(dirname(log), '1', 'k.out')] : [join(nodeLogs, 'c.out')]
      for (const file of [log, ...ofSteps]) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, '')
      }
    }
    await until(NOW + 8_000)
    expect([store.runs.getKeysCount(), store.subs.getKeysCount(), store.calls.getKeysCount()]).to.deep.equal([0, 0, 0])
    expect(readdirSync(join(home, 'logs'))).to.deep.equal([])
  })
  it('a crash after the records have gone: the files go with the next engine', async () => {
    const first = await given()
    const folder = join(first.home, 'logs', 'a', 'r')
    mkdirSync(join(folder, '1'), { recursive: true })
    writeFileSync(join(folder, '1', 's.out'), '')
    const own = join(first.home, 'data', 'work', 'a', 'r')
    const value = { log: join(folder, 'run.log'), nodeLogs: [join(folder, '1')], steps: ['s'], own }
    await first.store.leftovers.put(['a', 'r', NOW], value)
    await first.crash()
    const next = await given(NOW + 1_000, first.home)
    await next.until(NOW + 2_000)
    expect(existsSync(folder)).to.equal(false)
    expect(next.store.leftovers.getKeysCount()).to.equal(0)
  })
  it('many are removed batch by batch', async () => {
    const { start, until, ids } = await given()
    for (let n = 0; n < MANY; n++) await start(dag(1), `r${n}`)
    await until(NOW + 3_000)
    expect(ids()).to.have.length(MANY)
    await until(NOW + 2 * DAY + 1_000)
    expect(ids()).to.have.length(0)
  })
  it('a run is removed once, at most 50 in a transaction, however many runs start meanwhile', async () => {
    const { start, until, ids, store } = await given()
    for (let n = 0; n < MANY; n++) await start(dag(1), `r${n}`)
    await until(NOW + DAY)
    const removed: number[] = []
    const { batch } = store.root
    store.root.batch = (work) => {
      removed.push(0)
      return batch.call(store.root, work)
    }
    const runs = store.runs as unknown as { remove(key: unknown): unknown }
    const { remove } = runs
    runs.remove = (key) => {
      removed.push((removed.pop() ?? 0) + 1)
      return remove.call(runs, key)
    }
    const fresh = Array.from({ length: 20 }, (_, n) => `new${n}`)
    await until(NOW + DAY + 5_000)
    await Promise.all(fresh.map((id) => start(dag(1), id)))
    await until(NOW + DAY + 10_000)
    expect(ids().toSorted()).to.deep.equal(fresh.toSorted())
    expect(removed.reduce((sum, count) => sum + count, 0)).to.equal(MANY)
    expect(Math.max(...removed)).to.be.at.most(50)
  })
  it('0: runs that end one after the other are looked at once a second, not each time one ends', async () => {
    const home = temporaryFolder()
    let count = 0
    const engine = await simulate(home, () => ({ ms: 1_000 + 10 * count++, exitCode: 0 }), simulatedClock(NOW))
    const { store } = engine
    let looks = 0
    const index = store.byName as unknown as { getKeys(range: { reverse?: boolean; limit?: number }): unknown }
    const { getKeys } = index
    index.getKeys = (range) => {
      if (!range.reverse && range.limit === undefined) looks++
      return getKeys.call(index, range)
    }
    await Promise.all(Array.from({ length: 40 }, (_, n) => engine.start(dag(0), `r${n}`)))
    await until(engine, NOW + 10_000)
    expect(ids(engine)).to.deep.equal([])
    expect(looks).to.be.at.most(10)
  })
})
