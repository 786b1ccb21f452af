/** Whatever calls whatever, on few slots: all of it ends, and no worker has more at work than slots. Source: distribution 1. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Plan, RunKey } from '../../machines/vocabulary.ts'
import { driveEngine } from '../support/charts/engine-chart.ts'
import { key, plan, step } from '../support/charts/plans.ts'
import type { InvokedStub } from '../support/charts/stage.ts'
import { seeded } from '../support/random.ts'
import { someOf } from '../support/walks.ts'

const LOOK_MS = 5_000
const ZONES = ['a', 'b', 'c', 'd']
const DEEPEST = 3

interface Called {
  id: string
  zone: string
  /** Ids of the runs that it is called from, itself included. */
  line: string[]
  plan: Plan
}

/** Roots and what they call, at random; each thing that can happen next happens at some time. */
function played(seed: number) {
  const { below, chance, pick } = seeded(seed)
  const engine = driveEngine({ lease: 0 })
  const { stage, actor } = engine
  const slots = new Map(ZONES.map((zone) => [`home-w${zone}`, 1 + below(2)]))
  const works = (zone: string) => engine.works(`w${zone}`, { labels: { zone }, slots: slots.get(`home-w${zone}`) ?? 1 })
  for (const zone of ZONES) works(zone)
  const runs = new Map<string, Called>()
  let over = 0
  /** Their steps end when nothing else is left to happen. */
  const slow = new Set<string>()
  const made = (above: string[]): Called => {
    const id = `r${runs.size}`
    const zone = pick(ZONES)
    const calls = above.length + 1 < DEEPEST && chance(0.7)
    const steps = [...(calls ? [step('call', { call: 'sub' })] : []), ...(!calls || chance(0.4) ? [step('work')] : [])]
    const depends = calls && chance(0.5) ? ['call'] : []
    const whole = [...steps, ...(chance(0.4) ? [step('then', { depends })] : [])]
    const one = { id, zone, line: [...above, id], plan: plan(whole, { workerSelector: { zone }, maxActiveRuns: 99 }) }
    runs.set(id, one)
    if (chance(0.3)) slow.add(id)
    return one
  }
  const idOf = ({ input }: InvokedStub) => {
    const { run, item } = input as { run?: RunKey; item?: RunKey }
    return (item ?? run)?.dagRunId ?? ''
  }
  /** The highest run of its line that is on the same worker has the slot. */
  const holderOf = (id: string): string => {
    const home = engine.placed.get(id)?.home
    return runs.get(id)?.line.find((one) => engine.placed.get(one)?.home === home) ?? id
  }
  function check(): void {
    expect(engine.fault()).to.equal(undefined)
    const atWork = new Map<string, Set<string>>()
    for (const attempt of stage.live('attempt')) {
      const { home = '' } = engine.placed.get(idOf(attempt)) ?? {}
      atWork.set(home, (atWork.get(home) ?? new Set()).add(holderOf(idOf(attempt))))
    }
    for (const [home, holders] of atWork)
      expect(holders.size, `SEED=${seed}: ${home}: ${[...holders]}`).to.be.at.most(slots.get(home) ?? 0)
    over = Math.max(over, actor.getSnapshot().context.fleet?.extras ?? 0)
  }
  const isOpen = (id: string) => engine.children().includes(`run/dag/${id}`)
  const [loaded, asked, heard] = [new Set<string>(), new Set<string>(), new Set<string>()]

  /** What can happen now. */
  function* next(isLast = false): Iterable<() => void> {
    for (const one of stage.live('preparation')) yield () => one.answer('run.prepared')
    for (const one of stage.live('attempt'))
      if (isLast || !slow.has(idOf(one))) yield () => one.answer('attempt.ended', { exitCode: 0 })
    for (const one of stage.live('report')) yield () => one.answer('call.reported')
    for (const one of stage.live('resolution'))
      yield () => {
        const above = runs.get(idOf(one))?.line ?? []
        const subs = Array.from({ length: 1 + below(2) }, () => made(above))
        const items = subs.map(({ id }) => ({ ...key(id), params: '' }))
        one.answer('call.resolved', { items, plan: 'p', maxConcurrent: 1 + below(2), offset: 0, stopped: false })
      }
    for (const one of stage.live('subRun')) {
      const sub = runs.get(idOf(one))
      if (!sub || heard.has(sub.id)) continue
      if (!asked.has(sub.id))
        yield () => {
          asked.add(sub.id)
          const around = [...new Set(sub.line.slice(0, -1).flatMap((id) => engine.placed.get(id)?.home ?? []))].sort()
          const needs = { labels: { zone: sub.zone }, executors: ['shell'], around }
          actor.send({ type: 'sub.requested', key: key(sub.id), plan: sub.plan, at: stage.now, needs })
        }
      else if (engine.placed.has(sub.id) && !isOpen(sub.id) && (loaded.has(sub.id) || !engine.due.includes(sub.id)))
        yield () => {
          heard.add(sub.id)
          one.answer('sub.ended', { index: (one.input as { index: number }).index, status: 'succeeded' })
        }
    }
    for (const id of engine.due) {
      const run = runs.get(id)
      if (run && !loaded.has(id))
        yield () => {
          loaded.add(id)
          actor.send({ type: 'item.loaded', key: key(id), plan: run.plan, at: stage.now })
        }
    }
  }

  /** A worker is started anew, with more slots. */
  function grow(): void {
    const zone = pick(ZONES)
    slots.set(`home-w${zone}`, (slots.get(`home-w${zone}`) ?? 0) + 1)
    works(zone)
  }
  const roots = 2 + below(9)
  for (let started = 0, moves = 0; ; moves++) {
    expect(moves, `SEED=${seed} goes on and on`).to.be.below(5_000)
    const all = [...next()]
    if (started < roots && (all.length === 0 || chance(0.3))) {
      started++
      const one = made([])
      engine.starts(one.id, one.plan)
    } else if (chance(0.01)) grow()
    else if (all.length > 0) all[below(all.length)]?.()
    else {
      const before = stage.now
      while ([...next()].length === 0 && stage.now - before < 3 * LOOK_MS) stage.advance(LOOK_MS)
      if ([...next()].length > 0) continue
      if (chance(0.3)) {
        grow()
        continue
      }
      const [last] = [...next(true)]
      if (!last) break
      last()
    }
    check()
  }
  return { open: engine.children().filter((id) => id !== 'scheduler'), over }
}

describe('standstill › D2, D14 whatever calls whatever', function () {
  this.timeout(300_000)
  it('all of it ends, and no worker has more at work than slots', () => {
    let over = 0
    fc.assert(
      fc.property(fc.nat(1_000_000), (seed) => {
        const { open, over: most } = played(seed)
        expect(open, `SEED=${seed}`).to.deep.equal([])
        over += most
      }),
      { numRuns: someOf(500) }
    )
    expect(over, 'runs in the place of others').to.be.greaterThan(0)
  })
})
