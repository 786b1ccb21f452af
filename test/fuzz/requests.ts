/** Requests made of the OpenAPI document: for every path, query, header and body field values that fit, that nearly fit, and that mean harm. */
import fc from 'fast-check'
import { testDocument } from '../support/api/response-check.ts'
import { HOSTILE, KNOWN } from './texts.ts'
import { type FuzzedOperation, VERSION_1 } from './version-1.ts'

export interface FuzzRequest {
  version: Version
  operationId: string
  method: string
  /** Below the base of its version of the API. */
  path: string
  /** With its question mark; empty: none. */
  query: string
  headers: Record<string, string>
  body: string | Buffer | undefined
  credentials: Credentials
}
export type Version = 'v1' | 'v2'
export type Credentials = 'all' | 'run' | 'read' | 'none' | 'wrong'

/** A schema as it stands in the document. */
interface SchemaObject {
  $ref?: string
  type?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  not?: { enum?: unknown[]; const?: unknown }
  anyOf?: SchemaObject[]
  items?: SchemaObject
  properties?: Record<string, SchemaObject>
  required?: string[]
}
interface ParameterObject {
  name: string
  in: 'path' | 'query' | 'header'
  schema: SchemaObject
}

const HEADERS: Record<string, string>[] = [
  { Origin: 'http://evil.example' },
  { Host: 'evil.example' },
  { Host: '[' },
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': 'application/json; charset=utf-16' },
  { 'Content-Encoding': 'br' },
  { 'Accept-Encoding': 'gzip;q=x, *' },
  { 'Accept-Encoding': 'gzip' },
  { Accept: 'text/html' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'X-Http-Method-Override': 'DELETE' },
  { 'X-Forwarded-Host': 'evil.example' },
  { Cookie: 'oidcToken=..; __proto__=1' }
]
/** The limit is 2 MiB. */
const TOO_LARGE = `"${'x'.repeat(2_200_000)}"`
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** The document's own parts are of these shapes. */
const resolved = <T>(found: object): T => {
  const part = '$ref' in found ? String(found.$ref).slice(2).split('/') : undefined
  let place: unknown = part ? testDocument : found
  for (const key of part ?? []) place = (place as Record<string, unknown>)[key]
  return place as T
}

/** Values that fit a schema. */
function fitting(given: SchemaObject): fc.Arbitrary<unknown> {
  const schema = resolved<SchemaObject>(given)
  const { type, enum: choices, anyOf, pattern, minLength = 0, maxLength = 2_000, minimum, maximum, not } = schema
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (choices) return fc.constantFrom(...choices)
  if (anyOf) return fc.oneof(...anyOf.map(fitting))
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(fitting(schema.items ?? {}), { maxLength: 3 })
  if (type === 'integer')
    return fc.oneof(
      fc.integer({ min: minimum ?? -3, max: maximum ?? 1_200 }),
      fc.integer({ min: minimum ?? -2_000_000_000, max: maximum ?? 2_000_000_000 })
    )
  const text = pattern === undefined ? fc.string({ unit: 'binary' }) : fc.stringMatching(new RegExp(pattern, 'u'))
  const excluded = new Set([...(not?.enum ?? []), not?.const])
  return text.filter(
    (text) => text.length >= minLength && text.length <= maxLength && !excluded.has(text) && text !== 'latest'
  )
}

const hostile = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) }
)

/** @param calm share of values that get far */
function valueFor(name: string, schema: SchemaObject, calm: number, known: readonly unknown[]): fc.Arbitrary<unknown> {
  const familiar = [...(KNOWN[name] ?? []), ...(name === 'subDAGRunId' || name === 'parentSubDAGRunId' ? known : [])]
  return fc.oneof(
    { weight: familiar.length > 0 ? calm : 0, arbitrary: fc.constantFrom('', ...familiar) },
    { weight: familiar.length > 0 ? 1 : calm, arbitrary: fitting(schema) },
    { weight: 1, arbitrary: hostile }
  )
}

/** Parameters of paths that lead somewhere, together. */
const placesOf = (subRunIds: readonly unknown[]): Record<string, unknown>[] => [
  { name: 'hello', dagRunId: 'r-1', stepName: 'cmd_1' },
  { name: 'hello', dagRunId: 'latest', stepName: 'cmd_1' },
  { name: 'full', dagRunId: 'holder', stepName: 'cmd_1' },
  { name: 'full', dagRunId: 'waiting', stepName: 'cmd_1' },
  ...subRunIds.map((subDAGRunId) => ({ name: 'parent', dagRunId: 'p-1', stepName: 'cmd_1', subDAGRunId }))
]

/** Percent-encoded, or raw as far as an HTTP client can send it. */
const encoded = (value: unknown, raw: boolean): string =>
  raw
    ? String(value)
        .slice(0, 400)
        .replace(/[^\x21-\x7e]|[#?]/g, '_')
    : encodeURIComponent(
        String(value)
          .slice(0, 400)
          .replace(/\p{Surrogate}/gu, '?')
      )

function bodyOf(
  operation: FuzzedOperation,
  calm: number,
  known: readonly unknown[]
): fc.Arbitrary<FuzzRequest['body']> {
  const content =
    operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : undefined
  const schema = (content as Record<string, { schema: SchemaObject }> | undefined)?.['application/json']?.schema
  const { properties = {}, required = [] } = schema ? resolved<SchemaObject>(schema) : {}
  const fields = Object.entries(properties).map(([name, member]) => {
    const value = fc.oneof(
      { weight: 3 * calm, arbitrary: valueFor(name, resolved(member), calm, known) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) }
    )
    const absent = required.includes(name) ? 2 * calm : 2
    return fc.option(value, { freq: absent, nil: undefined }).map((value): [string, unknown] => [name, value])
  })
  const object = fc
    .tuple(...fields)
    .chain((members) =>
      fc
        .option(fc.tuple(fc.constantFrom('__proto__', 'constructor', 'more', 'dagRunId'), fc.jsonValue()), { freq: 8 })
        .map((more) => [...members, ...(more ? [more] : [])])
    )
    .map((members) => {
      const given = members.filter(([, value]) => value !== undefined)
      return `{${given.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
    })
  return fc.oneof(
    { weight: schema ? 8 * calm : 1, arbitrary: object },
    { weight: schema ? calm : 6 * calm, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: hostile },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{'.repeat(5_000),
        '['.repeat(50_000),
        '{"spec":'.repeat(100),
        '"'.repeat(999),
        TOO_LARGE
      )
    }
  )
}

function requestFor(
  version: Version,
  template: string,
  method: string,
  operation: FuzzedOperation,
  known: readonly unknown[]
): fc.Arbitrary<FuzzRequest> {
  const parameters = operation.parameters.map((parameter) => resolved<ParameterObject>(parameter))
  const placed = (place: ParameterObject['in']) => parameters.filter((parameter) => parameter.in === place)
  return fc.constantFrom(1, 8, 30, 30).chain((calm) => {
    const names = placed('path')
    const anything = fc.tuple(...names.map(({ name, schema }) => valueFor(name, schema, calm, known)))
    const there = fc
      .constantFrom(...placesOf(known))
      .map((place) => names.map(({ name }): unknown => place[name] ?? (name === 'machineId' ? 'run' : place.name)))
    const path = fc
      .tuple(
        fc.oneof({ weight: calm, arbitrary: there }, { weight: 2, arbitrary: anything }),
        fc.integer({ min: 0, max: 7 })
      )
      .map(([values, raw]) => {
        let at = 0
        return template.replace(/\{\w+\}/g, () => encoded(values[at++], raw === 0))
      })
    const pairs = placed('query').map(({ name, schema }) => {
      const one = schema.type === 'array' ? (schema.items ?? {}) : schema
      const values = fc.array(valueFor(name, resolved(one), calm, known), {
        minLength: 1,
        maxLength: schema.type === 'array' || calm === 1 ? 2 : 1
      })
      const absent = name === 'remoteNode' ? 8 : 2
      return fc
        .oneof({ weight: absent, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: values })
        .map((values) => values.map((value) => `${name}=${encoded(value, false)}`))
    })
    const query = fc
      .tuple(fc.tuple(...pairs), fc.constantFrom('', '', '', '', '', '', '__proto__=1', '%ff=%', '&&=&'))
      .map(([lists, more]) => [...lists.flat(), ...(more === '' ? [] : [more])].join('&'))
      .map((query) => (query === '' ? '' : `?${query}`))
    const own = placed('header').map(({ name, schema }) =>
      fc
        .option(valueFor(name, schema, calm, known), { freq: 2, nil: undefined })
        .map((value): [string, string][] => (value === undefined ? [] : [[name, encoded(value, true)]]))
    )
    const headers = fc
      .tuple(
        fc.tuple(...own),
        fc.oneof(
          { weight: 3 * calm, arbitrary: fc.constant<Record<string, string>>({}) },
          { weight: 1, arbitrary: fc.constantFrom(...HEADERS) }
        )
      )
      .map(([pairs, more]) => ({ ...Object.fromEntries(pairs.flat()), ...more }))
    return fc.record({
      version: fc.constant(version),
      operationId: fc.constant(operation.operationId),
      method: fc.oneof(
        { weight: 4 * calm, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) }
      ),
      path,
      query,
      headers,
      body: bodyOf(operation, calm, known),
      credentials: fc.oneof(
        { weight: 4 * calm, arbitrary: fc.constant<Credentials>('all') },
        { weight: 1, arbitrary: fc.constantFrom<Credentials>('run', 'read', 'none', 'none', 'wrong') }
      )
    })
  })
}

/** Those that change something have more to go wrong. */
const weightOf = (method: string, { requestBody }: FuzzedOperation) => (requestBody ? 4 : method === 'get' ? 1 : 2)

const PATHS: [Version, Record<string, Record<string, FuzzedOperation>>][] = [
  ['v2', testDocument.paths],
  ['v1', VERSION_1]
]

/** @param subRunIds ids of sub DAG runs that the server has */
export const fuzzRequests = (subRunIds: readonly string[]): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    ...PATHS.flatMap(([version, paths]) =>
      Object.entries(paths).flatMap(([template, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          weight: weightOf(method, operation),
          arbitrary: requestFor(version, template, method.toUpperCase(), operation, subRunIds)
        }))
      )
    )
  )
