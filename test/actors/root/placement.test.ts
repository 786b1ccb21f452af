/** Placed runs on a real store, restarts included. Source: distribution 1, 2; api-semantics 7.2 (selector on a child). */
import { expect } from 'chai'
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { retriedRun } from '../../../src/actors/recovery/retried-run.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { planOf } from '../../../src/store/history.ts'
import type { StoredRun } from '../../../src/store/stored.ts'
import { fleetWorker } from '../../support/charts/engine-chart.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { type Script, type Simulation, simulate } from '../../support/simulated/simulation.ts'

const EPOCH = 1_000_000_000
const script: Script = () => ({ ms: 1_000, exitCode: 0 })
const labelled = 'name: labelled\nmaxActiveRuns: 9\nworkerSelector: {zone: a}\nsteps: [{name: s, command: x}]'
const caller = `name: caller
steps: [{name: c, call: kid}]
---
name: kid
workerSelector: {zone: b}
steps: [{name: k, command: x}]`
const everyItem = caller.replace('call: kid', 'call: kid, parallel: {items: [one, two, three], maxConcurrent: 2}')
const inZoneB = { labels: { zone: 'b' } }

describe('actors › placement', () => {
  let home: string
  let simulations: Simulation[]
  beforeEach(() => {
    home = temporaryFolder()
    simulations = []
  })
  afterEach(() => simulations.at(-1)?.crash())

  /** The engine is started, again when it was before. */
  async function engine(): Promise<Simulation> {
    const before = simulations.at(-1)
    await before?.crash()
    const clock = simulatedClock((before?.clock.now() ?? Date.UTC(2026, 0, 1)) + 5)
    const one = await simulate(home, script, clock, {
      fleet: { lease: EPOCH * (simulations.length + 1) },
      find: () => ({
        began: Promise.resolve(clock.now()),
        stop: () => {},
        kill: () => {},
        ended: new Promise((resolve) => clock.after(1_000, () => resolve({ exitCode: 0, at: clock.now(), offset: 0 })))
      })
    })
    simulations.push(one)
    return one
  }
  const works = ({ system }: Simulation, id: string, of: Partial<FleetWorker> = {}) =>
    system.workerChanged(`home-${id}`, () => fleetWorker(id, of))
  const is = (one: Simulation, key: RunKey, status: string) => () => one.record(key)?.status === status
  /** The records of the sub runs, by the order of their creation. */
  const kids = ({ store }: Simulation) =>
    Array.from(store.runs.getRange({ start: ['kid'], end: ['kie'] }), ({ value: { record } }) => record)
  const settle = (one: Simulation) => {
    let looks = 0
    return one.play(() => ++looks > 20)
  }

  it('D1, D2 a start waits for a fitting worker; where it is placed is stored as it is let go, and it begins at once', async () => {
    const one = await engine()
    const key = await one.start(labelled, 'r1')
    works(one, 'wb', inZoneB)
    await one.play(is(one, key, 'queued'))
    const cameAt = one.clock.now()
    works(one, 'wa')
    await one.play(is(one, key, 'running'))
    expect(one.record(key)).to.deep.include({ placement: { home: 'home-wa', id: 'wa', lease: EPOCH + 1 } })
    const [on] = one.system.placements().values()
    expect([on?.taken, on?.runs.map(({ dagRunId }) => dagRunId)]).to.deep.equal([1, ['r1']])
    await one.play()
    expect(one.record(key)).to.include({ status: 'succeeded', startedAt: cameAt })
    expect(one.system.placements().size).to.equal(0)
  })

  it('D1 with a fitting worker it starts without a detour through the queue; without a selector nothing is placed', async () => {
    const one = await engine()
    works(one, 'wa')
    const key = await one.start(labelled, 'r1')
    const plain = await one.start('name: plain\nsteps: [{name: s, command: x}]', 'r1')
    await one.play()
    expect(one.record(key)).to.deep.include({
      status: 'succeeded',
      placement: { home: 'home-wa', id: 'wa', lease: EPOCH + 1 }
    })
    expect([one.record(key)?.queuedAt, one.record(plain)?.placement]).to.deep.equal([undefined, undefined])
  })

  it('D2 an enqueued run lets others pass, and keeps its place over a restart', async () => {
    const first = await engine()
    const [waits, passes] = [await first.start(labelled, 'r1', 'enqueue'), await first.start(labelled, 'r2', 'enqueue')]
    const plain = await first.start('name: plain\nsteps: [{name: s, command: x}]', 'r1', 'enqueue')
    await first.play(is(first, plain, 'succeeded'))
    expect([first.record(waits)?.status, first.record(passes)?.status]).to.deep.equal(['queued', 'queued'])
    const second = await engine()
    await settle(second)
    expect(second.record(waits)?.status).to.equal('queued')
    works(second, 'wa')
    await second.play()
    expect(second.record(waits)).to.deep.include({
      status: 'succeeded',
      placement: { home: 'home-wa', id: 'wa', lease: 2 * EPOCH + 1 }
    })
    expect(second.record(passes)?.startedAt).to.equal(second.record(waits)?.finishedAt ?? 0)
  })

  it('a run that was placed before a restart holds its slot afterwards; the next one begins when it ends (D14)', async () => {
    const first = await engine()
    works(first, 'wa')
    const key = await first.start(labelled, 'r1')
    await first.play(() => first.begun.length === 1)
    const second = await engine()
    works(second, 'wa')
    const next = await second.start(labelled, 'r2')
    await second.play(is(second, next, 'queued'))
    await second.play()
    expect(second.record(key)).to.deep.include({
      status: 'succeeded',
      placement: { home: 'home-wa', id: 'wa', lease: EPOCH + 1 }
    })
    expect(second.record(next)?.startedAt).to.equal(second.record(key)?.finishedAt)
    expect(second.record(next)?.placement?.lease).to.equal(2 * EPOCH + 1)
  })

  it('a retry is placed anew', async () => {
    const one = await engine()
    works(one, 'wa')
    const key = await one.start(labelled, 'r1')
    await one.play()
    one.system.workerChanged('home-wa', () => undefined)
    const old = one.record(key)
    const workflow = old && planOf(one.store, old.plan)
    if (!old || !workflow) throw new Error('nothing is stored')
    const retried = retriedRun(one.store, { ...old, status: 'failed' }, workflow, one.clock.now())
    void one.system.start({ record: retried.run.record, plan: workflow, singleton: false, retried })
    await one.play(is(one, key, 'queued'))
    expect(one.record(key)).not.to.have.property('placement')
    works(one, 'wc')
    await one.play()
    expect(one.record(key)).to.deep.include({
      status: 'succeeded',
      attempt: 2,
      placement: { home: 'home-wc', id: 'wc', lease: EPOCH + 2 }
    })
  })

  describe('of sub runs', () => {
    it('one without a selector is where its caller is, and takes no slot', async () => {
      const one = await engine()
      works(one, 'wb', inZoneB)
      const text = caller
        .replace('\nsteps: [{name: c', '\nworkerSelector: {zone: b}\nsteps: [{name: c')
        .replace(/(name: kid\n)workerSelector.*\n/, '$1')
      expect(readDefinition(text).plan?.locals[0]?.workerSelector).to.equal(undefined)
      const key = await one.start(text, 'r1')
      await one.play()
      expect(one.record(key)?.status).to.equal('succeeded')
      expect(kids(one).map(({ placement }) => placement)).to.deep.equal([one.record(key)?.placement])
    })

    it('one with a selector waits for its worker, over a restart too, and its caller with it', async () => {
      const first = await engine()
      const key = await first.start(caller, 'r1')
      await first.play(() => kids(first)[0]?.status === 'queued')
      await settle(first)
      expect([first.record(key)?.status, kids(first)[0]?.queue]).to.deep.equal(['running', undefined])
      const second = await engine()
      await settle(second)
      expect([second.record(key)?.status, kids(second)[0]?.status]).to.deep.equal(['running', 'queued'])
      works(second, 'wb', inZoneB)
      await second.play()
      expect(second.record(key)?.status).to.equal('succeeded')
      expect(kids(second)[0]).to.deep.include({
        status: 'succeeded',
        placement: { home: 'home-wb', id: 'wb', lease: 2 * EPOCH + 1 }
      })
    })

    it('parallel: each is placed by itself, as slots are free', async () => {
      const one = await engine()
      works(one, 'wb', { ...inZoneB, slots: 1 })
      const key = await one.start(everyItem, 'r1')
      await one.play()
      expect(one.record(key)?.status).to.equal('succeeded')
      const starts = kids(one)
        .map(({ startedAt = 0 }) => startedAt)
        .sort()
      expect(starts.map((at) => at - (starts[0] ?? 0))).to.deep.equal([0, 1_000, 2_000])
    })

    for (const [how, options] of [
      ['a stop', {}],
      ['a stop by force', { force: true }]
    ] as const)
      it(`${how} of the caller: who waits is canceled and begins nothing, over a restart too`, async () => {
        for (const restarts of [false, true]) {
          home = temporaryFolder()
          const first = await engine()
          const key = await first.start(everyItem, 'r1')
          await first.play(() => kids(first).filter(({ status }) => status === 'queued').length === 2)
          const one = restarts ? await engine() : first
          void one.system.stop(key, options)
          await one.play()
          expect(one.record(key)?.status).to.equal('canceled')
          expect(kids(one).map(({ status }) => status)).to.deep.equal(['canceled', 'canceled'])
          works(one, 'wb', { ...inZoneB, slots: 9 })
          await settle(one)
          expect(one.begun).to.deep.equal([])
        }
      })

    it('whose caller cannot be restored: it is canceled', async () => {
      const first = await engine()
      const key = await first.start(caller, 'r1')
      await first.play(() => kids(first)[0]?.status === 'queued')
      const { open: _, ...stored } = first.store.runs.get([key.name, key.dagRunId]) ?? {}
      await first.store.runs.put([key.name, key.dagRunId], stored as StoredRun)
      const second = await engine()
      await second.play().catch(({ message }: Error) => expect(message).to.match(/cannot continue/))
      await settle(second).catch(() => {})
      expect([second.record(key)?.status, kids(second)[0]?.status]).to.deep.equal(['failed', 'canceled'])
    })

    it('a retry of the caller calls it again', async () => {
      const one = await engine()
      const key = await one.start(caller, 'r1')
      await one.play(() => kids(one)[0]?.status === 'queued')
      void one.system.stop(key)
      await one.play()
      const old = one.record(key)
      const workflow = old && planOf(one.store, old.plan)
      if (!old || !workflow) throw new Error('nothing is stored')
      const retried = retriedRun(one.store, old, workflow, one.clock.now())
      void one.system.start({ record: retried.run.record, plan: workflow, singleton: false, retried })
      await one.play(() => kids(one)[0]?.status === 'queued')
      works(one, 'wb', inZoneB)
      await one.play()
      expect([one.record(key)?.status, kids(one)[0]?.status, kids(one)[0]?.attempt]).to.deep.equal([
        'succeeded',
        'succeeded',
        2
      ])
    })
  })
})
