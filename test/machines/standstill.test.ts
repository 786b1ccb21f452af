/** Runs that hold the slots which their sub runs need of each other. Source: distribution 1. */
import { expect } from 'chai'
import { heldBackWith } from '../../machines/tables/standstill.ts'
import type { Placement, RunKey } from '../../machines/vocabulary.ts'
import { driveEngine } from '../support/charts/engine-chart.ts'
import { key, plan, step } from '../support/charts/plans.ts'

const LOOK_MS = 5_000
type Driven = ReturnType<typeof driveEngine>

const inZone = (zone: string, ...others: string[]) =>
  plan([step('call', { call: 'sub' }), ...others.map((name) => step(name))], {
    workerSelector: { zone },
    maxActiveRuns: 100,
    type: 'graph'
  })

/** Workers in the zones a, b and c. */
function driven(slots = 1) {
  const engine = driveEngine({ lease: 0 })
  for (const zone of ['a', 'b', 'c']) engine.works(`w${zone}`, { labels: { zone }, slots })
  return engine
}
const homes = (zones: string) => [...zones].map((zone) => `home-w${zone}`)

/** The call of a run goes to its sub runs. */
function callsFrom(engine: Driven, caller: string, subs: string[], zone: string, around: string): void {
  const { stage } = engine
  const resolution = stage.live('resolution').find(({ input }) => (input as { run: RunKey }).run.dagRunId === caller)
  resolution?.answer('call.resolved', {
    items: subs.map((id) => ({ ...key(id), params: '' })),
    plan: 'p',
    maxConcurrent: 9,
    offset: 0,
    stopped: false
  })
  for (const id of subs) engine.calls(id, zone, homes(around))
}
/** It is placed in its zone, and its call is being resolved. */
function begins(engine: Driven, id: string, zone: string, ...others: string[]): void {
  engine.starts(id, inZone(zone, ...others))
  engine.prepares(id)
}
/** Its one step ends, and its caller hears of it. */
function ends(engine: Driven, id: string): void {
  engine.prepares(id)
  const { stage } = engine
  stage
    .live('attempt')
    .find(({ input }) => (input as { run: RunKey }).run.dagRunId === id)
    ?.answer('attempt.ended', { exitCode: 0 })
  stage
    .live('subRun')
    .find(({ input }) => (input as { item: RunKey }).item.dagRunId === id)
    ?.answer('sub.ended', { index: 0, status: 'succeeded' })
}
function reports(engine: Driven): void {
  for (const report of engine.stage.live('report')) report.answer('call.reported')
}
const slots = (engine: Driven) => Object.fromEntries(engine.actor.getSnapshot().context.fleet?.taken ?? [])
const placedOn = (engine: Driven, id: string): Partial<Placement> => {
  const { id: worker, extra } = engine.placed.get(id) ?? {}
  return { ...(worker ? { id: worker } : {}), ...(extra ? { extra } : {}) }
}

/** Two runs, each in a slot that the sub run of the other needs. */
function crossed(...others: string[]) {
  const engine = driven()
  begins(engine, 'r1', 'a')
  begins(engine, 'r2', 'b', ...others)
  callsFrom(engine, 'r1', ['s1'], 'b', 'a')
  callsFrom(engine, 'r2', ['s2'], 'a', 'b')
  return engine
}

describe('standstill › D2, D14 two runs, each in a slot that the sub run of the other needs', () => {
  it('one sub run goes in the place of the run that only waits, within 5 s; the other one waits', () => {
    const engine = crossed()
    expect(engine.due).to.deep.equal([])
    engine.stage.advance(LOOK_MS)
    expect(engine.due).to.deep.equal(['s1'])
    expect(placedOn(engine, 's1')).to.deep.equal({ id: 'wb', extra: true })
    engine.loads('s1')
    engine.stage.advance(10 * LOOK_MS)
    expect(engine.due).to.deep.equal(['s1'])
  })
  it('the run in whose place it goes does nothing until that has ended: then all of them end', () => {
    const engine = crossed()
    engine.stage.advance(LOOK_MS)
    engine.loads('s1')
    ends(engine, 's1')
    reports(engine)
    expect(engine.children()).to.not.include('run/dag/r1')
    engine.stage.advance(LOOK_MS)
    expect([engine.due, placedOn(engine, 's2')]).to.deep.equal([['s1', 's2'], { id: 'wa' }])
    engine.loads('s2')
    ends(engine, 's2')
    reports(engine)
    expect([slots(engine), engine.children()]).to.deep.equal([{}, ['scheduler']])
  })
  it('that run and its sub runs are held back with it, as long as that lasts; nobody else is', () => {
    const engine = crossed()
    const { fleet } = engine.actor.getSnapshot().context
    const held = () => ['r1', 's1', 'r2', 's2'].map((id) => fleet && heldBackWith(fleet, key(id))?.dagRunId)
    expect(held()).to.deep.equal([undefined, undefined, undefined, undefined])
    engine.stage.advance(LOOK_MS)
    engine.loads('s1')
    expect(held()).to.deep.equal([undefined, undefined, 'r2', 'r2'])
    ends(engine, 's1')
    expect(held()).to.deep.equal([undefined, undefined, undefined, undefined])
  })
  it('a sub run of the run that was replaced is given no free slot of another worker meanwhile', () => {
    const engine = crossed()
    engine.stage.advance(LOOK_MS)
    engine.loads('s1')
    engine.works('wa', { slots: 2 })
    engine.stage.advance(LOOK_MS)
    expect(engine.due).to.deep.equal(['s1'])
    ends(engine, 's1')
    engine.stage.advance(LOOK_MS)
    expect(engine.due).to.deep.equal(['s1', 's2'])
  })
  it('not while the run has another step at work, but soon after its end', () => {
    const engine = crossed('other')
    engine.stage.advance(10 * LOOK_MS)
    expect(engine.due).to.deep.equal([])
    engine.stage.the('attempt').answer('attempt.ended', { exitCode: 0 })
    engine.stage.advance(LOOK_MS)
    expect(engine.due).to.deep.equal(['s1'])
  })
  it('not while another run there goes on: its slot is waited for', () => {
    const engine = driven(2)
    engine.starts('work', plan([step('long')], { workerSelector: { zone: 'b' }, maxActiveRuns: 100 }))
    engine.prepares('work')
    for (const id of ['r1', 'r3']) begins(engine, id, 'a')
    begins(engine, 'r2', 'b')
    callsFrom(engine, 'r1', ['s1'], 'b', 'a')
    callsFrom(engine, 'r2', ['s2'], 'a', 'b')
    callsFrom(engine, 'r3', ['s3'], 'b', 'a')
    engine.stage.advance(10 * LOOK_MS)
    expect(engine.due).to.deep.equal([])
    engine.stage.the('attempt').answer('attempt.ended', { exitCode: 0 })
    expect([engine.due, placedOn(engine, 's1')]).to.deep.equal([['s1'], { id: 'wb' }])
  })
  it('not while a worker that one of them waits for is silent; but once that drains, or is lost', () => {
    for (const end of ['drains', 'goes'] as const) {
      const engine = crossed()
      engine.works('wa', { labels: { zone: 'a' }, isTaking: false })
      engine.stage.advance(10 * LOOK_MS)
      expect(engine.due).to.deep.equal([])
      if (end === 'drains') engine.works('wa', { labels: { zone: 'a' }, isTaking: false, takesSubRuns: true })
      else engine.leaves('wa')
      engine.stage.advance(LOOK_MS)
      expect([engine.due, placedOn(engine, 's1')]).to.deep.equal([['s1'], { id: 'wb', extra: true }])
    }
  })
  it('root runs, and sub runs of callers that hold no slot, are given a free slot only', () => {
    const engine = crossed()
    engine.starts('root', inZone('b'))
    engine.calls('sub', 'b')
    engine.stage.advance(10 * LOOK_MS)
    expect(engine.due).to.deep.equal(['s1'])
  })
})

describe('standstill › D2, D14 wider circles', () => {
  it('three runs in a circle, and calls below calls, all end', () => {
    const engine = driven()
    for (const [at, zone] of ['a', 'b', 'c'].entries()) begins(engine, `r${at}`, zone)
    for (const [at, zone] of ['a', 'b', 'c'].entries())
      callsFrom(engine, `r${at}`, [`s${at}`], ['b', 'c', 'a'][at] ?? '', zone)
    for (let turn = 0; turn < 9; turn++) {
      engine.stage.advance(LOOK_MS)
      for (const id of engine.due) {
        if (engine.children().includes(`run/dag/${id}`) || engine.forgotten.includes(id)) continue
        engine.loads(id)
        ends(engine, id)
        reports(engine)
        engine.forgotten.push(id)
      }
    }
    expect([slots(engine), engine.children()]).to.deep.equal([{}, ['scheduler']])
  })
  it('after a restart the replaced run is held back as before', () => {
    const engine = driveEngine({ lease: 0 })
    const { stage, actor } = engine
    actor.send({
      type: 'runs.found',
      at: stage.now,
      runs: [{ key: key('r2'), queue: 'dag' }],
      placed: [
        { key: key('s1'), placement: { home: 'home-wb', id: 'wb', lease: 7, extra: true } },
        { key: key('r2'), placement: { home: 'home-wb', id: 'wb', lease: 6 } }
      ]
    })
    actor.send({ type: 'runs.restored', runs: [{ key: key('r2'), plan: inZone('b') }], at: stage.now })
    for (const zone of ['a', 'b']) engine.works(`w${zone}`, { labels: { zone }, slots: 1 })
    engine.prepares('r2')
    callsFrom(engine, 'r2', ['s2'], 'a', 'b')
    expect([engine.results.at(-1)?.type, slots(engine)]).to.deep.equal(['start.queued', { 'home-wb': 2 }])
    actor.send({ type: 'run.lost', key: key('s1'), at: stage.now, error: 'over' })
    stage.advance(LOOK_MS)
    expect(engine.due).to.deep.equal(['s2'])
  })
})
