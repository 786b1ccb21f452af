/**
 * The one language for shapes: JSON Schema (2020-12) as data, and the TypeScript type of what fits a schema. A schema that is used
 * again is the same object: the API's document makes a reference of it. Source: http-api "Resources and their fields".
 */

// D1720: not valibot, not typebox
/** The keywords in use. Those with `x-` are for those who read values by it. */
export interface Schema {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'
  description?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  not?: Schema
  default?: unknown
  examples?: readonly unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  /** False: others are refused; absent: they are ignored. */
  additionalProperties?: Schema | false
  propertyNames?: Schema
  minProperties?: number
  maxProperties?: number
  /** An empty text, or one of white space only, counts as absent. */
  'x-absent-when'?: 'empty' | 'blank'
  /** A query parameter that is required. */
  'x-required'?: true
  /** Keywords that hold with `strictValidation`; without it such values are clamped, or ignored. */
  'x-strict'?: Pick<Schema, 'minimum' | 'maximum' | 'enum' | 'pattern' | 'description'>
  /** Any JSON fits. */
  'x-any'?: true
  /** Surrounding white space is trimmed before the check. */
  'x-trimmed'?: true
  /** The wanted value in messages; absent: it follows from the other keywords. */
  'x-wanted'?: string
  /** What JSON Schema has no keyword for. */
  'x-fits'?: (value: unknown) => boolean
  /** The value in its type; undefined: it does not fit. */
  'x-read'?: (value: unknown) => unknown
  /** The word for a member in messages, such as `option`. */
  'x-members'?: string
  /** Messages do not show what was found. */
  'x-secret'?: true
}

export interface ObjectSchema<P extends Readonly<Record<string, Schema>>, R extends keyof P> extends Schema {
  type: 'object'
  properties: P
  required: readonly (R & string)[]
}

export const text = { type: 'string' } as const satisfies Schema
export const integer = { type: 'integer' } as const satisfies Schema
export const number = { type: 'number' } as const satisfies Schema
export const count = { type: 'integer', minimum: 0 } as const satisfies Schema
export const flag = { type: 'boolean' } as const satisfies Schema

/** A member that may be missing. */
export interface Optional<S extends Schema = Schema> {
  optional: S
}
export const optional = <const S extends Schema>(schema: S): Optional<S> => ({ optional: schema })

type Given = Readonly<Record<string, Schema | Optional>>
type SchemasOf<P> = { readonly [K in keyof P]: P[K] extends Optional<infer S> ? S : P[K] extends Schema ? P[K] : never }
type RequiredIn<P> = { [K in keyof P]: P[K] extends Optional ? never : K }[keyof P]

/** An object with all of these members, except that the optional ones may be missing. */
export function object<const P extends Given>(
  members: P,
  description?: string
): ObjectSchema<SchemasOf<P>, RequiredIn<P>> {
  const entries = Object.entries<Schema | Optional>(members)
  const properties = Object.fromEntries(entries.map(([name, one]) => [name, 'optional' in one ? one.optional : one]))
  const required = entries.flatMap(([name, one]) => ('optional' in one ? [] : [name]))
  const schema: Schema = { type: 'object', ...(description === undefined ? {} : { description }), properties, required }
  return schema as ObjectSchema<SchemasOf<P>, RequiredIn<P>> // Object.entries forgets the names
}

export const array = <const S extends Schema>(items: S) => ({ type: 'array', items }) as const
export const orNull = <const S extends Schema>(schema: S) => ({ anyOf: [schema, { type: 'null' }] }) as const

/** What fits a schema. */
export type Shape<S> = S extends { const: infer C }
  ? C
  : S extends { enum: readonly (infer E)[] }
    ? E
    : S extends { anyOf: readonly (infer M)[] }
      ? Shape<M>
      : S extends { 'x-read': (value: unknown) => infer T }
        ? Exclude<T, undefined>
        : S extends { type: keyof Simple }
          ? Simple[S['type']]
          : S extends { type: 'array'; items: infer I }
            ? Shape<I>[]
            : S extends ObjectSchema<infer P, infer R>
              ? Members<P, R>
              : S extends { type: 'object'; additionalProperties: infer V }
                ? Record<string, Shape<V>>
                : unknown

interface Simple {
  string: string
  integer: number
  number: number
  boolean: boolean
  null: null
}

type Members<P, R extends keyof P> = Flat<
  { -readonly [K in R]: Shape<P[K]> } & { -readonly [K in Exclude<keyof P, R>]?: Shape<P[K]> }
>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A type with the same members, shown as one object. */
export type Flat<T> = { [K in keyof T]: T[K] }
