import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import type { ExecutorType } from '../../../src/definition/fields/executor-types.ts'
import { LEVELS, type Level } from '../../../src/definition/fields/fields.ts'
import { CONFIGS } from '../../../src/definition/fields/fields-executor.ts'
import type { LevelTable } from '../../../src/definition/fields/level.ts'
import { definitionSchema, schemaText } from '../../../src/definition/fields/schema.ts'
import { casesOf, fixture } from '../../golden/cases.ts'
import { messagesOf } from '../reading.ts'
import { around, aroundConfig, type Sample } from './field-samples.ts'

const project = new URL('../../../../', import.meta.url)
const copy = new URL('docs/definition.schema.json', project)
const examples = readdirSync(new URL('fixtures/examples/', project)).filter((name) => /^[^.]+\.yaml$/.test(name)) // not those of tests

const validate = new Ajv2020({ strict: true, allErrors: true, strictTypes: false, strictRequired: false }).compile(
  definitionSchema()
)
const reasons = (document: unknown) =>
  validate(document) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
const read = (document: Sample) => messagesOf(JSON.stringify(document), {})

/** One value of each kind, and one too small and one too large. */
const VALUES: unknown[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  2_000_000_000,
  '',
  'text',
  '1',
  'while',
  'env',
  'keepalive',
  'missing',
  'shell',
  [],
  ['a'],
  [1],
  [true],
  [null],
  [[]],
  [['a']],
  [{}],
  [{ a: 'b' }],
  [{ a: {} }],
  {},
  { a: 'b' },
  { a: 1 },
  { a: null },
  { a: [] },
  { a: {} },
  ['a=b'],
  ['=b'],
  { command: 'a' },
  { script: 'a' },
  { condition: 'a' },
  { type: 'jq' },
  { items: ['a'] },
  { limit: 1 }
]

/** What the reader refuses for a reason that is no matter of form. */
const GRAMMAR =
  /invalid (?:schedule|step ID|signal|volume|port|regular)|name must|is a reserved|must be a duration|cannot be named|depends on non-existent|executor requires|is not found|must be specified|is required\b|options require|are exclusive|only supported for child-DAGs|must begin with|command is empty|no valid recipients/

function disagreements(document: Sample): string[] {
  const problems = read(document)
  const faults = reasons(document)
  if (faults.length > 0 && problems.length === 0) return [`schema alone: ${JSON.stringify(document)}: ${faults[0]}`]
  const ofForm = problems.filter((problem) => !GRAMMAR.test(problem))
  if (faults.length === 0 && ofForm.length > 0) return [`reader alone: ${JSON.stringify(document)}: ${ofForm[0]}`]
  return []
}

const levels = Object.entries<LevelTable>(LEVELS).map(([level, table]) => ({
  title: level,
  table,
  place: around[level as Level]
}))
const configs = Object.entries(CONFIGS).flatMap(([type, table]) => {
  const place = aroundConfig[type as ExecutorType]
  return place ? [{ title: `config of ${type}`, table, place }] : []
})

describe('JSON Schema for editors', () => {
  it('the copy in docs/ is current', () => {
    if (process.env.UPDATE_GOLDEN) writeFileSync(copy, schemaText())
    expect(readFileSync(copy, 'utf8') === schemaText(), 'UPDATE_GOLDEN=1 writes it anew').to.equal(true)
  })

  it('every example names the copy in its first line', () => {
    expect(examples.length).to.be.greaterThan(2)
    for (const name of examples) {
      const text = readFileSync(new URL(`fixtures/examples/${name}`, project), 'utf8')
      const path = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? ''
      expect(new URL(path, new URL('fixtures/examples/', project)).href, name).to.equal(copy.href)
    }
  })

  for (const path of [
    ...casesOf('expand').map((name) => `expand/${name}/dag.yaml`),
    ...examples.map((name) => `examples/${name}`)
  ]) {
    it(`accepts fixtures/${path}`, () => {
      for (const document of parseAllDocuments(fixture(path), { merge: true, logLevel: 'error' })) {
        const data: unknown = document.toJS()
        if (data !== null) expect(reasons(data)).to.deep.equal([])
      }
    })
  }

  for (const { title, table, place } of [...levels, ...configs]) {
    it(`${title}: schema and reader agree on right and wrong values of every field`, () => {
      const found = table.rows
        .filter(({ elsewhere }) => elsewhere === undefined)
        .flatMap(({ name }) => VALUES.flatMap((value) => disagreements(place({ [name]: value }))))
      expect(found).to.deep.equal([])
    })

    it(`${title}: unknown keys ${table.open ? 'are left alone' : 'are refused'} by both`, () => {
      const document = place({ zzz: 1 })
      expect([reasons(document).length > 0, read(document).length > 0]).to.deep.equal([!table.open, !table.open])
    })

    for (const { name, example, elsewhere } of table.rows) {
      if (elsewhere !== undefined) continue
      it(`${title}.${name}: its example is right for both: ${example}`, () => {
        const document = place({ [name]: parse(example) })
        expect([...reasons(document), ...read(document)]).to.deep.equal([])
      })
    }
  }

  it('an unknown executor type and a wrong config are refused by both', () => {
    const steps = (executor: unknown) => ({ steps: [{ command: 'GET http://localhost', executor }] })
    for (const executor of ['ftp', { type: 'ftp' }, { type: 'http', config: { headers: 'a' } }]) {
      expect(reasons(steps(executor)), JSON.stringify(executor)).not.to.deep.equal([])
      expect(read(steps(executor)), JSON.stringify(executor)).not.to.deep.equal([])
    }
    expect(reasons(steps({ type: 'http', config: null }))).to.deep.equal([])
  })
})
