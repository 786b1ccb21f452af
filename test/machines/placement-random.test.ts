/** Whatever comes, goes, waits and ends: what placements promise holds after each event. Source: distribution 1; execution-semantics 12.15. */
import { expect } from 'chai'
import fc from 'fast-check'
import { canTake, keyOfNeeds } from '../../machines/policy/worker-needs.ts'
import type { QueueContext } from '../../machines/queue.ts'
import { getOf } from '../../machines/tables/by-run.ts'
import { takenOf, workerFor } from '../../machines/tables/fleet.ts'
import type { Item } from '../../machines/tables/waiting-line.ts'
import { driveEngine } from '../support/charts/engine-chart.ts'
import { key } from '../support/charts/plans.ts'
import { someOf } from '../support/walks.ts'

type Driven = ReturnType<typeof driveEngine>

const fleetOf = ({ actor }: Driven) => {
  const { fleet } = actor.getSnapshot().context
  if (!fleet) throw new Error('there are no workers')
  return fleet
}
const linesOf = ({ actor }: Driven): QueueContext[] =>
  Object.values(actor.getSnapshot().children).flatMap((child) => {
    const { context } = child?.getSnapshot() ?? {}
    return context && 'line' in context ? [context] : []
  })
const itemsOf = ({ line }: QueueContext): Item[] => [...line.byRun.values()].flatMap((own) => [...own.values()])
const laneOf = ({ key, needs }: Item) => `${key.name} ${needs ? keyOfNeeds(needs) : ''}`

/** Items that their queue would let go. */
function mayGo(queue: QueueContext): Item[] {
  const heads = new Map<string, Item>()
  for (const item of itemsOf(queue)) {
    const head = heads.get(laneOf(item))
    if (!head || item.order < head.order) heads.set(laneOf(item), item)
  }
  const { holders } = queue.line
  return [...heads.values()].filter(
    ({ limit }) => holders.size < (queue.capacity ?? (limit > 0 ? limit : Number.POSITIVE_INFINITY))
  )
}

const SLOTS: Record<string, number> = { wa: 1, wb: 2, wc: 1 }

function check(engine: Driven): void {
  const fleet = fleetOf(engine)
  for (const { home, slots } of fleet.workers.values()) expect(takenOf(fleet, home), 'D14').to.be.at.most(slots)
  for (const queue of linesOf(engine))
    for (const { key, needs } of mayGo(queue))
      expect(needs && workerFor(fleet, needs), `D2 ${key.dagRunId} waits beside a free slot`).to.equal(undefined)
  for (const { needs, queues } of fleet.awaited.values())
    for (const name of queues) {
      const queue = linesOf(engine).find((one) => one.name === name)
      const waiting = (queue ? itemsOf(queue) : []).some(
        (item) => item.needs && keyOfNeeds(item.needs) === keyOfNeeds(needs)
      )
      expect(waiting, `${name} is noted, and nobody waits there`).to.equal(true)
    }
  for (const [name, own] of fleet.holds)
    for (const dagRunId of own.keys()) {
      const { runs } = engine.actor.getSnapshot().context.runCounts
      expect(getOf(runs, { name, dagRunId })?.state, `${dagRunId} holds a slot`).to.equal('running')
    }
}

const zone = fc.constantFrom('a', 'b', 'none')
const op = fc.record({
  what: fc.constantFrom(
    'start',
    'start',
    'enqueue',
    'enqueue',
    'call',
    'worker',
    'worker',
    'gone',
    'load',
    'load',
    'end',
    'end',
    'end',
    'unreadable',
    'dequeue',
    'stop',
    'wait'
  ),
  zone,
  name: fc.constantFrom('x', 'y', 'z'),
  limit: fc.constantFrom(1, 2, 9),
  queue: fc.constantFrom('', 'small'),
  worker: fc.constantFrom('wa', 'wb', 'wc'),
  isTaking: fc.boolean(),
  pick: fc.nat(50)
})

describe('placement › whatever happens', () => {
  it('no worker has more runs than slots, nobody who fits waits beside a free slot, and each is on a worker with its labels', () => {
    let placed = 0
    fc.assert(
      fc.property(fc.array(op, { minLength: 20, maxLength: 120 }), (ops) => {
        const engine = driveEngine({ lease: 0, queues: { small: 2 } })
        const zones = new Map<string, string>()
        const names = new Map<string, string>()
        const seen = new Set<string>()
        let count = 0
        for (const { what, zone, name, limit, queue, worker, isTaking, pick } of ops) {
          const id = `${what[0]}${count++}`
          const at = engine.stage.now
          const selector = zone === 'none' ? {} : { workerSelector: { zone } }
          const wish = { ...selector, name, maxActiveRuns: limit, ...(queue ? { queue } : {}) }
          const known = [...names.keys()]
          const other = known[pick % Math.max(1, known.length)] ?? ''
          const their = key(other, names.get(other) ?? '')
          const due = engine.due.filter((id) => !engine.children().includes(`run/${names.get(id)}/${id}`))
          const next = due[pick % Math.max(1, due.length)] ?? ''
          const running = engine.children().filter((id) => id.startsWith('run/'))
          if (what === 'start' || what === 'enqueue') {
            names.set(id, name)
            if (zone !== 'none') zones.set(id, zone)
            if (what === 'start') engine.starts(id, wish)
            else engine.enqueues(id, wish)
          } else if (what === 'call') {
            names.set(id, 'dag')
            zones.set(id, 'b')
            engine.calls(id, 'b', isTaking ? [`home-${worker}`] : [])
          } else if (what === 'worker')
            engine.works(worker, { labels: { zone: worker === 'wc' ? 'b' : 'a' }, slots: SLOTS[worker] ?? 1, isTaking })
          else if (what === 'gone') engine.leaves(worker)
          else if (what === 'load' && next) engine.loadsOf(key(next, names.get(next)))
          else if (what === 'unreadable' && next)
            engine.actor.send({ type: 'item.unreadable', key: key(next, names.get(next)), at, error: 'gone' })
          else if (what === 'dequeue' && other) engine.actor.send({ type: 'dequeue.requested', key: their, at })
          else if (what === 'stop' && other) engine.actor.send({ type: 'run.force', key: their, at })
          else if (what === 'wait') engine.stage.advance(10_000)
          else if (what === 'end' && running.length > 0) {
            const [, name = '', dagRunId = ''] = (running[pick % running.length] ?? '').split('/')
            engine.actor.send({ type: 'run.lost', key: { name, dagRunId }, at, error: 'over' })
            delete engine.actor.getSnapshot().children[`run/${name}/${dagRunId}`]
          }
          for (const [id, { home }] of engine.placed) {
            if (seen.has(id)) continue
            seen.add(id)
            placed++
            const given = fleetOf(engine).workers.get(home)
            const needs = { labels: { zone: zones.get(id) ?? '' }, executors: ['shell'] }
            expect(given && canTake(given, needs), `D1 ${id}`).to.equal(true)
          }
          expect(engine.fault()).to.equal(undefined)
          check(engine)
        }
      }),
      { numRuns: someOf(1_000) }
    )
    expect(placed).to.be.greaterThan(50)
  })
})
