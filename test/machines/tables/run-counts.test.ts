/** Which runs run and wait, and which hold the slots of a queue. Source: api-semantics 4.2, execution-semantics 12.3, 12.4. */
import { expect } from 'chai'
import {
  countsOf,
  forget,
  holdersOf,
  note,
  openRunCounts,
  queueOf,
  stateOf
} from '../../../machines/tables/run-counts.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

const key = (name: string, dagRunId: string) => ({ name, dagRunId })

describe('tables › run counts', () => {
  it('counts the runs of a name in whatever queue, and knows the queue and the state of each', () => {
    const runCounts = openRunCounts()
    note(runCounts, key('a', '1'), 'q', 'running')
    note(runCounts, key('a', '2'), 'a', 'queued')
    note(runCounts, key('b', '1'), 'q', 'queued')
    expect(countsOf(runCounts, 'a')).to.deep.equal({ running: 1, queued: 1 })
    expect([queueOf(runCounts, key('a', '2')), stateOf(runCounts, key('a', '2'))]).to.deep.equal(['a', 'queued'])
    note(runCounts, key('a', '2'), 'a', 'running')
    forget(runCounts, key('a', '1'))
    expect(countsOf(runCounts, 'a')).to.deep.equal({ running: 1, queued: 0 })
    forget(runCounts, key('a', '2'))
    expect([countsOf(runCounts, 'a'), queueOf(runCounts, key('a', '2'))]).to.deep.equal([
      { running: 0, queued: 0 },
      undefined
    ])
  })
  it('12.4 the slots of a queue are held by its running runs, until they are forgotten', () => {
    const runCounts = openRunCounts()
    for (const id of ['1', '2']) note(runCounts, key('a', id), 'q', 'running')
    note(runCounts, key('b', '1'), 'q', 'running')
    note(runCounts, key('b', '2'), 'q', 'queued')
    note(runCounts, key('c', '1'), 'c', 'running')
    expect(holdersOf(runCounts, 'q')).to.have.deep.members([key('a', '1'), key('a', '2'), key('b', '1')])
    forget(runCounts, key('a', '1'))
    forget(runCounts, key('a', '1'))
    forget(runCounts, key('b', '2'))
    expect(holdersOf(runCounts, 'q')).to.have.deep.members([key('a', '2'), key('b', '1')])
    note(runCounts, key('b', '1'), 'q', 'queued')
    forget(runCounts, key('a', '2'))
    expect(holdersOf(runCounts, 'q')).to.deep.equal([])
    expect(holdersOf(runCounts, 'c')).to.deep.equal([key('c', '1')])
  })
  it('opening a queue does not scan runs that wait in another', async () => {
    const withWaiting = (count: number) => {
      const runCounts = openRunCounts()
      for (let n = 0; n < count; n++) note(runCounts, key('held', `r${n}`), 'held', 'queued')
      return runCounts
    }
    const tables = new Map([50, 50_000].map((count) => [count, withWaiting(count)]))
    const opening = (count: number) => {
      const runCounts = tables.get(count) ?? openRunCounts()
      for (let n = 0; n < 1_000; n++) holdersOf(runCounts, `other${n}`)
    }
    expect(await growth(opening, 50, 50_000)).to.be.below(LINEAR)
  })
})
