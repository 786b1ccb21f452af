/** Holds values of callers against the schemas of a DAG of code. Source: docs/embedding/README.md. */
import type { StandardSchemaV1 as Std } from '@standard-schema/spec'
import type { Json } from '../../machines/vocabulary.ts'
import { messageOf, TroupeError } from '../errors.ts'
import type { Inside } from './inside.ts'

/** Limit of a list of issues; a caller needs no more. */
const MOST_ISSUES = 100

/** @param what such as `payload of signal "paid"` @throws TroupeError bad_request (details.errors), also when the schema itself throws */
export async function fitPayload(schema: Std, payload: unknown, what: string): Promise<Json> {
  const { issues, value = null } = await validated(schema, payload, what)
  if (issues) throw refusal(issues, what)
  const at = notJsonAt(value, [])
  if (at === undefined) return value as Json // it has just been looked at
  throw notStorable(at === '' ? what : `${what}: ${at}`)
}

// D1144: params are stored as the schema made them
/**
 * @param texts the values are texts, of which those that the schema does not take are tried as JSON: `5`, `true`, `["a"]`
 * @throws TroupeError bad_request (details.errors: all issues)
 */
export async function fitParams(
  { name, params: schema }: Pick<Inside, 'name' | 'params'>,
  params: { [name: string]: Json },
  texts: boolean
): Promise<{ [name: string]: Json }> {
  const what = `params of DAG "${name}"`
  const strangers = Object.keys(params)
  if (!schema) {
    if (strangers.length === 0) return {}
    throw new TroupeError(
      'bad_request',
      `${what}: wanted none, found ${strangers.join(', ')}: it declares no schema of params`
    )
  }
  const first = await validated(schema, params, what)
  const tried = first.issues && texts ? withJson(params, first.issues) : params
  const { issues, value } = tried === params ? first : await validated(schema, tried, what)
  if (issues) throw refusal(issues, what)
  return storable(value, what)
}

async function validated(
  schema: Std,
  value: unknown,
  what: string
): Promise<{ issues?: readonly Std.Issue[]; value?: unknown }> {
  try {
    const result = await schema['~standard'].validate(value)
    return result.issues ? { issues: result.issues } : { value: result.value }
  } catch (cause) {
    throw new TroupeError('bad_request', `${what} could not be checked, the schema has thrown: ${messageOf(cause)}`, {
      cause
    })
  }
}

function withJson(params: { [name: string]: Json }, issues: readonly Std.Issue[]): { [name: string]: Json } {
  const wrong = new Set(issues.map(({ path }) => keyOf(path?.[0])))
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, wrong.has(name) ? read(String(value)) : value])
  )
}

function read(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const keyOf = (part: PropertyKey | Std.PathSegment | undefined): string =>
  String(typeof part === 'object' ? part.key : part)

/** Sentences such as `lines.0.count: Expected number`. */
function refusal(issues: readonly Std.Issue[], what: string): TroupeError {
  const errors = issues
    .slice(0, MOST_ISSUES)
    .map(({ path = [], message }) => (path.length === 0 ? message : `${path.map(keyOf).join('.')}: ${message}`))
  return new TroupeError('bad_request', `${what}: ${errors.join('; ')}`, { details: { errors } })
}

/** The schema's result is stored, so it must be JSON. @throws TroupeError bad_request */
function storable(value: unknown, what: string): { [name: string]: Json } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TroupeError('bad_request', `${what}: wanted an object with a member for each param`)
  const present = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))
  const at = notJsonAt(present, [])
  if (at !== undefined) throw notStorable(`${what}: ${at}`)
  return present
}

const notStorable = (what: string): TroupeError =>
  new TroupeError(
    'bad_request',
    `${what}: the schema makes something of it that is no JSON, and it is stored: keep the text, and convert it in the step`
  )

/** The path of the first part that would not come back from JSON as it went in. */
export function notJsonAt(value: unknown, path: readonly string[]): string | undefined {
  const here = path.join('.')
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : here
  if (typeof value !== 'object') return here
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return here
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined && !Array.isArray(value)) continue
    const found = notJsonAt(one, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}
