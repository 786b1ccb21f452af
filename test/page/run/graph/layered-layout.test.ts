/** Layout of large graphs. */
import { expect } from 'chai'
import type { DagShape } from '../../../../src/page/run/graph/dag-shape.ts'
import { layeredLayout } from '../../../../src/page/run/graph/layered-layout.ts'

const SIZE = { width: 100, height: 40 }
const graph = (ids: string[], edges: [string, string][]): DagShape => ({
  nodes: ids.map((id) => ({ id, ...SIZE })),
  edges,
  room: { width: 800, height: 600 }
})
const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`)

describe('page › layout of large graphs', () => {
  it('a node stands after all that it waits for, from left to right or from top to bottom', () => {
    const shape = graph(
      ['d', 'c', 'b', 'a'],
      [
        ['a', 'b'],
        ['b', 'c'],
        ['a', 'c'],
        ['c', 'd']
      ]
    )
    const { places } = layeredLayout(shape, 'LR')
    for (const [from, to] of shape.edges) expect(places[from]?.x).to.be.lessThan(places[to]?.x ?? 0)
    const down = layeredLayout(shape, 'TB').places
    for (const [from, to] of shape.edges) expect(down[from]?.y).to.be.lessThan(down[to]?.y ?? 0)
  })
  it('no node covers another, and all are inside', () => {
    const ids = names(300)
    const shape = graph(
      ids,
      ids.slice(1).map((id, at) => [`n${Math.floor(at / 3)}`, id])
    )
    const { places, width, height } = layeredLayout(shape, 'LR')
    const taken = Object.values(places)
    expect(taken).to.have.length(300)
    for (const { x, y } of taken) {
      expect(x - 50).to.be.at.least(0)
      expect(y - 20).to.be.at.least(0)
      expect(x + 50).to.be.at.most(width)
      expect(y + 20).to.be.at.most(height)
    }
    for (const [at, a] of taken.entries())
      for (const b of taken.slice(at + 1))
        expect(Math.abs(a.x - b.x) >= 100 || Math.abs(a.y - b.y) >= 40).to.equal(true)
  })
  it('a thousand nodes that wait for nothing stand in several columns, not in one', () => {
    const { width, height } = layeredLayout(graph(names(1_000), []), 'LR')
    expect(width / height).to.be.within(0.5, 8)
  })
  it('neighbours stand near each other: lines that need not cross do not', () => {
    const pairs: [string, string][] = [
      ['a', 'w'],
      ['b', 'x'],
      ['c', 'y'],
      ['d', 'z']
    ]
    const { places } = layeredLayout(graph(['a', 'b', 'c', 'd', 'z', 'y', 'x', 'w'], pairs), 'LR')
    for (const [from, to] of pairs) expect(places[from]?.y).to.equal(places[to]?.y)
  })
  it('a cycle, which no valid definition has, is drawn all the same', () => {
    const { places, lines } = layeredLayout(
      graph(
        ['a', 'b', 'c'],
        [
          ['a', 'b'],
          ['b', 'c'],
          ['c', 'b']
        ]
      ),
      'LR'
    )
    expect(Object.keys(places)).to.have.members(['a', 'b', 'c'])
    expect(lines).to.have.length(3)
  })
})
