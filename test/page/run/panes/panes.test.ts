/** Which logs are beside each other. Source: docs/page.md "Logs". */
import { expect } from 'chai'
import type { NodeMoment } from '../../../../src/page/run/moment.ts'
import { anotherPane, firstPanes, type Pane, panesOf, paneText } from '../../../../src/page/run/panes/panes.ts'

const out = (step: string): Pane => ({ step, stream: 'stdout' })
const err = (step: string): Pane => ({ step, stream: 'stderr' })
// What else a node has is not looked at.
const node = (name: string, label: NodeMoment['label'], startedAt?: number) =>
  ({ name, label, startedAt }) as NodeMoment

describe('page › logs beside each other', () => {
  it('the address names step and stream, whatever is in the name', () => {
    const panes = [out('a:b'), err('a\nb'), out('out:x')]
    expect(panesOf(panes.map(paneText))).to.deep.equal(panes)
  })
  it('what is none is left out, each is there once, and there are at most four', () => {
    expect(panesOf(['', 'a', 'out:', 'in:a', 'out:a', 'out:a'])).to.deep.equal([out('a')])
    expect(panesOf(['out:a', 'out:b', 'out:c', 'out:d', 'out:e'])).to.have.length(4)
  })
  it('at first: the chosen steps, or those that are running, or the latest two', () => {
    const nodes = [
      node('a', 'succeeded', 3),
      node('b', 'failed', 1),
      node('c', 'succeeded', 2),
      node('d', 'not_started')
    ]
    expect(firstPanes(nodes, ['d', 'a'])).to.deep.equal([out('d'), out('a')])
    expect(firstPanes(nodes, [])).to.deep.equal([out('c'), out('a')])
    expect(firstPanes([...nodes, node('e', 'running', 9)], [])).to.deep.equal([out('e')])
    expect(firstPanes([node('d', 'not_started')], [])).to.deep.equal([out('d')])
  })
  it('another one is the output of a step that has begun, then of any, then the errors', () => {
    const nodes = [node('a', 'not_started'), node('b', 'running', 1)]
    const panes: Pane[] = []
    for (let at = 0; at < 4; at++) panes.push(anotherPane(nodes, panes) ?? expect.fail())
    expect(panes).to.deep.equal([out('b'), out('a'), err('b'), err('a')])
    expect(anotherPane(nodes, panes)).to.equal(undefined)
  })
})
