/** A dispatched run that does not start in time, with the real actors, under a simulated clock. Source: execution-semantics 12.11, api-semantics 4.9. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { planHash } from '../../../src/actors/run/plan-hash.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { openWriteAhead } from '../../../src/store/disk/write-ahead.ts'
import { journalOf } from '../../../src/store/history.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type SimulatedClock, simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate } from '../../support/simulated/simulation.ts'

/** A step takes 5 s. From 3 s after the start until the specified second only the write-ahead file accepts writes. */
const STEP_MS = 5_000
const FULL_AT = 3_000
/** Interval between retries of a failed write. */
const RETRY_MS = 500

interface Queued extends Simulation {
  start0: number
  enqueue(dagRunId: string): Promise<RunKey>
  /** Lets time pass until this many ms after the start. */
  until(ms: number): Promise<void>
}

/** The database refuses every transaction while `disk.full`. */
function refusing(store: Store, disk: { full: boolean }): Store {
  const root = new Proxy(store.root, {
    get(root, name) {
      if (name === 'batch' && disk.full) return () => Promise.reject(new Error('ENOSPC: no space left on device'))
      const member = Reflect.get(root, name, root)
      return typeof member === 'function' ? member.bind(root) : member
    }
  })
  return { ...store, root }
}

/** Promises, files and commits arrive; time stands still. */
async function quiet({ system }: Simulation, disk: { full: boolean }): Promise<void> {
  for (let idle = 0; idle < 5; idle++) {
    if (!disk.full && system.transactions.stalled === undefined) await system.transactions.settled() // else it waits for the clock
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some((resource) => /^(FSReq|CloseReq)/.test(resource))) idle = -1
  }
}

async function queued(disk: { full: boolean }, script: Script = () => ({ ms: STEP_MS, exitCode: 0 })): Promise<Queued> {
  const home = temporaryFolder()
  const clock: SimulatedClock = simulatedClock()
  const simulation = await simulate(home, script, clock, {
    stored: () => {
      const store = refusing(openStore(join(home, 'data')), disk)
      return { store, ahead: openWriteAhead(join(home, 'data', 'write-ahead')) }
    }
  })
  const spec = 'name: q\nsteps:\n  - name: s\n    command: x\n'
  const { plan } = readDefinition(spec)
  if (!plan) throw new Error('the definition has problems')
  const start0 = clock.now()
  return {
    ...simulation,
    start0,
    async enqueue(dagRunId) {
      const key = { name: 'q', dagRunId }
      const logs = join(home, 'logs', dagRunId)
      const now = clock.now()
      const hash = planHash({ plan, spec })
      const files = { log: join(logs, 'run.log'), nodeLogs: join(logs, '1'), plan: hash }
      await simulation.system.start({
        record: { ...key, status: 'running', attempt: 1, createdAt: now, startedAt: now, params: [], ...files },
        plan: { plan, spec },
        singleton: false,
        enqueue: { bounded: false }
      })
      return key
    },
    async until(ms) {
      for (;;) {
        await quiet(simulation, disk)
        const next = clock.next()
        if (next === undefined || next > start0 + ms) break
        clock.goTo(next)
      }
      clock.goTo(start0 + ms)
      await quiet(simulation, disk)
    }
  }
}

/** `a` runs, `b` and `c` wait; the database refuses from 3 s on, `a` ends at 5 s, or `lateMs` before the engine hears of it at 5 s. */
async function outage(endsAt: number, lateMs = 0) {
  const disk = { full: false }
  const engine = await queued(disk, () => ({ ms: STEP_MS - lateMs, exitCode: 0, lateMs }))
  const keys = [await engine.enqueue('a'), await engine.enqueue('b'), await engine.enqueue('c')] as const
  await engine.until(FULL_AT)
  disk.full = true
  await engine.until(endsAt)
  disk.full = false
  engine.clock.goTo(engine.clock.now() + RETRY_MS)
  while (engine.system.transactions.stalled !== undefined) await new Promise<void>((resolve) => setImmediate(resolve))
  await engine.until(endsAt + 60_000)
  const [a, b, c] = keys.map((key) => engine.record(key))
  return { engine, keys, a, b, c }
}

describe('queue › 12.11 a dispatched run that is no running run within 10 s', () => {
  it('is discarded and becomes failed, its slot is free, and the next one runs', async () => {
    const { engine, keys, a, b, c } = await outage(17_000)
    expect([a?.status, b?.status, c?.status]).to.deep.equal(['succeeded', 'failed', 'succeeded'])
    expect(b?.error).to.equal('queued run did not start within 10s')
    expect((b?.finishedAt ?? 0) - engine.start0).to.equal(STEP_MS + 10_000)
    expect(engine.begun).to.deep.equal(['s#1', 's#1'])
    const told = journalOf(engine.store, keys[1], 0, 100).map(({ event }) => event)
    expect(told).to.deep.equal(['enqueue.requested', 'run.parked'])
    await engine.store.root.close()
  })
  it('is gone from memory: nothing of it is open, and its end is known at once', async () => {
    const { engine, keys } = await outage(17_000)
    for (const key of keys) {
      expect([engine.system.isOpen(key), engine.system.isTaken(key)]).to.deep.equal([false, false])
      await engine.system.ended(key)
    }
    await engine.store.root.close()
  })
  it('in time it is started', async () => {
    const { engine, b, c } = await outage(14_000)
    expect([b?.status, c?.status]).to.deep.equal(['succeeded', 'succeeded'])
    expect(b?.error).to.equal(undefined)
    await engine.store.root.close()
  })
  it('has 10 s from the moment in which the engine hears of the end that frees its slot, not from that end itself', async () => {
    const { engine, a, b, c } = await outage(14_000, 4_000)
    expect([a?.status, b?.status, c?.status]).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
    await engine.store.root.close()
  })
  it('fails as well when it was enqueued meanwhile, as soon as its record can be read', async () => {
    const disk = { full: true }
    const engine = await queued(disk)
    const enqueued = engine.enqueue('a')
    await engine.until(12_000)
    disk.full = false
    engine.clock.goTo(engine.clock.now() + RETRY_MS)
    const key = await enqueued
    await engine.until(60_000)
    const record = engine.record(key)
    expect([record?.status, record?.error]).to.deep.equal(['failed', 'queued run did not start within 10s'])
    expect(record).not.to.have.any.keys('startedAt')
    expect(engine.begun).to.deep.equal([])
    expect([engine.system.isOpen(key), engine.system.isTaken(key)]).to.deep.equal([false, false])
    await engine.system.ended(key)
    await engine.store.root.close()
  })
  it('12.13 dequeued before its record can be read: nothing of it is left, and then that is answered', async () => {
    const disk = { full: false }
    const engine = await queued(disk)
    await engine.enqueue('a')
    await engine.until(1_000)
    disk.full = true
    const enqueued = engine.enqueue('b')
    await engine.until(2_000)
    const dequeued = engine.system.dequeue({ name: 'q', dagRunId: 'b' })
    await engine.until(3_000)
    disk.full = false
    engine.clock.goTo(engine.clock.now() + RETRY_MS)
    const key = await enqueued
    expect(await dequeued).to.equal(true)
    expect([engine.record(key), engine.system.isTaken(key)]).to.deep.equal([undefined, false])
    await engine.until(60_000)
    expect(engine.begun).to.deep.equal(['s#1'])
    await engine.store.root.close()
  })
  it('and neither is any other: as long as nothing can be stored, each of them has its 10 s, in order', async () => {
    const { engine, b, c } = await outage(40_000)
    expect([b?.status, c?.status]).to.deep.equal(['failed', 'failed'])
    expect([b?.error, c?.error]).to.deep.equal(Array(2).fill('queued run did not start within 10s'))
    expect([b, c].map((record) => (record?.finishedAt ?? 0) - engine.start0)).to.deep.equal([15_000, 25_000])
    await engine.store.root.close()
  })
})
