/** What messages say of input that does not fit a schema. Source: api-semantics T2, T5, 1.3. */
import type { Schema } from './schema.ts'
import { fits } from './walk.ts'

/** Characters of a value that a message shows. */
const MOST_SHOWN = 60

/** The misfit of a text, a number or a flag, as `wanted ..., found ...`; undefined: it fits. */
export function misfit(schema: Schema, value: unknown): string | undefined {
  if (fits(schema, value)) return undefined
  const { type = 'string', enum: choices, description = 'another text', minimum, maximum } = schema
  if (typeof value !== (type === 'integer' ? 'number' : type))
    return `wanted ${article(type)}, found ${value === undefined ? 'none' : typeName(value)}`
  if (typeof value === 'string')
    return `wanted ${choices?.map(String).join(' or ') ?? description}, found ${shown(value)}`
  const range =
    minimum === undefined ? '' : maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`
  return `wanted ${article(type)}${range}, found ${value}`
}

const article = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`)

/** JSON type of a value, with its article. */
export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : article(typeof value)

/** An untrusted text as a message shows it. */
export const shown = (value: string): string =>
  JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}...` : value)
