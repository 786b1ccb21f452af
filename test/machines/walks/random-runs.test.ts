/**
 * Runs driven by chance against real node charts, 300 seeds in `make models`. A broken rule is reported with its seed: `walk(seed)` is the
 * same run again. Source: style "Tests"; execution-semantics 5, 7, 8; architecture 5.
 */
import { expect } from 'chai'
import { seeded } from '../../support/random.ts'
import { someOf } from '../../support/walks.ts'
import { type Walk, walk } from './random-walk.ts'
import type { Rule } from './walk-rules.ts'

const SEEDS = someOf(300)

describe('random runs', () => {
  const walks: Walk[] = []
  before(() => {
    for (let seed = 1; seed <= SEEDS; seed++) walks.push(walk(seed))
  })
  const brokenRules = (rule: Rule) =>
    walks.flatMap(({ broken }, index) =>
      broken.filter((found) => found.rule === rule).map(({ detail }) => `seed ${index + 1}: ${detail}`)
    )

  const rules: [Rule, string][] = [
    ['ends', 'every run ends once all attempts have answered, and none throws'],
    ['maxActiveSteps', '7.2.1 running nodes never exceed maxActiveSteps'],
    ['dependencies', '5.3 no node starts before its dependencies are terminal and let it go'],
    ['stop', '7.3.6 every state that is no end can be ended by force'],
    [
      'after a stop',
      '7.3.1, 7.3.4 after a stop or a run timeout no new node starts; a stop leaves pending nodes not_started'
    ],
    ['statuses', '5.2, 7.1.1 every node of a run that was not stopped ends, by the rules of the table or with its run'],
    ['outcome', '5.5 the final status is that of the rules, read from all nodes'],
    ['handlers', '8.1, 8.2, 8.6 the right handlers run, in order, told the status of that moment'],
    ['restart', 'a run goes on after a restart where it was: same state, runState and alarms, no attempt begun twice']
  ]
  for (const [rule, title] of rules)
    it(title, () => {
      expect(brokenRules(rule)).to.deep.equal([])
    })

  it('the walk meets every end, and restarts', () => {
    expect([...new Set(walks.map(({ outcome }) => outcome))].sort()).to.deep.equal([
      'canceled',
      'failed',
      'partially_succeeded',
      'succeeded'
    ])
    expect(walks.filter(({ restarts }) => restarts > 0).length).to.be.greaterThan(SEEDS / 4)
  })
  it('equal seed, equal walk', () => {
    expect(walk(7)).to.deep.equal(walks[6])
    expect(Array.from({ length: 5 }, seeded(3).below.bind(undefined, 1_000))).to.deep.equal(
      Array.from({ length: 5 }, seeded(3).below.bind(undefined, 1_000))
    )
  })
})
