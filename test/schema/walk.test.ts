/** How values are held against schemas, and read by them. Source: docs/decisions/project.md D1720. */
import { expect } from 'chai'
import { between, line, list, map, oneOf } from '../../src/schema/limited.ts'
import {
  array,
  integer,
  type ObjectSchema,
  object,
  optional,
  orNull,
  type Schema,
  text
} from '../../src/schema/schema.ts'
import { fits, misfitsOf, parsed, read } from '../../src/schema/walk.ts'

const job = object({
  name: line(10),
  tries: optional(between(1, 3)),
  labels: optional(map(line(9), text, 2)),
  steps: list(object({ kind: oneOf(['a', 'b']), after: orNull(integer) }), 2)
})
const good = { name: 'etl', steps: [{ kind: 'a', after: null }] }

const never = () => {
  throw new Error('it was refused')
}
const placesOf = (schema: Schema, value: unknown) => misfitsOf(schema, value).map(({ at }) => at.join('.'))

describe('schema › walk', () => {
  it('all that does not fit is named, each with its place and what was wanted there', () => {
    expect(misfitsOf(job, good)).to.deep.equal([])
    const found = misfitsOf(job, { name: '', tries: 4, labels: { a: 1 }, steps: [{ kind: 'c', after: 1.5 }] })
    expect(found.map(({ at, schema, value }) => [at.join('.'), schema['x-wanted'], value])).to.deep.equal([
      ['name', 'a text of 1 to 10 characters on one line', ''],
      ['tries', 'an integer from 1 to 3', 4],
      ['labels.a', undefined, 1],
      ['steps.0.kind', 'one of a, b', 'c'],
      ['steps.0.after', undefined, 1.5]
    ])
  })
  it('a member that is missing, a list that is too long, a value of another kind', () => {
    expect(placesOf(job, {})).to.deep.equal(['name', 'steps'])
    expect(placesOf(job, { ...good, steps: [1, 2, 3] })).to.deep.equal(['steps'])
    expect(placesOf(job, { ...good, labels: { a: '1', b: '2', c: '3' } })).to.deep.equal(['labels'])
    expect(placesOf(job, { ...good, labels: { 'far too long': '1' } })).to.deep.equal(['labels'])
    for (const value of [null, [], 'text', undefined]) expect(placesOf(job, value)).to.deep.equal([''])
  })
  it('what is read is a copy without members that no schema names, whatever their names are', () => {
    const value = JSON.parse(
      '{"name":"etl","more":1,"labels":{"__proto__":"x"},"steps":[{"kind":"b","after":null,"x":2}]}'
    )
    const copy = read(job, value, never)
    expect(Object.keys(copy)).to.deep.equal(['name', 'labels', 'steps'])
    expect(copy.steps).to.deep.equal([{ kind: 'b', after: null }])
    expect(Object.entries(copy.labels ?? {})).to.deep.equal([['__proto__', 'x']])
    expect(value.more).to.equal(1)
  })
  it('unknown members are refused where no others may be', () => {
    const closed: ObjectSchema<{ a: Schema }, never> = { type: 'object', properties: { a: text }, required: [] }
    const [found] = misfitsOf({ ...closed, additionalProperties: false }, { a: 'x', b: 1 })
    expect(found).to.deep.include({ at: [], unknown: 'b' })
  })
  it('a union refuses in its own words, else in those of its last member', () => {
    const union = { anyOf: [{ const: true }, object({ at: text })] } as const
    expect(fits(union, true)).to.equal(true)
    expect(placesOf(union, { at: 1 })).to.deep.equal(['at'])
    expect(placesOf({ ...union, 'x-wanted': 'true, or where' }, { at: 1 })).to.deep.equal([''])
  })
  it('a value may be read into another type, which may refuse it', () => {
    const digits = { 'x-read': (value: unknown) => (/^\d+$/.test(String(value)) ? Number(value) : undefined) }
    expect(read(array(digits), ['1', '20'], never)).to.deep.equal([1, 20])
    expect(placesOf(array(digits), ['1', 'x'])).to.deep.equal(['1'])
  })
  it('a text is read when it is JSON that fits', () => {
    expect(parsed(job, JSON.stringify(good))).to.deep.equal(good)
    for (const written of ['{', '', '[]', '{"name":"etl"}']) expect(parsed(job, written)).to.equal(undefined)
  })
})
