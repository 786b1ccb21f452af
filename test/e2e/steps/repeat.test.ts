/** repeatPolicy with real steps: when there is another pass, and what it sees. Source: execution-semantics 6.2, 3.3.1, 5.4.2, 5.6.8. */
import { expect } from 'chai'
import { type Ended, liveEngine, textOf } from '../../support/engine/live.ts'

describe('repeatPolicy', () => {
  const live = liveEngine()
  const doneOf = (run: Ended, name: string) => run.node(name).doneCount

  it('5.6.8 a condition that cannot be evaluated does not hold; the run log says why', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: while, command: echo x, repeatPolicy: {repeat: while, condition: "\`exit 3\`", expected: x}}
        - {name: until, command: echo x, repeatPolicy: {repeat: until, condition: "\`exit 3\`", expected: x, limit: 2}}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect([doneOf(run, 'while'), doneOf(run, 'until')]).to.deep.equal([1, 2])
    expect(textOf(run.run.log)).to.match(
      /level=WARN msg="the condition of repeatPolicy does not hold" step=while error=/
    )
  })
})
