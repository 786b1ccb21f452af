/** Schemas for what others have made, such as messages of another machine: each has its limits, and says them. */
import { array, type Schema } from './schema.ts'

/** Line breaks and the like included. */
export const lines = (longest: number, shortest = 1) =>
  ({
    type: 'string',
    minLength: shortest,
    maxLength: longest,
    'x-wanted': `a text of ${shortest} to ${longest} characters`
  }) as const satisfies Schema

const ONE_LINE = '^[^\\0-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$'
export const line = (longest: number, shortest = 1) => {
  const schema = lines(longest, shortest)
  return { ...schema, pattern: ONE_LINE, 'x-wanted': `${schema['x-wanted']} on one line` } as const satisfies Schema
}

export const matching = (pattern: string, wanted: string) =>
  ({ type: 'string', pattern, 'x-wanted': wanted }) as const satisfies Schema

export const oneOf = <const T extends string | boolean>(values: readonly T[]) => ({
  enum: values,
  'x-wanted': `one of ${values.join(', ')}`
})

export const between = (minimum: number, maximum: number, type: 'integer' | 'number' = 'integer') =>
  ({
    type,
    minimum,
    maximum,
    'x-wanted': `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`
  }) as const satisfies Schema

export const list = <const S extends Schema>(items: S, most: number) =>
  ({ ...array(items), maxItems: most, 'x-wanted': `a list of at most ${most}` }) as const

export const map = <const S extends Schema>(names: Schema, items: S, most: number) =>
  ({
    type: 'object',
    propertyNames: names,
    additionalProperties: items,
    maxProperties: most,
    'x-wanted': `a map of at most ${most}`
  }) as const
