/** Holds values against schemas: what does not fit, and what is known of what does. */
import { isObject, type Schema, type Shape } from './schema.ts'

/** A value that does not fit. */
export interface Misfit {
  /** Names of members and places in lists, from the outside in. */
  at: readonly (string | number)[]
  schema: Schema
  value: unknown
  /** A member that an object may not have. */
  unknown?: string
}

/** One reading of a value. */
interface Pass {
  /** Path of the present value. */
  at: (string | number)[]
  /** Takes a misfit, and may throw. */
  refuse(misfit: Misfit): void
}
type Walk = (value: unknown, pass: Pass) => unknown
type Test = (value: unknown) => boolean
/** A schema, made into functions once: it is held against entries and messages by the thousand. */
interface Made {
  /** Whether a value fits, parts included. */
  test: Test
  /** What is read of a value. */
  walk: Walk
  /** A value that fits is read as it is: it has no parts. */
  isWhole?: true
}

const refuse = ({ at, refuse }: Pass, schema: Schema, value: unknown, rest?: { unknown: string }) =>
  refuse({ at: [...at], schema, value, ...rest })

const known = new WeakMap<Schema, Made>()
function madeOf(schema: Schema): Made {
  const one = known.get(schema) ?? made(schema)
  known.set(schema, one)
  return one
}

function made(schema: Schema): Made {
  const { type, anyOf, items, properties, additionalProperties, 'x-read': read } = schema
  if (anyOf) return union(schema, anyOf.map(madeOf))
  if (type === 'array') return list(schema, madeOf(items ?? {}))
  if (properties) return object(schema, properties)
  if (additionalProperties) return map(schema, madeOf(additionalProperties))
  if (read)
    return {
      test: (value) => read(value) !== undefined,
      walk: (value, pass) => read(value) ?? refuse(pass, schema, value)
    }
  const test = schema['x-any'] ? () => true : testOf(schema)
  return { test, walk: (value, pass) => (test(value) ? value : refuse(pass, schema, value)), isWhole: true }
}

/** What is read of a part. */
function part({ test, walk, isWhole }: Made, name: string | number, value: unknown, pass: Pass): unknown {
  if (isWhole && test(value)) return value
  pass.at.push(name)
  const found = walk(value, pass)
  pass.at.pop()
  return found
}

/** A value that fits none is refused by the last one, unless the union says itself what it wants. */
function union(schema: Schema, all: readonly Made[]): Made {
  const otherwise = schema['x-wanted'] ? undefined : all.at(-1)
  return {
    test: (value) => all.some(({ test }) => test(value)),
    walk(value, pass) {
      const one = all.find(({ test }) => test(value)) ?? otherwise
      return one ? one.walk(value, pass) : refuse(pass, schema, value)
    }
  }
}

function list(schema: Schema, item: Made): Made {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  const isList = (value: unknown): value is unknown[] =>
    Array.isArray(value) && value.length >= minItems && value.length <= maxItems
  return {
    test: (value) => isList(value) && value.every(item.test),
    walk: (value, pass) =>
      isList(value) ? value.map((one, index) => part(item, index, one, pass)) : refuse(pass, schema, value)
  }
}

function object(schema: Schema, properties: NonNullable<Schema['properties']>): Made {
  const { required = [], additionalProperties } = schema
  const members = Object.entries(properties).map(([name, of]) => {
    return { name, made: madeOf(of), test: madeOf(of).test, isOptional: !required.includes(name) }
  })
  const unknownIn = (value: object) =>
    additionalProperties === false ? Object.keys(value).filter((name) => !Object.hasOwn(properties, name)) : []
  return {
    test(value) {
      if (!isObject(value) || unknownIn(value).length > 0) return false
      for (const { name, test, isOptional } of members) {
        const one = value[name]
        if (!(one === undefined && isOptional) && !test(one)) return false
      }
      return true
    },
    walk(value, pass) {
      if (!isObject(value)) return refuse(pass, schema, value)
      for (const unknown of unknownIn(value)) refuse(pass, schema, value, { unknown })
      const read: Record<string, unknown> = {}
      for (const { name, made, isOptional } of members)
        if (value[name] !== undefined || !isOptional) read[name] = part(made, name, value[name], pass)
      return read
    }
  }
}

function map(schema: Schema, one: Made): Made {
  const { propertyNames = {}, maxProperties = Number.POSITIVE_INFINITY } = schema
  const names = madeOf(propertyNames)
  const isMap = (value: unknown): value is Record<string, unknown> =>
    isObject(value) && Object.keys(value).length <= maxProperties
  return {
    test: (value) => isMap(value) && Object.keys(value).every((name) => names.test(name) && one.test(value[name])),
    walk(value, pass) {
      if (!isMap(value)) return refuse(pass, schema, value)
      // Not assigned one by one: `__proto__` is a name like any other.
      return Object.fromEntries(
        Object.entries(value).map(([name, of]) => [names.walk(name, pass), part(one, name, of, pass)])
      )
    }
  }
}

/** Whether a value without parts fits. */
function testOf(schema: Schema): Test {
  const { type, enum: choices, not, 'x-fits': fits } = schema
  if (schema.const !== undefined) return (value) => value === schema.const
  if (choices) return (value) => choices.includes(value)
  if (type === undefined) return fits ?? (() => true)
  if (type === 'integer' || type === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
    const isOne = type === 'integer' ? Number.isSafeInteger : Number.isFinite
    return (value) => isOne(value) && Number(value) >= minimum && Number(value) <= maximum
  }
  if (type === 'null') return (value) => value === null
  if (type === 'object') return isObject
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema
  if (type !== 'string' || Object.keys(schema).length === 1) return (value) => typeof value === type
  const form = pattern === undefined ? undefined : formOf(pattern)
  return (value) =>
    typeof value === 'string' &&
    value.length >= minLength &&
    value.length <= maxLength &&
    (!form || form.test(value)) &&
    (!not || (not.const !== value && !not.enum?.includes(value))) &&
    (!fits || fits(value))
}

const forms = new Map<string, RegExp>()
function formOf(pattern: string): RegExp {
  const form = forms.get(pattern) ?? new RegExp(pattern, 'u')
  forms.set(pattern, form)
  return form
}

export const fits = <S extends Schema>(schema: S, value: unknown): value is Shape<S> & {} => madeOf(schema).test(value)

/** The value of a text of JSON; undefined: it is none, or does not fit. */
export function parsed<S extends Schema>(schema: S, text: string): Shape<S> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return fits(schema, value) ? value : undefined
}

/** Whatever does not fit. */
export function misfitsOf(schema: Schema, value: unknown): Misfit[] {
  const found: Misfit[] = []
  const { test, walk } = madeOf(schema)
  if (!test(value)) walk(value, { at: [], refuse: (misfit) => found.push(misfit) })
  return found
}

/** What is known of a value: members that no schema names are left out. @param refuse is told of the first misfit */
export const read = <S extends Schema>(schema: S, value: unknown, refuse: (misfit: Misfit) => never): Shape<S> =>
  madeOf(schema).walk(value, { at: [], refuse }) as Shape<S> // by the walk
