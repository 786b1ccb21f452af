/** How many of a queue run at once, and who goes next. Source: execution-semantics 12.3-12.6, 12.12, 12.14; api-semantics 6.2. */
import { expect } from 'chai'
import fc from 'fast-check'
import { driveQueue } from '../support/charts/driven-queue.ts'
import { someOf } from '../support/walks.ts'

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
    queue.enqueues('a-1', { needs: { labels: { gpu: 'true' }, executors: ['shell'] } })
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

describe('queue › priority', () => {
  it('8 among those that wait the highest is next, whatever its DAG is, then who waits longest; one is never stopped for another', () => {
    const queue = driveQueue(1)
    for (const id of ['a-1', 'a-2', 'a-3']) queue.enqueues(id)
    queue.enqueues('b-1', { priority: 5 })
    queue.enqueues('a-4', { priority: 5 })
    queue.enqueues('c-1', { priority: -1 })
    for (const id of ['a-1', 'b-1', 'a-4', 'a-2', 'a-3', 'c-1']) queue.ends(id)
    expect(queue.due()).to.deep.equal(['a-1', 'b-1', 'a-4', 'a-2', 'a-3', 'c-1'])
  })
  it('a start that finds its queue full has it, too; a restart keeps it', () => {
    const queue = driveQueue(1)
    queue.retakes('z-1')
    queue.starts('a-1', { limit: 2 })
    expect(queue.starts('a-2', { limit: 3, priority: 1 })).to.include({ type: 'start.queued' })
    queue.finds('b-1', 1, 1, { priority: 2 })
    for (const id of ['z-1', 'b-1', 'a-2']) queue.ends(id)
    expect(queue.due()).to.deep.equal(['b-1', 'a-2', 'a-1'])
  })
  it('one that its own limit or a worker holds back is passed by lower ones', () => {
    const queue = driveQueue()
    queue.enqueues('a-1')
    queue.enqueues('a-2', { priority: 9 })
    queue.enqueues('c-1', { priority: 9, needs: { labels: { gpu: 'true' }, executors: ['shell'] } })
    queue.enqueues('b-1', { limit: 2 })
    expect(queue.due()).to.deep.equal(['a-1', 'b-1'])
  })
})

describe('queue › not before', () => {
  it('20 it waits, lets others pass, and starts at its time, once', () => {
    const queue = driveQueue(1)
    const notBefore = queue.stage.now + 600_000
    expect(queue.starts('a-1', { notBefore })).to.include({ type: 'start.queued' })
    queue.enqueues('b-1')
    queue.ends('b-1')
    queue.waits(599_000)
    expect(queue.due()).to.deep.equal(['b-1'])
    queue.waits(1_000)
    expect(queue.due()).to.deep.equal(['b-1', 'a-1'])
    queue.begins('a-1')
    queue.waits(600_000)
    queue.ends('a-1')
    expect([queue.due(), queue.ended()]).to.deep.equal([['b-1', 'a-1'], true])
  })
  it('20 it can be taken out before, and others keep their time', () => {
    const queue = driveQueue(1)
    const at = (seconds: number) => ({ notBefore: queue.stage.now + seconds * 1_000 })
    queue.enqueues('a-1', at(60))
    queue.enqueues('b-1', at(30))
    queue.enqueues('c-1', at(90))
    expect(queue.withdraws('b-1')).to.include({ type: 'item.removed' })
    queue.waits(60_000)
    queue.begins('a-1')
    queue.ends('a-1')
    queue.waits(30_000)
    expect(queue.due()).to.deep.equal(['a-1', 'c-1'])
  })
  it('20 found after a restart it waits on, or starts at once if its time has passed; by its priority, from then on', () => {
    const queue = driveQueue(1)
    queue.finds('a-1', 1, 1, { notBefore: queue.stage.now + 60_000, priority: 1 })
    queue.finds('b-1', 2, 1, { notBefore: queue.stage.now - 1 })
    queue.finds('c-1', 3)
    expect(queue.due()).to.deep.equal(['b-1'])
    queue.begins('b-1')
    queue.waits(60_000)
    for (const id of ['b-1', 'a-1']) queue.ends(id)
    expect(queue.due()).to.deep.equal(['b-1', 'a-1', 'c-1'])
  })
  it('what limits a start refuses it now: `singleton` and maxActiveRuns ask what is there', () => {
    const queue = driveQueue()
    queue.starts('a-1')
    expect(queue.starts('a-2', { notBefore: queue.stage.now + 1 })).to.include({ reason: 'max_run_reached' })
  })
})

describe('queue › whatever happens', () => {
  const op = fc.record({
    what: fc.constantFrom('start', 'enqueue', 'end', 'withdraw', 'begin', 'wait'),
    name: fc.constantFrom('a', 'b', 'c'),
    pick: fc.nat(20)
  })
  it('never more hold slots than may, no item overtakes one ahead of it, and all are started', () => {
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
      { numRuns: someOf(200) }
    )
  })
})
