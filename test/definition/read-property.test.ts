import { expect } from 'chai'
import fc from 'fast-check'
import { LineCounter } from 'yaml'
import { readDefinition } from '../../src/definition/read.ts'
import { MAX_NESTING, tokensOf } from '../../src/definition/yaml/nesting.ts'
import { ofAll } from '../support/long.ts'
import { growth, LINEAR } from '../support/processor-time.ts'

const FRAGMENTS = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ': ',
  ':',
  '- ',
  '? ',
  '-',
  '&a ',
  '*a',
  '!!str ',
  '!x ',
  '| ',
  '>-',
  '"',
  "'",
  '#',
  '\n',
  '\n  ',
  '\n    ',
  '\r\n',
  '\t',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '<<: ',
  '\\',
  '\0',
  '\uFEFF',
  '\uD800',
  'null',
  '~',
  '1.10',
  '-1',
  'name: ',
  'a',
  'steps:',
  'command: ',
  'depends: ',
  'params: ',
  'env: ',
  'A=b ',
  're:(',
  'retryPolicy: ',
  'limit: ',
  'handlerOn: ',
  'exit: ',
  'id: ',
  'type: graph',
  'continueOn: ',
  'tags: ',
  'shell: ',
  '__proto__: ',
  'executor: ',
  'queue: ',
  'schedule: ',
  '* * * * *',
  'CRON_TZ=',
  'repeatPolicy: ',
  'repeat: ',
  'condition: ',
  'call: ',
  'parallel: ',
  'items: ',
  'secrets: ',
  'container: ',
  'image: ',
  'volumes: ',
  'ssh: ',
  'otel: ',
  'timeout: ',
  'registryAuths: ',
  'config: ',
  'jq',
  'http',
  'docker',
  'mail',
  'smtp: ',
  'dotenv: ',
  'values: ',
  'schema: ',
  'until'
]

const text = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...FRAGMENTS) },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) }
    ),
    {
      maxLength: 120
    }
  )
  .map((parts) => parts.join(''))

const repeated = fc
  .tuple(fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 2000 }))
  .map(([parts, times]) => parts.join('').repeat(times))

/** Lists and maps inside each other, of any tree the parser makes. Iterative. */
function deepest(trees: unknown[]): number {
  let deepest = 0
  const open = trees.map((node) => ({ node, depth: 0 }))
  for (let top = open.pop(); top; top = open.pop()) {
    const { node, depth } = top
    if (typeof node !== 'object' || node === null) continue
    const isCollection = 'items' in node && Array.isArray(node.items)
    deepest = Math.max(deepest, isCollection ? depth + 1 : depth)
    for (const child of Object.values(node)) open.push({ node: child, depth: isCollection ? depth + 1 : depth })
  }
  return deepest
}

describe('reader › any text', () => {
  for (const [name, texts] of Object.entries({ text, repeated })) {
    it(`readDefinition never throws: ${name}`, () => {
      fc.assert(
        fc.property(texts, (text) => {
          const { plan, problems, outline } = readDefinition(text, { fallbackName: 'demo' })
          expect(plan === undefined).to.equal(problems.length > 0)
          expect(new Set(outline.steps.map((step) => step.name)).has('')).to.equal(false)
          if (plan) expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(plan)
          for (const { line = 1, column = 1 } of problems) expect(Math.min(line, column)).to.be.greaterThan(0)
        }),
        { numRuns: ofAll(name === 'text' ? 300 : 30, name === 'text' ? 1_500 : 150) }
      )
    })
  }

  it('a text that repeats itself takes linear time', async () => {
    const parts = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(parts, async (found) => {
        const read = (times: number) => readDefinition(found.join('').repeat(times), { fallbackName: 'demo' })
        expect(await growth(read, 200)).to.be.below(LINEAR)
      }),
      { numRuns: ofAll(10, 50) }
    )
  })

  it('readDefinition never throws with any text as its base file', () => {
    fc.assert(
      fc.property(text, text, (own, base) => {
        const options = { fallbackName: 'demo', base: { text: base, path: 'base.yaml' } }
        const { plan, problems } = readDefinition(own, options)
        expect(plan === undefined).to.equal(problems.length > 0)
        if (plan) expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(plan)
      }),
      { numRuns: ofAll(100, 500) }
    )
  })

  it('what the guard lets through nests no deeper than its limit', () => {
    fc.assert(
      fc.property(fc.oneof(text, repeated), (text) => {
        const read = tokensOf(text, new LineCounter())
        // A pair in a flow list makes one more map than the parser had on its stack.
        if ('tokens' in read) expect(deepest(read.tokens)).to.be.at.most(2 * MAX_NESTING)
      }),
      { numRuns: ofAll(80, 400) }
    )
  })
})
