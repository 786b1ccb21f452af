/** The words along the transitions of every chart. */
import { expect } from 'chai'
import elk from 'elkjs'
import { chart, charts } from '../../../src/inspect/charts.ts'
import { all, type ElkBox, elkOf } from '../../../src/page/chart/chart-shape.ts'
import { type Label, linesOf } from '../../../src/page/chart/labels.ts'
import { nearLabels, withTitles } from '../../../src/page/chart/near-labels.ts'
import { oneIn } from '../../support/long.ts'
import { coveredWords } from '../../support/page/covered-words.ts'

/** Names of states with others inside. */
const namesIn = (box: ElkBox): Label[] =>
  (box.children ?? []).flatMap((inner) => {
    const { id, title } = inner
    return title
      ? [{ id, from: id, words: [id.split('.').at(-1) ?? ''], ...title, hasRoom: true }, ...namesIn(inner)]
      : []
  })

describe('page › words along transitions', () => {
  for (const { id } of charts())
    it(`${id}: of all states, no name of a state and no words that are shown lie on a line or on others, whatever state is looked at`, async () => {
      const found = chart(id) ?? expect.fail()
      const states = new Map(all(found.states).map((state) => [state.path, state]))
      const given: ElkBox = await new elk.default().layout(elkOf(found))
      const lines = linesOf(given)
      const layout = withTitles(given, lines)
      const titles = namesIn(layout)
      expect(coveredWords(titles, lines)).to.deep.equal([])
      for (const near of [undefined, ...oneIn(6, [...states.keys()])]) {
        const labels = nearLabels(layout, lines, { states, near, badges: [], beside: 110, isWhole: true })
        const shown = labels.filter(({ hasRoom }) => hasRoom)
        expect(coveredWords(titles.concat(shown), lines), near).to.deep.equal([])
        expect(shown.length > 0, 'some are shown').to.equal(labels.length > 0)
      }
    })
})
