/** Who runs and who waits, and who holds the slots of a queue. Source: api-semantics 4.2, execution-semantics 12.3, 12.4. */
import { expect } from 'chai'
import { countsOf, forget, holdersOf, note, openCensus, queueOf, stateOf } from '../../../machines/tables/census.ts'
import { processorMs } from '../../support/processor-time.ts'

const key = (name: string, dagRunId: string) => ({ name, dagRunId })

describe('policy › census', () => {
  it('counts the runs of a name in whatever queue, and knows the queue and the state of each', () => {
    const census = openCensus()
    note(census, key('a', '1'), 'q', 'running')
    note(census, key('a', '2'), 'a', 'queued')
    note(census, key('b', '1'), 'q', 'queued')
    expect(countsOf(census, 'a')).to.deep.equal({ running: 1, queued: 1 })
    expect([queueOf(census, key('a', '2')), stateOf(census, key('a', '2'))]).to.deep.equal(['a', 'queued'])
    note(census, key('a', '2'), 'a', 'running')
    forget(census, key('a', '1'))
    expect(countsOf(census, 'a')).to.deep.equal({ running: 1, queued: 0 })
    forget(census, key('a', '2'))
    expect([countsOf(census, 'a'), queueOf(census, key('a', '2'))]).to.deep.equal([
      { running: 0, queued: 0 },
      undefined
    ])
  })
  it('12.4 the slots of a queue are held by its running runs, until they are forgotten', () => {
    const census = openCensus()
    for (const id of ['1', '2']) note(census, key('a', id), 'q', 'running')
    note(census, key('b', '1'), 'q', 'running')
    note(census, key('b', '2'), 'q', 'queued')
    note(census, key('c', '1'), 'c', 'running')
    expect(holdersOf(census, 'q')).to.have.deep.members([key('a', '1'), key('a', '2'), key('b', '1')])
    forget(census, key('a', '1'))
    forget(census, key('a', '1'))
    forget(census, key('b', '2'))
    expect(holdersOf(census, 'q')).to.have.deep.members([key('a', '2'), key('b', '1')])
    note(census, key('b', '1'), 'q', 'queued')
    forget(census, key('a', '2'))
    expect(holdersOf(census, 'q')).to.deep.equal([])
    expect(holdersOf(census, 'c')).to.deep.equal([key('c', '1')])
  })
  it('a queue that is opened looks through nobody who waits in another', () => {
    const census = openCensus()
    for (let n = 0; n < 50_000; n++) note(census, key('held', `r${n}`), 'held', 'queued')
    expect(
      processorMs(() => {
        for (let n = 0; n < 1_000; n++) holdersOf(census, `other${n}`)
      })
    ).to.be.below(200)
  })
})
