/** Every chart of the engine as a drawing. */
import { expect } from 'chai'
import elk from 'elkjs'
import { chart, charts } from '../../../src/inspect/charts.ts'
import { all, type ElkBox, elkOf, pathOfLine, wordsOf } from '../../../src/page/chart/chart-shape.ts'

const found = (box: ElkBox, id: string): ElkBox | undefined =>
  box.id === id ? box : (box.children ?? []).map((child) => found(child, id)).find((it) => it !== undefined)
const chartOf = (id: string) => chart(id) ?? expect.fail(`no chart ${id}`)

describe('page › charts as drawings', () => {
  for (const { id } of charts())
    it(`${id}: each state has a place, inside that of its parent, and each transition a line`, async () => {
      const { states } = chartOf(id)
      const shape = elkOf(chartOf(id))
      const layout: ElkBox = await new elk.default().layout(shape)
      for (const { path, states: inner } of all(states)) {
        const outer = found(layout, path)
        const { x = -1, y = -1, width = 0, height = 0 } = outer ?? expect.fail(`${path} is not drawn`)
        expect(x, path).to.be.at.least(0)
        for (const { path: child } of inner) {
          const box = found(layout, child)
          expect(box?.x, child).to.be.within(x, x + width - (box?.width ?? 0))
          expect(box?.y, child).to.be.within(y, y + height - (box?.height ?? 0))
        }
      }
      const lines = layout.edges ?? []
      const wanted = all(states).flatMap(({ transitions }) => [
        ...new Set(transitions.flatMap(({ targets }) => targets))
      ])
      expect(lines.filter(({ sources: [from = ''] }) => !from.startsWith('start of')).length).to.equal(wanted.length)
      for (const line of lines) expect(pathOfLine(line), line.id).to.match(/^M[\d.]+ [\d.]+/)
    })
  it('the words along a line name each event with its guard, once', () => {
    const executing = all(chartOf('node').states).find(({ path }) => path === 'attempting.executing')
    const words = executing ? wordsOf(executing, 'waiting') : []
    expect(words.join()).to.contain('attempt.ended')
    expect(new Set(words).size).to.equal(words.length)
  })
})
