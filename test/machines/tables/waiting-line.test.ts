/** Who has waited for the longest time in a line. */
import { expect } from 'chai'
import { firstInLine, join, leave, openLine } from '../../../machines/tables/waiting-line.ts'

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
})
