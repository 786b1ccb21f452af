/** Starts at a queue: which are admitted at once, which wait, which are refused. Source: execution-semantics 7.2, 13.2.2; api-semantics 4.2. */
import { expect } from 'chai'
import { driveQueue } from '../support/charts/driven-queue.ts'

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
  it('an enqueue: max_run_reached with one running or waiting, whatever the limit; else it waits as any other', () => {
    for (const limit of [-1, 1, 5]) {
      const queue = driveQueue()
      const refused = { reason: 'max_run_reached', limit: 1 }
      expect(queue.enqueues('a-1', { limit, singleton: true })).to.include({ type: 'start.queued' })
      expect(queue.enqueues('a-2', { limit, singleton: true }), 'one runs').to.include(refused)
      const other = driveQueue(1)
      other.starts('b-1')
      other.enqueues('a-1', { limit })
      expect(other.enqueues('a-2', { limit, singleton: true }), 'one waits').to.include(refused)
    }
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
