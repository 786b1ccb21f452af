/** Checks input against a schema of the contract: the only interpreter of schemas at run time. Source: api-semantics T2, T5, 1.3. */
import type { Schema } from './schema.ts'

/** Characters of a value that a message shows. */
const MOST_SHOWN = 60

const patterns = new Map<string, RegExp>()

/** What is wrong with a text, a number or a flag, as `wanted ..., found ...`; undefined: it fits. */
export function misfit(schema: Schema, value: unknown): string | undefined {
  if (schema['x-any']) return undefined
  const { type = 'string' } = schema
  const isRightType = type === 'integer' ? typeof value === 'number' : typeof value === type
  if (!isRightType) return `wanted ${article(type)}, found ${value === undefined ? 'none' : typeName(value)}`
  if (typeof value === 'string') return misfitOfText(schema, value)
  if (typeof value === 'number') return misfitOfNumber(schema, value)
  return undefined
}

function misfitOfText(schema: Schema, value: string): string | undefined {
  const { enum: choices, description, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (choices)
    return choices.includes(value) ? undefined : `wanted ${choices.map(String).join(' or ')}, found ${shown(value)}`
  const isLong = value.length >= minLength && value.length <= maxLength
  if (isLong && matches(schema.pattern, value) && !isExcluded(schema, value)) return undefined
  return `wanted ${description ?? 'another text'}, found ${shown(value)}`
}

function misfitOfNumber({ type, minimum, maximum }: Schema, value: number): string | undefined {
  const isIn = value >= (minimum ?? Number.NEGATIVE_INFINITY) && value <= (maximum ?? Number.POSITIVE_INFINITY)
  if (isIn && (type !== 'integer' || Number.isSafeInteger(value))) return undefined
  const range =
    minimum === undefined ? '' : maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`
  return `wanted ${article(type ?? 'number')}${range}, found ${value}`
}

function matches(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known.test(value)
}

const isExcluded = ({ not }: Schema, value: string) => not?.const === value || (not?.enum?.includes(value) ?? false)

const article = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`)

/** JSON type of a value, with its article. */
export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : article(typeof value)

/** An untrusted text as a message shows it. */
export const shown = (value: string): string =>
  JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}...` : value)
