/** The slots of one DAG name. Source: execution-semantics 7.2, api-semantics 4.2. */
import { expect } from 'chai'
import { type AnyEventObject, createActor, setup } from 'xstate'
import { type QueueEvent, queueMachine, type StartRequested } from '../../machines/queue.ts'
import { key } from '../support/plans.ts'

/** A queue below a parent that writes down what it is told. */
function driveQueue() {
  const told: AnyEventObject[] = []
  const parent = setup({ actors: { queue: queueMachine } }).createMachine({
    invoke: { id: 'queue/dag', src: 'queue', input: { name: 'dag' } },
    on: { '*': { actions: ({ event }) => told.push(event) } }
  })
  const root = createActor(parent).start()
  const queue = root.getSnapshot().children['queue/dag']
  const send = (event: QueueEvent) => queue?.send(event)
  let asked = 0
  return {
    /** @returns the verdict on a request */
    asks(wish: Partial<Pick<StartRequested, 'limit' | 'singleton'>> = {}) {
      send({ type: 'start.requested', key: key(`r${++asked}`), limit: 1, singleton: false, at: asked, ...wish })
      return told.at(-1)
    },
    retakes: () => send({ type: 'slot.retaken' }),
    frees: () => send({ type: 'slot.freed' }),
    ended: () => told.some(({ type }) => type === 'xstate.done.actor.queue/dag')
  }
}
const admitted = (dagRunId: string, at: number) => ({ type: 'start.admitted', key: key(dagRunId), at })
const refused = (dagRunId: string, reason: string, limit: number, running: number) => ({
  type: 'start.refused',
  key: key(dagRunId),
  reason,
  limit,
  running
})

describe('queue › 7.2.2 maxActiveRuns: running runs of this DAG name', () => {
  it('admits as long as fewer run', () => {
    const queue = driveQueue()
    expect(queue.asks({ limit: 2 })).to.deep.equal(admitted('r1', 1))
    expect(queue.asks({ limit: 2 })).to.deep.equal(admitted('r2', 2))
    expect(queue.asks({ limit: 2 })).to.deep.equal(refused('r3', 'max_run_reached', 2, 2))
  })
  it('7.2.3 limit reached: max_run_reached, with the limit and how many run', () => {
    const queue = driveQueue()
    queue.asks()
    expect(queue.asks()).to.deep.equal(refused('r2', 'max_run_reached', 1, 1))
  })
  it('the limit is that of the request: the same queue may admit another', () => {
    const queue = driveQueue()
    queue.asks()
    expect(queue.asks({ limit: 1 })).to.include({ type: 'start.refused' })
    expect(queue.asks({ limit: 2 })).to.include({ type: 'start.admitted' })
  })
  it('7.2.5 negative maxActiveRuns: always starts at once', () => {
    const queue = driveQueue()
    for (let count = 0; count < 50; count++) expect(queue.asks({ limit: -1 })).to.include({ type: 'start.admitted' })
  })
  it('a refused run takes no slot', () => {
    const queue = driveQueue()
    queue.asks()
    for (let count = 0; count < 5; count++) queue.asks()
    expect(queue.asks({ limit: 2 })).to.include({ type: 'start.admitted' })
  })
})

describe('queue › 7.2.3 singleton: true', () => {
  it('with one running: already_running', () => {
    const queue = driveQueue()
    queue.asks({ limit: 5 })
    expect(queue.asks({ limit: 5, singleton: true })).to.deep.equal(refused('r2', 'already_running', 5, 1))
  })
  it('with none running: admitted', () => {
    expect(driveQueue().asks({ singleton: true })).to.deep.equal(admitted('r1', 1))
  })
  it('beats the limit when both refuse, and holds without a limit', () => {
    const queue = driveQueue()
    queue.asks()
    expect(queue.asks({ singleton: true })).to.include({ reason: 'already_running' })
    expect(queue.asks({ singleton: true, limit: -1 })).to.include({ reason: 'already_running' })
  })
})

describe('queue › slot freed', () => {
  it('lets the next request in', () => {
    const queue = driveQueue()
    queue.asks({ limit: 2 })
    queue.asks({ limit: 2 })
    queue.frees()
    expect(queue.asks({ limit: 2 })).to.include({ type: 'start.admitted' })
    expect(queue.asks({ limit: 2 })).to.include({ type: 'start.refused' })
  })
  it('the queue ends with its last run', () => {
    const queue = driveQueue()
    queue.asks({ limit: 2 })
    queue.asks({ limit: 2 })
    queue.frees()
    expect(queue.ended()).to.equal(false)
    queue.frees()
    expect(queue.ended()).to.equal(true)
  })
})

describe('queue › after a restart', () => {
  it('a run that held a slot holds it again, whatever the limits', () => {
    const queue = driveQueue()
    queue.retakes()
    queue.retakes()
    expect(queue.asks({ limit: 1 })).to.deep.equal(refused('r1', 'max_run_reached', 1, 2))
    expect(queue.asks({ singleton: true })).to.include({ reason: 'already_running' })
  })
})
