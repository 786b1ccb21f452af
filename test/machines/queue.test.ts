/** Waiting items of a queue, and when it ends. Source: execution-semantics 12.7, 12.11, 12.13, 12.15. */
import { expect } from 'chai'
import { driveQueue } from '../support/charts/driven-queue.ts'

describe('queue › an engine that closes soon starts no queued run', () => {
  it('a start takes its slot, and a waiting item stays until it is dequeued', () => {
    const queue = driveQueue(undefined, true)
    queue.finds('a-1', 1)
    queue.enqueues('a-2')
    expect(queue.starts('b-1')).to.include({ type: 'start.admitted' })
    queue.ends('b-1')
    expect(queue.due()).to.deep.equal([])
    expect(queue.withdraws('a-1')).to.include({ type: 'item.removed' })
    expect(queue.due()).to.deep.equal([])
  })
  it('one that stops its runs and closes: from then on', () => {
    const queue = driveQueue(1)
    for (const id of ['a-1', 'a-2']) queue.enqueues(id)
    queue.isHeld()
    queue.ends('a-1')
    expect(queue.due()).to.deep.equal(['a-1'])
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
  it('removes a waiting run; the others keep their order', () => {
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
  it('comes when nothing runs and nothing waits', () => {
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
