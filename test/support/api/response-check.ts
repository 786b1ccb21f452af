/** Holds answers of the API against its OpenAPI document: status, content type, headers, and the body, which may have no member that is not listed. */
import { gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import {
  type OpenApiDocument,
  type OperationObject,
  openApiDocument,
  type ResponseObject,
  responseOf
} from '../../../src/api/contract/document/document.ts'

export interface CheckedAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  bytes: Buffer
}

interface Route {
  method: string
  template: string
  segments: string[]
  operation: OperationObject
}

/** Of the server itself, before any route: too slow, or too much of a header. */
const BEFORE_ROUTES = new Set([408, 431])
/** The path leads nowhere, or not with this method; or it has a slash too many. */
const OTHERWISE = new Set([301, 308, 400, 401, 403, 404, 405, 500])

export const testDocument: OpenApiDocument = openApiDocument({ version: '0.0.0', base: '/api/v2' })

const routes: Route[] = Object.entries(testDocument.paths).flatMap(([template, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    template,
    segments: template.split('/'),
    operation
  }))
)

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: {} })
ajv.addSchema({ ...closed(testDocument), $id: 'api' })
const checks = new Map<string, ValidateFunction>()

/** What does not fit; empty: all does. @param path below the base of the API, with its query */
export function misfitsOf(method: string, path: string, answer: CheckedAnswer): string[] {
  const [place = '', query = ''] = path.split('?', 2)
  const { status } = answer
  const isRemote = !['', 'local'].includes(new URLSearchParams(query).get('remoteNode') ?? '')
  const route = routeOf(method, place)
  if (isRemote && status >= 400) return remoteMisfits(method, answer)
  if (isRemote || !route || BEFORE_ROUTES.has(status) || (method === 'HEAD' && status === 405)) {
    if (status < 400 || method === 'HEAD')
      return route || OTHERWISE.has(status) || status < 300 ? [] : [`${status}: no operation has it`]
    return bodyMisfits('components/schemas/ErrorObject', jsonOf(answer))
  }
  const found = route.operation.responses[status]
  if (!found) return [`status ${status} is not documented`]
  const response = responseOf(testDocument, found)
  return [...headerMisfits(response, answer), ...(method === 'HEAD' ? [] : contentMisfits(route, found, answer))]
}

function contentMisfits({ template, method }: Route, found: ResponseObject | { $ref: string }, answer: CheckedAnswer) {
  const response = responseOf(testDocument, found)
  const type = String(answer.headers['content-type'] ?? '')
  const types = Object.keys(response.content ?? {})
  const wanted = types.find((one) => type.startsWith(one)) ?? types[0] ?? ''
  if (wanted === '') return answer.bytes.length === 0 ? [] : ['the body is not empty']
  if (!type.startsWith(wanted)) return [`content type ${wanted} is documented, found ${type}`]
  if (wanted !== 'application/json') return []
  const here =
    '$ref' in found
      ? found.$ref.slice(2)
      : `paths/${pointer(template)}/${method.toLowerCase()}/responses/${answer.status}`
  return bodyMisfits(`${here}/content/application~1json/schema`, jsonOf(answer))
}

/** A server of another make may have other codes. */
function remoteMisfits(method: string, answer: CheckedAnswer): string[] {
  const body = method === 'HEAD' ? { code: 'none', message: 'none' } : jsonOf(answer)
  const isError =
    typeof body === 'object' && body !== null && 'code' in body && 'message' in body && typeof body.message === 'string'
  return isError ? [] : ['body: no Error object']
}

const headerMisfits = ({ headers = {} }: ResponseObject, answer: CheckedAnswer): string[] =>
  Object.entries(headers).flatMap(([name, { required = true }]) =>
    required && answer.headers[name.toLowerCase()] === undefined ? [`header ${name} is missing`] : []
  )

function bodyMisfits(place: string, body: unknown): string[] {
  const check = checks.get(place) ?? ajv.compile({ $ref: `api#/${place}` })
  checks.set(place, check)
  if (check(body)) return []
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `body${instancePath}: ${message} ${JSON.stringify(params)}`
  )
}

/** The router takes the more particular path first. HEAD is answered by GET. */
function routeOf(method: string, path: string): Route | undefined {
  const parts = path.split('/')
  const wanted = method === 'HEAD' ? 'GET' : method
  const parameters = ({ segments }: Route) => segments.filter((segment) => segment.startsWith('{')).length
  return routes
    .filter(
      ({ method, segments }) =>
        method === wanted &&
        segments.length === parts.length &&
        segments.every((segment, at) => (segment.startsWith('{') ? parts[at] !== '' : segment === parts[at]))
    )
    .sort((a, b) => parameters(a) - parameters(b))[0]
}

function jsonOf({ bytes, headers }: CheckedAnswer): unknown {
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const pointer = (path: string) => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

/** The same, but objects have the listed members only. */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T
  if (typeof value !== 'object' || value === null) return value
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]))
  const isOpen = 'type' in value && 'properties' in value && !('additionalProperties' in value)
  return (isOpen ? { ...members, additionalProperties: false } : members) as T
}
