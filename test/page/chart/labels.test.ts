/** The words along the transitions of every chart. */
import { expect } from 'chai'
import elk from 'elkjs'
import { chart, charts } from '../../../src/inspect/charts.ts'
import { all, type ElkBox, elkOf, transitionText } from '../../../src/page/chart/chart-shape.ts'
import { type Label, labelsOf } from '../../../src/page/chart/labels.ts'

describe('page › words along transitions', () => {
  for (const { id } of charts())
    it(`${id}: each transition has its words once, and those that are always shown cover no other`, async () => {
      const found = chart(id) ?? expect.fail()
      const states = new Map(all(found.states).map((state) => [state.path, state]))
      const layout: ElkBox = await new elk.default().layout(elkOf(found))
      const labels = labelsOf(layout, states)
      for (const [path, { transitions }] of states) {
        const words = labels.filter(({ from }) => from === path).flatMap(({ words }) => words)
        expect(new Set(words), path).to.deep.equal(new Set(transitions.map(transitionText)))
      }
      const shown = labels.filter(({ hasRoom }) => hasRoom)
      for (const [at, one] of shown.entries())
        for (const other of shown.slice(at + 1)) expect(areOver(one, other), `${one.id}, ${other.id}`).to.equal(false)
    })
})

/** With letters of at least 6 px, in lines of 14. */
function areOver(one: Label, other: Label): boolean {
  const half = ({ words }: Label) => Math.max(...words.map(({ length }) => length)) * 3
  const apart = Math.abs(one.x - other.x) >= half(one) + half(other)
  const [first, second] = one.y < other.y ? [one, other] : [other, one]
  return !apart && second.y - first.y < first.words.length * 14 - 1
}
