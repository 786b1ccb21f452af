/** One queue: who may start, who waits, who goes next. Source: execution-semantics 7.2, 12; api-semantics 4.2, 6.2. */
import { expect } from 'chai'
import fc from 'fast-check'
import { type AnyEventObject, createActor, setup } from 'xstate'
import type { Counts } from '../../machines/policy/census.ts'
import { type EnqueueRequested, type QueueEvent, queueMachine, type StartRequested } from '../../machines/queue.ts'
import { key } from '../support/plans.ts'
import { openStage } from '../support/stage.ts'

/** A queue below a parent that writes down what it is told and counts runs as the engine does. @param capacity of a configured queue */
function driveQueue(capacity?: number, held = false) {
  const told: AnyEventObject[] = []
  const stage = openStage()
  const queueLogic = queueMachine.provide({ actors: { alarm: stage.companion('alarm') } as never })
  const input = { name: 'q', held, ...(capacity === undefined ? {} : { capacity }) }
  const parent = setup({ actors: { queue: queueLogic } }).createMachine({
    invoke: { id: 'queue/q', src: 'queue', input },
    on: { '*': { actions: ({ event }) => told.push(event) } }
  })
  const root = createActor(parent).start()
  const send = (event: QueueEvent) => root.getSnapshot().children['queue/q']?.send(event)
  const at = () => stage.now
  /** State of each run by id, as its parent knows it. */
  const states = new Map<string, keyof Counts>()
  const nameOf = (id: string) => id.split('-')[0] ?? ''
  const activeOf = (name: string): Counts => {
    const own = [...states].filter(([id]) => nameOf(id) === name).map(([, state]) => state)
    return {
      running: own.filter((state) => state === 'running').length,
      queued: own.filter((state) => state === 'queued').length
    }
  }
  /** Reads what has been said since the last look. @returns the last of it */
  let read = 0
  const hear = () => {
    for (const { type, key } of told.slice(read)) {
      if (type === 'start.admitted' || type === 'item.due') states.set(key.dagRunId, 'running')
      else if (type === 'start.queued') states.set(key.dagRunId, 'queued')
      else if (type === 'item.expired' || type === 'item.removed') states.delete(key.dagRunId)
    }
    const news = told.slice(read)
    read = told.length
    return news
  }
  const keyOf = (id: string) => key(id, nameOf(id))
  const common = (id: string) => ({ key: keyOf(id), queue: 'q', at: at(), active: activeOf(nameOf(id)) })
  return {
    stage,
    states,
    /** Ids are `<dag>-<number>`. @returns what was said to it */
    starts(id: string, wish: Partial<StartRequested> = {}) {
      send({
        type: 'start.requested',
        limit: 1,
        singleton: false,
        exclusive: false,
        mayWait: true,
        ...common(id),
        ...wish
      })
      return hear()[0]
    },
    enqueues(id: string, wish: Partial<EnqueueRequested> = {}) {
      send({ type: 'enqueue.requested', limit: 1, bounded: false, needsWorker: false, ...common(id), ...wish })
      return hear()[0]
    },
    ends(id: string) {
      states.delete(id)
      send({ type: 'slot.freed', key: keyOf(id), at: at() })
      hear()
    },
    begins: (id: string) => send({ type: 'item.started', key: keyOf(id), at: at() }),
    withdraws(id: string) {
      send({ type: 'item.withdrawn', key: keyOf(id), at: at() })
      return hear()[0]
    },
    finds(id: string, order: number, limit = 1) {
      states.set(id, 'queued')
      send({ type: 'item.found', key: keyOf(id), limit, order, needsWorker: false, at: at() })
      hear()
    },
    retakes(id: string) {
      states.set(id, 'running')
      send({ type: 'slots.retaken', keys: [keyOf(id)], at: at() })
    },
    isHeld: () => send({ type: 'queue.held' }),
    /** Time passes. */
    waits(ms: number) {
      stage.advance(ms)
      return hear()
    },
    running: () => [...states].filter(([, state]) => state === 'running').map(([id]) => id),
    /** Ids in the order in which it became their turn. */
    due: () => told.filter(({ type }) => type === 'item.due').map(({ key }) => key.dagRunId as string),
    ended: () => told.some(({ type }) => type === 'xstate.done.actor.queue/q')
  }
}

describe('queue › 7.2.2 maxActiveRuns: running runs of this DAG name', () => {
  it('admits as long as fewer run and wait', () => {
    const queue = driveQueue()
    expect(queue.starts('a-1', { limit: 2 })).to.include({ type: 'start.admitted' })
    expect(queue.starts('a-2', { limit: 2 })).to.include({ type: 'start.admitted' })
    expect(queue.starts('a-3', { limit: 2 })).to.deep.include({
      type: 'start.refused',
      reason: 'max_run_reached',
      limit: 2,
      active: { running: 2, queued: 0 }
    })
  })
  it('7.2.3 running + queued >= maxActiveRuns: those that wait count too', () => {
    const queue = driveQueue()
    queue.starts('a-1', { limit: 1 })
    queue.enqueues('a-2')
    queue.ends('a-1')
    expect(queue.running()).to.deep.equal(['a-2'])
    queue.enqueues('a-3')
    expect(queue.starts('a-4', { limit: 2 })).to.deep.include({ active: { running: 1, queued: 1 } })
  })
  it('the limit is that of the request, and of its own DAG name only', () => {
    const queue = driveQueue()
    queue.starts('a-1')
    expect(queue.starts('a-2', { limit: 2 })).to.include({ type: 'start.admitted' })
    expect(queue.starts('b-1')).to.include({ type: 'start.admitted' })
  })
  it('7.2.5 negative maxActiveRuns: always starts at once', () => {
    const queue = driveQueue(1)
    for (let count = 0; count < 50; count++)
      expect(queue.starts(`a-${count}`, { limit: -1 })).to.include({ type: 'start.admitted' })
  })
  it('a refused run takes no slot', () => {
    const queue = driveQueue()
    queue.starts('a-1')
    for (let count = 2; count < 7; count++) queue.starts(`a-${count}`)
    expect(queue.starts('a-7', { limit: 2 })).to.include({ type: 'start.admitted' })
  })
})

describe('queue › api 4.2 CLI start: M = 1 and running: error; M > 1 reached: enqueued instead', () => {
  const wish = { waitsWhenFull: true }
  it('waits when M > 1 is reached, and goes when a run ends', () => {
    const queue = driveQueue()
    for (const id of ['a-1', 'a-2']) queue.starts(id, { limit: 2, ...wish })
    expect(queue.starts('a-3', { limit: 2, ...wish })).to.include({ type: 'start.queued' })
    expect(queue.due()).to.deep.equal([])
    queue.ends('a-1')
    expect(queue.due()).to.deep.equal(['a-3'])
  })
  it('is refused when M = 1, when it may not wait, or as a singleton', () => {
    const queue = driveQueue()
    queue.starts('a-1', { limit: 2 })
    queue.starts('a-2', { limit: 2 })
    for (const more of [{ limit: 1 }, { limit: 2, mayWait: false }, { limit: 2, singleton: true }])
      expect(queue.starts('a-3', { ...wish, ...more })).to.include({ type: 'start.refused' })
  })
})

describe('queue › an engine that leaves soon lets no queued run go', () => {
  it('a start takes its slot, and who waits stays until it is dequeued', () => {
    const queue = driveQueue(undefined, true)
    queue.finds('a-1', 1)
    queue.enqueues('a-2')
    expect(queue.starts('b-1')).to.include({ type: 'start.admitted' })
    queue.ends('b-1')
    expect(queue.due()).to.deep.equal([])
    expect(queue.withdraws('a-1')).to.include({ type: 'item.removed' })
    expect(queue.due()).to.deep.equal([])
  })
  it('one that stops its runs and leaves: from then on', () => {
    const queue = driveQueue(1)
    for (const id of ['a-1', 'a-2']) queue.enqueues(id)
    queue.isHeld()
    queue.ends('a-1')
    expect(queue.due()).to.deep.equal(['a-1'])
  })
})

describe('queue › 7.2.3 singleton: true', () => {
  it('with one running: already_running; beats the limit when both refuse, and holds without a limit', () => {
    const queue = driveQueue()
    queue.starts('a-1', { limit: 5 })
    for (const limit of [5, 1, -1])
      expect(queue.starts('a-2', { limit, singleton: true })).to.include({ reason: 'already_running' })
  })
  it('with none running: admitted', () => {
    expect(driveQueue().starts('a-1', { singleton: true })).to.include({ type: 'start.admitted' })
  })
})

describe('queue › 13.2.2 reschedule is always singleton', () => {
  it('any running or queued run of the name: max_run_reached; a full custom queue: it waits, whatever maxActiveRuns', () => {
    const queue = driveQueue(1)
    queue.starts('b-1')
    expect(queue.starts('a-1', { exclusive: true, limit: 1 })).to.include({ type: 'start.queued' })
    expect(queue.starts('a-2', { exclusive: true, limit: 1 })).to.include({ reason: 'max_run_reached' })
    queue.ends('b-1')
    expect(queue.running()).to.deep.equal(['a-1'])
    expect(queue.starts('a-3', { exclusive: true, limit: 1 })).to.include({ reason: 'max_run_reached' })
  })
})

describe('queue › 7.2.4 a start with the own limit free but the named queue full', () => {
  it('is queued instead; not for singleton, not for negative maxActiveRuns, not for maxActiveRuns 1', () => {
    const queue = driveQueue(1)
    queue.starts('a-1')
    expect(queue.starts('b-1', { limit: 2 })).to.include({ type: 'start.queued' })
    for (const [id, wish] of Object.entries({
      'c-1': { limit: 2, singleton: true },
      'd-1': { limit: -1 },
      'e-1': { limit: 1 }
    }))
      expect(queue.starts(id, wish), id).to.include({ type: 'start.admitted' })
    expect(queue.starts('f-1', { limit: 2, mayWait: false })).to.include({ type: 'start.admitted' })
  })
  it('runs that were started directly occupy slots (12.4)', () => {
    const queue = driveQueue(1)
    queue.starts('a-1')
    queue.enqueues('b-1')
    expect(queue.due()).to.deep.equal([])
    queue.ends('a-1')
    expect(queue.due()).to.deep.equal(['b-1'])
  })
})

describe('queue › 12.3 capacity', () => {
  it("of a custom queue: maxConcurrency, whatever the DAGs' maxActiveRuns", () => {
    const queue = driveQueue(2)
    for (const id of ['a-1', 'a-2', 'a-3', 'b-1']) queue.enqueues(id, { limit: 1 })
    expect(queue.due()).to.deep.equal(['a-1', 'a-2'])
  })
  it("of a dag-based queue: maxActiveRuns of the item's DAG; negative: no limit", () => {
    const queue = driveQueue()
    for (const id of ['a-1', 'a-2', 'a-3']) queue.enqueues(id, { limit: 2 })
    expect(queue.due()).to.deep.equal(['a-1', 'a-2'])
    const free = driveQueue()
    for (const id of ['a-1', 'a-2', 'a-3']) free.enqueues(id, { limit: -1 })
    expect(free.due()).to.deep.equal(['a-1', 'a-2', 'a-3'])
  })
})

describe('queue › 12.5, 12.6 order', () => {
  it('first in, first out, over DAG names', () => {
    const queue = driveQueue(1)
    const ids = ['a-1', 'b-1', 'a-2', 'c-1', 'b-2']
    for (const id of ids) queue.enqueues(id)
    for (const id of ids) queue.ends(id)
    expect(queue.due()).to.deep.equal(ids)
  })
  it("an item which may not start because of its own DAG's limit lets later items of other DAGs pass", () => {
    const queue = driveQueue()
    queue.enqueues('a-1', { limit: 1 })
    queue.enqueues('a-2', { limit: 1 })
    queue.enqueues('b-1', { limit: 2 })
    expect(queue.due()).to.deep.equal(['a-1', 'b-1'])
  })
  it('12.12 an item that needs an absent worker waits, and lets others pass; it can be taken out', () => {
    const queue = driveQueue(1)
    queue.enqueues('a-1', { needsWorker: true })
    queue.enqueues('b-1')
    queue.ends('b-1')
    expect([queue.due(), queue.ended()]).to.deep.equal([['b-1'], false])
    expect(queue.withdraws('a-1')).to.include({ type: 'item.removed' })
    expect(queue.ended()).to.equal(true)
  })
  it('12.14 after a restart the order is kept, whatever the order in which they are found', () => {
    const queue = driveQueue(1)
    queue.retakes('z-1')
    for (const [id, order] of [
      ['b-1', 8],
      ['a-2', 9],
      ['a-1', 7]
    ] as const)
      queue.finds(id, order)
    queue.enqueues('c-1')
    for (const id of ['z-1', 'a-1', 'b-1', 'a-2']) queue.ends(id)
    expect(queue.due()).to.deep.equal(['a-1', 'b-1', 'a-2', 'c-1'])
  })
})

describe('queue › 12.7 enqueue is refused', () => {
  it('when bounded and queued + running >= maxActiveRuns; else any number may wait', () => {
    const queue = driveQueue(1)
    queue.enqueues('a-1', { limit: 2, bounded: true })
    queue.enqueues('a-2', { limit: 2, bounded: true })
    expect(queue.enqueues('a-3', { limit: 2, bounded: true })).to.include({ reason: 'max_run_reached' })
    for (let count = 4; count < 50; count++)
      expect(queue.enqueues(`a-${count}`, { limit: 2 })).to.include({ type: 'start.queued' })
  })
})

describe('queue › 12.11 a dispatched item', () => {
  it('that is no running run within 10 s is discarded, and the next one goes', () => {
    const queue = driveQueue(1)
    queue.enqueues('a-1')
    queue.enqueues('a-2')
    expect(queue.waits(9_999)).to.deep.equal([])
    expect(queue.waits(1).map(({ type, key }) => `${type} ${key.dagRunId}`)).to.deep.equal([
      'item.expired a-1',
      'item.due a-2'
    ])
  })
  it('that is a running run is not', () => {
    const queue = driveQueue(1)
    queue.enqueues('a-1')
    queue.begins('a-1')
    expect(queue.waits(60_000)).to.deep.equal([])
    expect(queue.running()).to.deep.equal(['a-1'])
  })
})

describe('queue › 12.13 dequeue', () => {
  it('takes a waiting run out; the others keep their order', () => {
    const queue = driveQueue(1)
    for (const id of ['a-1', 'a-2', 'a-3']) queue.enqueues(id)
    expect(queue.withdraws('a-2')).to.include({ type: 'item.removed' })
    queue.ends('a-1')
    expect(queue.due()).to.deep.equal(['a-1', 'a-3'])
  })
  it('12.15 the next one goes at once when only the one that is taken out held it back', () => {
    const queue = driveQueue()
    queue.starts('a-1')
    queue.enqueues('a-2')
    queue.enqueues('a-3', { limit: 2 }) // the definition has been changed meanwhile
    queue.withdraws('a-2')
    expect(queue.due()).to.deep.equal(['a-3'])
  })
  it('of a run that does not wait is refused: it runs, has gone, or never was', () => {
    const queue = driveQueue(1)
    queue.enqueues('a-1')
    queue.enqueues('a-2')
    queue.withdraws('a-2')
    for (const id of ['a-1', 'a-2', 'b-1']) expect(queue.withdraws(id), id).to.include({ type: 'item.absent' })
  })
  it('the id can be used again', () => {
    const queue = driveQueue(1)
    for (const id of ['a-1', 'a-2']) queue.enqueues(id)
    queue.withdraws('a-2')
    queue.enqueues('a-3')
    queue.enqueues('a-2')
    queue.ends('a-1')
    queue.ends('a-3')
    expect(queue.due()).to.deep.equal(['a-1', 'a-3', 'a-2'])
  })
})

describe('queue › its end', () => {
  it('comes when nobody runs and nobody waits', () => {
    const queue = driveQueue(1)
    queue.enqueues('a-1')
    queue.enqueues('a-2')
    queue.ends('a-1')
    expect(queue.ended()).to.equal(false)
    queue.ends('a-2')
    expect(queue.ended()).to.equal(true)
  })
  it('a refused request alone does not keep it', () => {
    const queue = driveQueue()
    queue.starts('a-1', { active: { running: 1, queued: 0 } })
    expect(queue.ended()).to.equal(true)
  })
})

describe('queue › whatever happens', () => {
  const op = fc.record({
    what: fc.constantFrom('start', 'enqueue', 'end', 'withdraw', 'begin', 'wait'),
    name: fc.constantFrom('a', 'b', 'c'),
    pick: fc.nat(20)
  })
  it('never more hold slots than may, nobody is let in before one who waits ahead of him, and all get their turn', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 80 }), fc.integer({ min: 1, max: 3 }), (ops, capacity) => {
        const queue = driveQueue(capacity)
        queue.starts('keeper-0', { limit: -1 }) // keeps the queue from ending
        const asked: string[] = []
        const gone = new Set<string>()
        let count = 0
        for (const { what, name, pick } of ops) {
          const some = queue.running().filter((id) => id !== 'keeper-0')
          const id = some[pick % Math.max(1, some.length)]
          if (what === 'start') queue.starts(`${name}-${++count}`, { limit: 9, mayWait: true })
          else if (what === 'enqueue') {
            asked.push(`${name}-${++count}`)
            queue.enqueues(`${name}-${count}`)
          } else if (what === 'withdraw') {
            const target = asked[pick % Math.max(1, asked.length)]
            if (target && queue.withdraws(target)?.type === 'item.removed') gone.add(target)
          } else if (what === 'begin' && id) queue.begins(id)
          else if (what === 'end' && id) queue.ends(id)
          expect(queue.running().length).to.be.at.most(capacity + 1)
        }
        for (;;) {
          const [next] = queue.running().filter((id) => id !== 'keeper-0')
          if (!next) break
          queue.ends(next)
        }
        const due = queue.due().filter((id) => asked.includes(id))
        if (capacity > 1) expect(due).to.deep.equal(asked.filter((id) => !gone.has(id)))
      }),
      { numRuns: 200 }
    )
  })
})
