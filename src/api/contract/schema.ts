/**
 * JSON Schema (2020-12) as the API's contract uses it, and the TypeScript type of what fits a schema. A schema that is used
 * again is the same object: the document makes a reference of it. Source: http-api "Resources and their fields".
 */

/** The keywords in use. Those with `x-` are for the reader of requests. */
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
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema
  /** An empty text, or one of white space only, counts as absent. */
  'x-absent-when'?: 'empty' | 'blank'
  /** Of a query parameter: it is required. */
  'x-required'?: true
  /** Also required with `strictValidation`; without it such values are clamped, or ignored. */
  'x-strict'?: Pick<Schema, 'minimum' | 'maximum' | 'enum' | 'pattern' | 'description'>
  /** Any JSON fits. */
  'x-any'?: true
  /** Surrounding white space is trimmed before the check. */
  'x-trimmed'?: true
}

export interface ObjectSchema<P extends Readonly<Record<string, Schema>>, R extends keyof P> extends Schema {
  type: 'object'
  properties: P
  required: readonly (R & string)[]
}

export const text = { type: 'string' } as const satisfies Schema
export const integer = { type: 'integer' } as const satisfies Schema
export const count = { type: 'integer', minimum: 0 } as const satisfies Schema
export const flag = { type: 'boolean' } as const satisfies Schema

/** An object with all of these members, except that those in `optional` may be missing. */
export function object<const P extends Readonly<Record<string, Schema>>, const O extends keyof P = never>(
  properties: P,
  optional: readonly O[] = [],
  description?: string
): ObjectSchema<P, Exclude<keyof P, O>> {
  const free = new Set<PropertyKey>(optional)
  const required = Object.keys(properties).filter((name): name is Exclude<keyof P, O> & string => !free.has(name))
  return { type: 'object', ...(description === undefined ? {} : { description }), properties, required }
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
      : S extends { type: 'string' }
        ? string
        : S extends { type: 'integer' | 'number' }
          ? number
          : S extends { type: 'boolean' }
            ? boolean
            : S extends { type: 'null' }
              ? null
              : S extends { type: 'array'; items: infer I }
                ? Shape<I>[]
                : S extends ObjectSchema<infer P, infer R>
                  ? Members<P, R>
                  : S extends { type: 'object'; additionalProperties: infer V }
                    ? Record<string, Shape<V>>
                    : unknown

type Members<P, R extends keyof P> = Flat<{ [K in R]: Shape<P[K]> } & { [K in Exclude<keyof P, R>]?: Shape<P[K]> }>

/** The same members, shown as one object. */
export type Flat<T> = { [K in keyof T]: T[K] }
