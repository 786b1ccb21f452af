import { expect } from 'chai'
import { faultsText, paramSchema } from '../../../src/definition/dag/param-schema.ts'
import { paramsText } from '../../../src/definition/dag/params.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

const given = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))
const fit = (schema: unknown, values: Record<string, string> = {}) => paramSchema(JSON.stringify(schema))(given(values))
const completed = (schema: unknown, values: Record<string, string> = {}) => {
  const { params, faults } = fit(schema, values)
  expect(faultsText(faults)).to.equal('')
  return paramsText(params)
}
const faults = (schema: unknown, values: Record<string, string> = {}) => faultsText(fit(schema, values).faults)
const refusal = (schema: unknown) => {
  try {
    paramSchema(typeof schema === 'string' ? schema : JSON.stringify(schema))
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('accepted')
}

describe('params schema › values (2.3.3)', () => {
  const properties = (types: Record<string, unknown>) => ({ type: 'object', properties: types })

  it('each value is parsed as JSON when it can be, else taken as string', () => {
    const schema = properties({
      N: { type: 'integer' },
      F: { type: 'number' },
      B: { type: 'boolean' },
      S: { type: 'string' },
      Q: { type: 'string' },
      O: { type: 'object' },
      A: { type: 'array' },
      Z: { type: 'null' },
      E: { type: 'string' }
    })
    const values = {
      N: '5',
      F: '1.50',
      B: 'true',
      S: 'a b',
      Q: '"12"',
      O: '{ "k": [1, 2] }',
      A: '[ ]',
      Z: 'null',
      E: ''
    }
    expect(completed(schema, values)).to.equal('N=5 F=1.50 B=true S=a b Q=12 O={"k":[1,2]} A=[] Z=null E=')
    expect(faults(schema, { N: 'x', S: '5' })).to.equal('/N: must be integer; /S: must be string')
  })
  it('objects, arrays and numbers are stored as compact JSON; large integers keep their digits', () => {
    const schema = properties({ O: { properties: { more: { default: 1 } } }, D: { default: 0 } })
    const text = JSON.stringify(schema).replace('"default":0', '"default":12345678901234567891')
    const { params } = paramSchema(text)(
      given({ N: '12345678901234567890', O: '{"n": 98765432109876543210, "l": [1.10]}' })
    )
    expect(paramsText(params)).to.equal(
      'N=12345678901234567890 O={"n":98765432109876543210,"l":[1.10],"more":1} D=12345678901234567891'
    )
  })
  it('the object is completed with defaults, through references too', () => {
    const schema = {
      $defs: { port: { type: 'integer', default: 80 } },
      properties: {
        HOST: { default: 'local host' },
        PORT: { $ref: '#/$defs/port', default: 81 },
        TAGS: { default: ['a', 1] }
      }
    }
    expect(completed(schema, { HOST: 'there' })).to.equal('HOST=there PORT=81 TAGS=["a",1]')
  })
  it('2.3.6 order: declared, then override-only, then schema defaults in schema order', () => {
    const schema = properties({ Z: { default: 1 }, A: { default: 2 }, M: { default: 3 } })
    expect(completed(schema, { second: 'x', first: 'y', M: '9' })).to.equal('second=x first=y M=9 Z=1 A=2')
    expect(completed(schema, { B: 'x', 2: 'two', 1: 'one' }), 'positional ones too').to.match(/Z=1 A=2 M=3$/)
  })
})

describe('params schema › dialects (2.3.3)', () => {
  it('draft 2020-12 without $schema, and by name', () => {
    const schema = { properties: { L: { prefixItems: [{ type: 'integer' }] } }, unevaluatedProperties: false }
    for (const $schema of [undefined, 'https://json-schema.org/draft/2020-12/schema']) {
      expect(faults({ ...schema, $schema }, { L: '["x"]' })).to.equal('/L/0: must be integer')
      expect(faults({ ...schema, $schema }, { M: 'x' })).to.equal('/: must NOT have unevaluated properties: "M"')
    }
  })
  it('draft 2019-09', () => {
    const $schema = 'https://json-schema.org/draft/2019-09/schema'
    const schema = { $schema, properties: { L: { items: [{ type: 'integer' }], unevaluatedItems: false } } }
    expect(faults(schema, { L: '["x", 2]' }))
      .to.contain('/L/0: must be integer')
      .and.to.contain('/L: must NOT have more than 1 items')
  })
  it('draft 7', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { n: { type: 'integer' } },
      properties: { L: { items: [{ $ref: '#/definitions/n' }], additionalItems: false } }
    }
    expect(faults(schema, { L: '["x"]' })).to.equal('/L/0: must be integer')
    expect(faults(schema, { L: '[1, 2]' })).to.contain('/L: must NOT have more than 1 items')
  })
  it('other dialects, other JSON and what is no JSON are refused without showing it', () => {
    expect(refusal({ $schema: 'http://json-schema.org/draft-04/schema#' })).to.equal(
      'failed to get JSON schema: $schema: wanted draft 2020-12, 2019-09 or 7, found "http://json-schema.org/draft-04/schema#"'
    )
    expect(refusal('root:x:0:0')).to.equal('failed to get JSON schema: it is not valid JSON')
    expect(refusal('5')).to.match(/^failed to get JSON schema: wanted a JSON object/)
    expect(refusal({ type: 'no such type' })).to.match(/^failed to get JSON schema: ./)
    expect(refusal({ $ref: 'https://elsewhere.example/schema' })).to.match(/^failed to get JSON schema: can't resolve/)
  })
  it('Choice: formats are annotations', () => {
    expect(completed({ properties: { M: { format: 'email' } } }, { M: 'x' })).to.equal('M=x')
  })
})

describe('params schema › messages (2.3.4)', () => {
  it('<instance path>: <reason>, all of them, with what is allowed', () => {
    const schema = {
      properties: { A: { enum: ['x', 'y'] }, B: { properties: { c: { minimum: 3 } } } },
      required: ['R'],
      additionalProperties: false
    }
    expect(faults(schema, { A: 'z', B: '{"c": 1}', C: '1' }).split('; ')).to.have.members([
      '/A: must be equal to one of the allowed values: ["x","y"]',
      '/B/c: must be >= 3',
      '/: must NOT have additional properties: "C"',
      "/: must have required property 'R'"
    ])
  })
  it('at most ten, then their number', () => {
    const values = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`P${index}`, 'x']))
    expect(faults({ additionalProperties: { type: 'integer' } }, values)).to.match(/and 3 more$/)
  })
})

describe('params schema › hostile schemas', () => {
  it('a pattern that backtracks for ever elsewhere is held against a text in linear time', async () => {
    const schema = {
      properties: { A: { pattern: '^(a+)+$' } },
      patternProperties: { '^(b|b)*c$': { type: 'integer' } }
    }
    const held = (size: number) =>
      expect(faults(schema, { A: `${'a'.repeat(10 * size)}!`, [`${'b'.repeat(size)}c`]: 'x' })).to.contain(
        '/A: must match pattern'
      )
    expect(await growth(held, 500)).to.be.below(LINEAR)
  })
  it('patterns of one schema are distinguished; \\d and \\u are understood', () => {
    const schema = { properties: { A: { pattern: '^\\d+$' }, B: { pattern: '^\\u00e9$' } } }
    expect(completed(schema, { A: '"12"', B: 'é' })).to.equal('A=12 B=é')
    expect(faults(schema, { A: 'é', B: '"12"' }))
      .to.contain('/A: must')
      .and.to.contain('/B: must')
  })
  it('look-around and back references are refused by name', () => {
    expect(refusal({ properties: { A: { pattern: '(?=x)y' } } })).to.match(/^failed to get JSON schema: .*\(\?=/)
  })
  it('references that ask for more than a lifetime are ended', () => {
    const $defs: Record<string, unknown> = { l0: { type: 'integer' } }
    for (let level = 1; level <= 40; level++)
      $defs[`l${level}`] = { allOf: [{ $ref: `#/$defs/l${level - 1}` }, { $ref: `#/$defs/l${level - 1}`, title: 'x' }] }
    const work = () => fit({ $defs, properties: { A: { $ref: '#/$defs/l40' } } }, { A: '1' })
    expect(work).to.throw('parameter validation failed: the schema asks for too much work')
  })
  it('a reference to itself is ended', () => {
    const work = () => fit({ $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }, { A: '1' })
    expect(work).to.throw('the schema asks for too much work')
  })
})
