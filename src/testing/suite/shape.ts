/** The forms of a test file as data: it is read by them, and its JSON Schema is made of them. */
import type { Json } from '../../../machines/vocabulary.ts'
import { type Problems, wrong, wrongValue } from '../../definition/problems.ts'
import { type Field, isNull, item, member, toJson } from '../../definition/yaml/value.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMeanInBrackets } from '../../nearest.ts'

export type Shape =
  | { kind: 'text'; wanted?: string; check?: (text: string) => unknown }
  | { kind: 'flag' }
  | { kind: 'whole'; least: number; most: number }
  | { kind: 'word'; words: readonly string[] }
  | { kind: 'any' }
  | { kind: 'list'; of: Shape; atLeast?: number; most: number }
  /** Names that are free. */
  | { kind: 'map'; of: Shape; wanted: string }
  | { kind: 'object'; fields: Readonly<Record<string, Shape>>; required?: readonly string[]; exactlyOne?: true }
  /** The first one that fits the form of the value: scalar, list or map. */
  | { kind: 'either'; shapes: readonly Shape[]; wanted: string }

type FormOf = 'scalar' | 'list' | 'map' | 'any'
function formOf(shape: Shape): FormOf {
  if (shape.kind === 'any' || shape.kind === 'either') return 'any'
  if (shape.kind === 'list') return 'list'
  return shape.kind === 'map' || shape.kind === 'object' ? 'map' : 'scalar'
}

/** Where values stand, by their path. */
export type Places = Map<string, number>

/** The value, as far as it fits; problems say where it does not. A null counts as absent. */
export function readShape(shape: Shape, field: Field, problems: Problems, places: Places): Json | undefined {
  const { value, path } = field
  places.set(path, value.at)
  if (shape.kind === 'any') return JSON.parse(toJson(value)) as Json
  if (shape.kind === 'either') {
    const fits = shape.shapes.find((one) => ['any', value.kind].includes(formOf(one)))
    if (fits) return readShape(fits, field, problems, places)
    wrongValue(problems, field, `wanted ${shape.wanted}`)
    return undefined
  }
  if (shape.kind === 'list') {
    if (value.kind !== 'list') return void wrongValue(problems, field, 'wanted a list')
    const { of, atLeast = 0, most } = shape
    if (value.items.length < atLeast || value.items.length > most)
      wrong(problems, field, `wanted ${atLeast} to ${most} entries, found ${value.items.length}`)
    return value.items
      .slice(0, most)
      .map((one, index) => readShape(of, item(field, index, one), problems, places) ?? null)
  }
  if (shape.kind === 'map' || shape.kind === 'object') return readMap(shape, field, problems, places)
  if (value.kind !== 'scalar') return void wrongValue(problems, field, `wanted ${scalarWanted(shape)}`)
  return readScalar(shape, field, value.text, value.data, problems)
}

function readMap(
  shape: Extract<Shape, { kind: 'map' | 'object' }>,
  field: Field,
  problems: Problems,
  places: Places
): Json | undefined {
  const { value } = field
  if (value.kind !== 'map')
    return void wrongValue(problems, field, `wanted ${shape.kind === 'map' ? shape.wanted : 'a map'}`)
  const found: Record<string, Json> = {}
  for (const { key, keyAt, value: one } of value.entries) {
    const child = member(field, key, one)
    const of = shape.kind === 'map' ? shape.of : Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined
    if (!of) {
      const names = shape.kind === 'object' ? Object.keys(shape.fields) : []
      problems.add(
        `field '${key}': unknown field${didYouMeanInBrackets(key, names)}; known are ${names.join(', ')}`,
        child.path,
        keyAt
      )
      continue
    }
    if (isNull(one) && of.kind !== 'any') {
      places.set(child.path, keyAt)
      if (shape.kind === 'object' && shape.exactlyOne) found[key] = null
      continue
    }
    const read = readShape(of, child, problems, places)
    places.set(child.path, keyAt)
    if (read !== undefined) found[key] = read
  }
  if (shape.kind === 'map') return found
  for (const name of shape.required ?? [])
    if (!value.entries.some(({ key }) => key === name)) wrong(problems, field, `wanted a field '${name}', found none`)
  if (shape.exactlyOne && value.entries.length !== 1)
    wrong(
      problems,
      field,
      `wanted one of ${Object.keys(shape.fields).join(', ')}, found ${value.entries.length} fields`
    )
  return found
}

type ScalarShape = Extract<Shape, { kind: 'text' | 'flag' | 'whole' | 'word' }>
function scalarWanted(shape: ScalarShape): string {
  if (shape.kind === 'flag') return 'true or false'
  if (shape.kind === 'whole') return `an integer from ${shape.least} to ${shape.most}`
  return shape.kind === 'word' ? `one of ${shape.words.join(', ')}` : (shape.wanted ?? 'a text')
}

function readScalar(
  shape: ScalarShape,
  field: Field,
  text: string,
  data: unknown,
  problems: Problems
): Json | undefined {
  const refuse = () => void wrongValue(problems, field, `wanted ${scalarWanted(shape)}`)
  if (shape.kind === 'flag') return typeof data === 'boolean' ? data : refuse()
  if (shape.kind === 'whole') {
    const fits = typeof data === 'number' && Number.isInteger(data) && data >= shape.least && data <= shape.most
    return fits ? data : refuse()
  }
  if (shape.kind === 'word') return shape.words.includes(text) ? text : refuse()
  try {
    shape.check?.(text)
    return text
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    return void problems.add(error.message, field.path, field.value.at)
  }
}

/** JSON Schema of a form. */
export function schemaOf(shape: Shape): Record<string, unknown> {
  switch (shape.kind) {
    case 'text':
      return { type: ['string', 'number', 'boolean'], ...(shape.wanted ? { description: shape.wanted } : {}) }
    case 'flag':
      return { type: 'boolean' }
    case 'whole':
      return { type: 'integer', minimum: shape.least, maximum: shape.most }
    case 'word':
      return { enum: [...shape.words] }
    case 'any':
      return {}
    case 'list':
      return { type: 'array', items: schemaOf(shape.of), minItems: shape.atLeast ?? 0, maxItems: shape.most }
    case 'map':
      return { type: 'object', additionalProperties: orNull(shape.of), description: shape.wanted }
    case 'either':
      return { anyOf: shape.shapes.map(schemaOf) }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(Object.entries(shape.fields).map(([name, of]) => [name, orNull(of)])),
        ...(shape.required ? { required: [...shape.required] } : {}),
        ...(shape.exactlyOne ? { minProperties: 1, maxProperties: 1 } : {}),
        additionalProperties: false
      }
  }
}
const orNull = (shape: Shape) => (shape.kind === 'any' ? {} : { anyOf: [schemaOf(shape), { type: 'null' }] })
