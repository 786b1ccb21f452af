/** Who has waited for the longest time in a line. */
import { expect } from 'chai'
import { admitLater, firstInLine, join, leave, openLine, takeNext } from '../../../machines/tables/waiting-line.ts'

describe('waiting line › the first', () => {
  const key = (name: string, dagRunId = '1') => ({ name, dagRunId })
  const needs = { labels: { zone: 'a' }, executors: ['shell'] }

  it('none in an empty line', () => {
    expect(firstInLine(openLine('q'))).to.equal(undefined)
  })

  it('it is the one that came first, whatever its DAG is and whatever it waits for; when it leaves, the next one', () => {
    const line = openLine('q')
    join(line, key('remote'), { limit: 1, needs })
    join(line, key('a', '1'), { limit: 1 })
    join(line, key('a', '2'), { limit: 1 })
    join(line, key('b'), { limit: 1 })
    const left = []
    for (let first = firstInLine(line); first; first = firstInLine(line)) {
      left.push(`${first.key.name}-${first.key.dagRunId}`)
      leave(line, first.key)
    }
    expect(left).to.deep.equal(['remote-1', 'a-1', 'a-2', 'b-1'])
  })

  it('of several the one with the highest priority; one whose time has not come is none', () => {
    const line = openLine('q')
    join(line, key('later'), { limit: 1, notBefore: 10, priority: 9 }, 5)
    expect(firstInLine(line)).to.equal(undefined)
    join(line, key('a'), { limit: 1 }, 5)
    join(line, key('b'), { limit: 1, priority: 1 }, 5)
    expect(firstInLine(line)?.key.name).to.equal('b')
    expect([admitLater(line, 9), admitLater(line, 10)]).to.deep.equal([10, undefined])
    expect(firstInLine(line)?.key.name).to.equal('later')
  })
  it('2,000 of 200 DAGs join, are taken and leave in the order of priority, then of arrival', () => {
    const line = openLine('q')
    const items = Array.from({ length: 2_000 }, (_, order) => ({ order, priority: (order * 7) % 11 }))
    for (const { order, priority } of items) join(line, key(`d${order % 200}`, String(order)), { limit: -1, priority })
    const taken = items.map(() => Number(takeNext(line, undefined, 0)?.item.key.dagRunId))
    const wanted = items.toSorted((a, b) => b.priority - a.priority || a.order - b.order).map(({ order }) => order)
    expect(taken).to.deep.equal(wanted)
  })
})
