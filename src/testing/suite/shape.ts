/** Reads a test file by its schema, in which texts may be written as any scalar, and null stands for nothing. */
import type { Json } from '../../../machines/vocabulary.ts'
import { type Problems, wrong, wrongValue } from '../../definition/problems.ts'
import { type Field, isNull, item, member, toJson } from '../../definition/yaml/value.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMeanInBrackets } from '../../nearest.ts'
import type { Schema } from '../../schema/schema.ts'
import { fits } from '../../schema/walk.ts'

function formOf({ type, anyOf, 'x-read': read }: Schema): 'scalar' | 'list' | 'map' | 'any' {
  if (anyOf || read) return 'any'
  return type === 'array' ? 'list' : type === 'object' ? 'map' : 'scalar'
}

/** Where values stand, by their path. */
export type Places = Map<string, number>

/** The value, as far as it fits; problems say where it does not. A null counts as absent. */
export function readShape(schema: Schema, field: Field, problems: Problems, places: Places): Json | undefined {
  const { value, path } = field
  const { anyOf, type, items = {}, minItems = 0, maxItems = 0, 'x-read': read } = schema
  const refuse = () => void wrongValue(problems, field, `wanted ${wantedOf(schema)}`)
  places.set(path, value.at)
  if (read) return read(JSON.parse(toJson(value))) as Json
  if (anyOf) {
    const fits = anyOf.find((one) => ['any', value.kind].includes(formOf(one)))
    return fits ? readShape(fits, field, problems, places) : refuse()
  }
  if (type === 'object') return value.kind === 'map' ? readMap(schema, field, value, problems, places) : refuse()
  if (type !== 'array') return value.kind === 'scalar' ? readScalar(schema, field, value, problems) : refuse()
  if (value.kind !== 'list') return refuse()
  if (value.items.length < minItems || value.items.length > maxItems)
    wrong(problems, field, `wanted ${minItems} to ${maxItems} entries, found ${value.items.length}`)
  return value.items
    .slice(0, maxItems)
    .map((one, index) => readShape(items, item(field, index, one), problems, places) ?? null)
}

function readMap(
  { properties, additionalProperties: others, required = [], maxProperties }: Schema,
  field: Field,
  { entries }: Extract<Field['value'], { kind: 'map' }>,
  problems: Problems,
  places: Places
): Json {
  const found: Record<string, Json> = {}
  const names = Object.keys(properties ?? {})
  for (const { key, keyAt, value: one } of entries) {
    const child = member(field, key, one)
    const of = properties ? (Object.hasOwn(properties, key) ? properties[key] : undefined) : others
    if (!of) {
      problems.add(
        `field '${key}': unknown field${didYouMeanInBrackets(key, names)}; known are ${names.join(', ')}`,
        child.path,
        keyAt
      )
      continue
    }
    if (isNull(one) && !of['x-read']) {
      places.set(child.path, keyAt)
      if (maxProperties) found[key] = null
      continue
    }
    const read = readShape(of, child, problems, places)
    places.set(child.path, keyAt)
    if (read !== undefined) found[key] = read
  }
  for (const name of required)
    if (!entries.some(({ key }) => key === name)) wrong(problems, field, `wanted a field '${name}', found none`)
  if (maxProperties && entries.length !== 1)
    wrong(problems, field, `wanted one of ${names.join(', ')}, found ${entries.length} fields`)
  return found
}

const WANTED: Partial<Record<NonNullable<Schema['type']>, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map'
}
const wantedOf = ({ type, 'x-wanted': wanted }: Schema) => wanted ?? (type && WANTED[type])

/** A text may be written as a number or a flag. */
function readScalar(
  schema: Schema,
  field: Field,
  { text, data }: Extract<Field['value'], { kind: 'scalar' }>,
  problems: Problems
): Json | undefined {
  try {
    const value = schema.type === 'string' || schema.enum ? text : (data as Json) // of a scalar
    if (fits(schema, value)) return value
    return void wrongValue(problems, field, `wanted ${wantedOf(schema)}`)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    return void problems.add(error.message, field.path, field.value.at)
  }
}

/** The JSON Schema that editors get. */
export function schemaOf(schema: Schema): Record<string, unknown> {
  const { type, anyOf, items, properties, additionalProperties: others, 'x-wanted': wanted } = schema
  const { enum: words, minimum, maximum, minItems, maxItems, minProperties, maxProperties, required = [] } = schema
  if (schema['x-read']) return {}
  if (words) return { enum: words }
  if (anyOf) return { anyOf: anyOf.map(schemaOf) }
  if (items) return { type, items: schemaOf(items), minItems, maxItems }
  if (others) return { type, additionalProperties: orNull(others), description: wanted }
  if (properties)
    return {
      type,
      properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, orNull(of)])),
      ...(required.length > 0 ? { required } : {}),
      minProperties,
      maxProperties,
      additionalProperties: false
    }
  if (type !== 'string') return { type, minimum, maximum }
  return { type: ['string', 'number', 'boolean'], description: wanted }
}
const orNull = (schema: Schema) => (schema['x-read'] ? {} : { anyOf: [schemaOf(schema), { type: 'null' }] })
