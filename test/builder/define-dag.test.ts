/** `defineDag` makes the same plan as the reader of YAML. Source: embedding 1, 2.1. */
import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import { insideOf } from '../../src/builder/inside.ts'
import type { Builder, Dag } from '../../src/builder/types.ts'
import { planIdentity } from '../../src/definition/plan-identity.ts'
import { readDefinition } from '../../src/definition/read.ts'
import type { Node } from '../../src/executors/function/types.ts'
import { ofAll } from '../support/long.ts'

const planOf = (dag: Dag) => {
  const inside = insideOf(dag)
  if (!inside) throw new Error('no DAG')
  return inside.plan
}

const CONSTRUCTS = [
  'step',
  'shell',
  'yaml',
  'call',
  'approval',
  'sleep',
  'use',
  'each',
  'signal',
  'repeat',
  'callEach',
  'eachPage'
] as const
interface RandomStep {
  construct: (typeof CONSTRUCTS)[number]
  /** Each points at a step before it, modulo their number. */
  depends: number[]
  timeoutSec: number | undefined
  retries: number | undefined
  conditional: boolean
  continues: boolean
  text: string
}
const randomStep = fc.record<RandomStep>({
  construct: fc.constantFrom(...CONSTRUCTS),
  depends: fc.array(fc.nat(50), { maxLength: 3 }),
  timeoutSec: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }),
  retries: fc.option(fc.nat(5), { nil: undefined }),
  conditional: fc.boolean(),
  continues: fc.boolean(),
  text: fc
    .string({ minLength: 1, maxLength: 20, unit: 'binary-ascii' })
    .map((text) => `echo ${text.replaceAll('\0', '')}.`)
})
const randomDag = fc.record({
  steps: fc.array(randomStep, { minLength: 1, maxLength: 12 }),
  version: fc.option(fc.stringMatching(/^[\w.-]{1,8}$/), { nil: undefined }),
  fails: fc.boolean(),
  description: fc.string({ maxLength: 20 }),
  keeps: fc.boolean()
})
type RandomDag = typeof randomDag extends fc.Arbitrary<infer T> ? T : never

const PART = defineDag({ name: 'part' }, () => {})
const nameAt = (index: number) => `s${index}`

/** Depends on the steps before it, each once. */
const dependsAt = ({ depends }: RandomStep, index: number): string[] =>
  index === 0 ? [] : [...new Set(depends.map((other) => nameAt(other % index)))]

function addStep(d: Builder<unknown, never>, step: RandomStep, name: string, depends: Node[]): Node {
  const { construct, timeoutSec, retries, conditional, continues, text } = step
  const edge = {
    depends,
    ...(conditional ? { preconditions: () => true } : {}),
    ...(continues ? { continueOn: { failure: true } } : {})
  }
  const work = {
    ...edge,
    ...(timeoutSec ? { timeoutSec } : {}),
    ...(retries === undefined ? {} : { retryPolicy: { limit: retries, intervalSec: 2 } })
  }
  if (construct === 'step') return d.step(name, work, () => 1)
  if (construct === 'use') return d.use(name, { name: 'shared' }, { ...work, params: () => ({}) })
  if (construct === 'repeat')
    return d.repeat(name, work, () => 1, { [continues ? 'until' : 'while']: () => true, limit: 3, backoff: 2 } as never)
  if (construct === 'eachPage') return d.eachPage(name, { ...work, items: () => [1], pages: 7 }, () => 1)
  if (construct === 'callEach') return d.callEach(name, PART, { ...work, items: () => [1], params: () => ({}) })
  if (construct === 'each') return d.each(name, { ...work, items: () => [1] }, () => 1)
  if (construct === 'shell') return d.shell(name, text, work)
  if (construct === 'yaml') return d.yaml(name, { executor: 'http', command: 'GET http://localhost' }, work)
  if (construct === 'call') return d.call(name, 'other', { ...work, params: () => ({}) })
  if (construct === 'sleep') return d.sleep(name, { ...edge, for: 'PT1S' })
  if (construct === 'approval') return d.approval(name, { ...edge, ...(timeoutSec ? { timeoutSec } : {}) })
  return d.signal(name as never, { ...edge, ask: 'now' })
}

function dagOf({ steps, version, fails, description, keeps }: RandomDag): Dag {
  const signals = Object.fromEntries(
    steps.flatMap(({ construct }, index) => (construct === 'signal' ? [[nameAt(index), z.object({})]] : []))
  )
  return defineDag(
    { name: 'random', description, signals, ...(version ? { version } : {}), ...(fails ? { onDrift: 'fail' } : {}) },
    (d) => {
      const handles: Node[] = []
      for (const [index, step] of steps.entries()) {
        const depends = dependsAt(step, index).map((name) => handles.find((handle) => handle.name === name) as Node)
        handles.push(addStep(d as never, step, nameAt(index), depends))
      }
      if (keeps) d.handler('failure', { retryPolicy: { limit: 1 } }, () => null)
      return keeps ? Object.fromEntries(handles.map((handle) => [`kept-${handle.name}`, handle])) : undefined
    }
  )
}

describe('defineDag › one plan', () => {
  it('the text of any DAG reads back to its plan and its planHash', () => {
    fc.assert(
      fc.property(randomDag, (random) => {
        const dag = dagOf(random)
        const { plan, problems } = readDefinition(dag.toYaml())
        expect(problems).to.deep.equal([])
        expect(plan).to.deep.equal(planOf(dag))
        expect(plan && planIdentity(plan)).to.equal(dag.planHash)
        expect(dag.version).to.equal(random.version ?? dag.planHash.slice(0, 12))
      }),
      { numRuns: ofAll(15, 60) }
    )
  })
  it('the plan says what the builder said: names, dependencies, policies', () => {
    fc.assert(
      fc.property(randomDag, (random) => {
        const { steps, result, onDrift, description } = planOf(dagOf(random))
        expect(steps.map(({ name }) => name)).to.deep.equal(random.steps.map((_, index) => nameAt(index)))
        expect(description).to.equal(random.description)
        expect(onDrift).to.equal(random.fails ? 'fail' : undefined)
        expect(Object.keys(Object(result))).to.have.length(random.keeps ? steps.length : 0)
        for (const [index, step] of steps.entries()) {
          const said = random.steps[index] as RandomStep
          const waits = ['signal', 'approval', 'sleep'].includes(said.construct)
          expect(step.depends).to.deep.equal(dependsAt(said, index))
          expect(step.continueOn.failure).to.equal(said.continues)
          if (!waits) {
            expect(step.retry.limit).to.equal(said.retries ?? 0)
            expect(step.timeoutMs).to.equal((said.timeoutSec ?? 0) * 1_000)
          }
          if (said.construct === 'shell')
            expect(step.command ?? step.script).to.contain(said.text.trim().split('\n')[0])
        }
      }),
      { numRuns: ofAll(15, 60) }
    )
  })
  it('YAML written by hand has the same planHash; another plan, or another version, has another', () => {
    const dag = (version: string, command: string) =>
      defineDag({ name: 'same', version }, (d) => {
        const first = d.shell('first', command)
        return d.shell('second', 'echo 2', { depends: [first] })
      })
    const { plan } = readDefinition(`
      # by hand
      name: same
      version: '1'
      result: second
      type: graph
      maxActiveRuns: -1
      steps:
        first: {command: echo 1, output: RESULT_FIRST}
        second: {depends: first, command: echo 2, output: RESULT_SECOND}
    `)
    expect(plan && planIdentity(plan)).to.equal(dag('1', 'echo 1').planHash)
    expect(dag('1', 'echo 3').planHash).not.to.equal(dag('1', 'echo 1').planHash)
    expect(dag('2', 'echo 1').planHash).not.to.equal(dag('1', 'echo 1').planHash)
  })
  it('has no limit of runs unless it says one', () => {
    const limitOf = (fields: { maxActiveRuns?: number }) =>
      planOf(defineDag({ name: 'limits', ...fields }, (d) => d.shell('a', 'true'))).maxActiveRuns
    expect([limitOf({}), limitOf({ maxActiveRuns: 3 }), limitOf({ maxActiveRuns: -1 })]).to.deep.equal([-1, 3, -1])
  })
  it('a step of every kind has a description; env of a command is a map as in the format, or a function', () => {
    const description = 'why'
    const { steps } = planOf(
      defineDag({ name: 'said', signals: { word: z.object({}) } }, (d) => {
        d.step('step', { description }, () => 1)
        d.repeat('repeat', { description }, () => 1, { until: () => true, limit: 1 })
        d.each('each', { description, items: () => [] }, () => 1)
        d.eachPage('eachPage', { description, items: () => [] }, () => 1)
        d.use('use', { name: 'shared' }, { description, params: () => ({}) })
        d.shell('shell', 'true', { description, env: { A: 'a', B: '${A}' } })
        d.yaml('yaml', { executor: 'http', command: 'GET http://localhost' }, { description, env: () => ({}) })
        d.call('call', 'other', { description, params: () => ({}) })
        d.callEach('callEach', PART, { description, items: () => [], params: () => ({}) })
        d.signal('word', { description })
        d.approval('approval', { description })
        d.sleep('sleep', { description, for: 'PT1S' })
      })
    )
    expect(steps.map((step) => [step.name, step.description])).to.deep.equal(
      steps.map(({ name }) => [name, description])
    )
    expect(steps).to.have.length(12)
    expect(steps.find(({ name }) => name === 'shell')?.env).to.deep.equal([
      { key: 'A', value: 'a' },
      { key: 'B', value: '${A}' }
    ])
    expect(steps.find(({ name }) => name === 'yaml')?.functions).to.deep.equal({ env: 'said/yaml#env' })
  })
  it('the builder runs once, and no function of a step is called', () => {
    let runs = 0
    let calls = 0
    const dag = defineDag({ name: 'once' }, (d) => {
      runs++
      d.step('a', {}, () => ++calls)
    })
    dag.toYaml()
    dag.toYaml()
    expect([runs, calls]).to.deep.equal([1, 0])
  })
})
