/** The part of a chart that a step can reach, as a drawing. Source: docs/page.md "Charts". */
import { expect } from 'chai'
import { knownOfNode } from '../../../machines/reach/node-reach.ts'
import { chart, MACHINES, reachOf } from '../../../src/inspect/charts.ts'
import { partOf, wayOf } from '../../../src/page/chart/chart-part.ts'
import { all, type ElkBox, elkOf } from '../../../src/page/chart/chart-shape.ts'
import { linesOf } from '../../../src/page/chart/labels.ts'
import { badgesOf, nearLabels } from '../../../src/page/chart/near-labels.ts'
import { partLayout } from '../../../src/page/chart/part-layout.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'
import { coveredWords } from '../../support/page/covered-words.ts'

function drawn(wish: StepWish = {}, isPlaced = false) {
  const node = MACHINES.get('node') ?? expect.fail()
  const reach = reachOf(node, knownOfNode({ step: step('a', wish), place: 0, isPlaced }))
  const part = partOf(chart('node') ?? expect.fail(), reach, [])
  const states = new Map(all(part.states).map((state) => [state.path, state]))
  const ends = [...states.values()].flatMap(({ path, type }) => (type === 'final' ? [path] : []))
  const layout = partLayout(elkOf(part), ends)
  return { layout, states, ends, lines: linesOf(layout) }
}
const boxesOf = (box: ElkBox): ElkBox[] => (box.children ?? []).flatMap((inner) => [inner, ...boxesOf(inner)])
const RETRIED: StepWish = { retry: { limit: 1 } }
const STEPS: [name: string, wish: StepWish, isPlaced?: boolean][] = [
  ['a shell step', {}],
  ['one with a retry', RETRIED],
  ['an approval', { wait: { kind: 'approval' } }],
  ['a function', { executor: { type: 'function', config: {} } }],
  ['one that repeats', { ...RETRIED, repeat: repeat({ limit: 2 }), timeoutMs: 1_000 }],
  ['one on a worker', RETRIED, true]
]

describe('page › the part of a chart that a step can reach', () => {
  for (const [name, wish, isPlaced] of STEPS)
    it(`${name}: the final states are in one row, and no words that are shown lie on a line or on others`, () => {
      const { layout, states, ends, lines } = drawn(wish, isPlaced)
      const boxes = new Map(boxesOf(layout).map((box) => [box.id, box]))
      for (const path of states.keys()) expect(boxes.get(path)?.x, path).to.be.a('number')
      expect(new Set(ends.map((path) => Math.round(boxes.get(path)?.y ?? 0)))).to.have.length(1)
      for (const near of states.keys()) {
        const labels = nearLabels(layout, lines, { states, near, badges: [], beside: 0 })
        const shown = labels.filter(({ id, from, hasRoom }) => hasRoom && (from === near || id.endsWith(`> ${near}`)))
        expect(coveredWords(shown, lines), near).to.deep.equal([])
      }
    })

  it('a shell step with one retry fits 390 px at a size that can be read', () => {
    expect(drawn(RETRIED).layout.width).to.be.below(460)
  })
  it('the way is numbered by its moves, and goes through what is left at once', () => {
    const { lines, states } = drawn(RETRIED)
    const moves = [
      { from: '', to: 'attempting.executing' },
      { from: 'attempting.executing', to: 'waiting' },
      { from: 'waiting', to: 'attempting.executing' },
      { from: 'attempting.executing', to: 'succeeded' }
    ]
    expect(Object.fromEntries(wayOf(lines, states, moves))).to.deep.equal({
      'start of ': [1],
      'picked > attempting': [],
      'attempting.executing > waiting': [2],
      'waiting > attempting': [3],
      'attempting.executing > succeeded': [4]
    })
    expect(
      badgesOf(lines, wayOf(lines, states, moves))
        .map(({ text }) => text)
        .sort()
    ).to.deep.equal(['1', '2', '3', '4'])
  })
  it('numbers of a way that goes back and forth lie on no other', () => {
    const { lines, states } = drawn(RETRIED)
    const once = [
      { from: 'attempting.executing', to: 'waiting' },
      { from: 'waiting', to: 'attempting.executing' }
    ]
    const moves = [{ from: '', to: 'attempting.executing' }, ...once, ...once]
    const badges = badgesOf(lines, wayOf(lines, states, moves))
    expect(badges.map(({ text }) => text)).to.include.members(['2, 4', '3, 5'])
    for (const [at, one] of badges.entries())
      for (const other of badges.slice(at + 1)) {
        const halves = 3.5 * (one.text.length + other.text.length) + 10 // as `chart-view.tsx` draws them
        const isOver = Math.abs(one.x - other.x) < halves && Math.abs(one.y - other.y) < 16
        expect(isOver, `${one.text} and ${other.text}`).to.equal(false)
      }
  })
  it('a state that the step was in is drawn, whatever its plan says', () => {
    const node = chart('node') ?? expect.fail()
    const paths = (seen: string[]) => all(partOf(node, [], seen).states).map(({ path }) => path)
    expect(paths(['attempting.lost'])).to.deep.equal(['attempting', 'attempting.lost'])
  })
})
