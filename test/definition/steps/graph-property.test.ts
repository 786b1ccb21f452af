/** Any steps with any dependencies: a plan without a cycle, or problems. Source: execution-semantics 1.3, 1.4, 1.5. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Step } from '../../../machines/vocabulary.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { ofAll } from '../../support/long.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const IDS = ['i', 'j', 'k']

const step = fc.record(
  {
    name: fc.constantFrom(...NAMES),
    id: fc.constantFrom(...IDS),
    command: fc.constant('true'),
    depends: fc.oneof(
      fc.constantFrom(...NAMES, ...IDS),
      fc.array(fc.constantFrom(...NAMES, ...IDS, 'cmd_1', 'cmd_2'), { maxLength: 3 })
    )
  },
  { requiredKeys: ['command'] }
)
const item = fc.oneof(
  { weight: 6, arbitrary: step },
  { weight: 1, arbitrary: fc.constant('true') },
  { weight: 2, arbitrary: fc.array(step, { minLength: 1, maxLength: 3 }) }
)
const type = fc.constantFrom('chain', 'graph')

/** By taking away, again and again, what depends on nothing that is left. */
function isAcyclic(steps: Step[]): boolean {
  let left = steps
  for (let before = -1; before !== left.length; ) {
    before = left.length
    const names = new Set(left.map(({ name }) => name))
    left = left.filter(({ depends }) => depends.some((name) => names.has(name)))
  }
  return left.length === 0
}

/** JSON is YAML. */
const read = (definition: object) => readDefinition(JSON.stringify(definition), { fallbackName: 'any' })

describe('graph › any steps', () => {
  it('1.4 gives a plan without a cycle, with unique names and known dependencies, each once, or problems', () => {
    let plans = 0
    fc.assert(
      fc.property(type, fc.array(item, { maxLength: 7 }), (type, steps) => {
        const { plan, problems } = read({ type, steps })
        expect(plan === undefined).to.equal(problems.length > 0)
        if (!plan) return
        plans++
        const names = plan.steps.map(({ name }) => name)
        expect(new Set(names).size).to.equal(names.length)
        for (const { depends } of plan.steps) {
          expect(names).to.include.members(depends)
          expect(new Set(depends).size).to.equal(depends.length)
        }
        expect(isAcyclic(plan.steps)).to.equal(true)
      }),
      { numRuns: ofAll(600, 3_000) }
    )
    expect(plans, 'texts that are plans').to.be.greaterThan(100)
  })

  it('1.4.7 what a cycle is refused for is a cycle', () => {
    const edges = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 9 })
    fc.assert(
      fc.property(edges, (edges) => {
        const steps = NAMES.map((name, from) => ({
          name,
          command: 'true',
          depends: [...new Set(edges.filter(([one]) => one === from).map(([, to]) => NAMES[to] ?? ''))]
        }))
        const { plan, problems } = read({ type: 'graph', steps })
        expect(plan !== undefined).to.equal(isAcyclic(steps as unknown as Step[]))
        if (!plan) expect(problems.map(({ message }) => message).join()).to.include('cycle detected')
      }),
      { numRuns: ofAll(100, 1_000) }
    )
  })

  it('1.3.2, 1.4.2 a chain of groups is a plan in which each item depends on every step of the item before', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }), (sizes) => {
        const { plan } = read({ steps: sizes.map((size) => Array.from({ length: size }, () => 'true')) })
        let at = 0
        let before: string[] = []
        for (const size of sizes) {
          const group = plan?.steps.slice(at, at + size) ?? []
          for (const { depends } of group) expect(depends).to.deep.equal(before)
          before = group.map(({ name }) => name)
          at += size
        }
        expect(plan?.steps.length).to.equal(at)
      }),
      { numRuns: ofAll(30, 300) }
    )
  })
})
