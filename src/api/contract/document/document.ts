/** The OpenAPI 3.1 document, made of the operations and their schemas. Source: the issue "OpenAPI"; http-api "Authentication", "Errors". */
import { ERRORS, type ErrorCode } from '../../../errors.ts'
import { orNull, type Schema } from '../../../schema/schema.ts'
import { LATEST, MOVING, MovingRunId, PATH_PARAMETERS, type PathParameter } from '../names.ts'
import type { Need } from '../needs.ts'
import { type Answer, type Method, type Operation, REMOTE_NODE, TAGS } from '../operation.ts'
import { operationList, PUBLIC_PATHS } from '../operations.ts'
import { ErrorObject } from '../service-shapes.ts'
import { referencing } from './references.ts'

export interface DocumentOptions {
  version: string
  /** Path of the API, such as `/api/v2`. */
  base: string
}

/** One method of one path, as the document has it. */
export interface OperationObject {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: true
  security?: Record<string, never[]>[]
  parameters: object[]
  requestBody?: object
  responses: Record<string, ResponseObject | { $ref: string }>
}
/** `required: false`: it is optional. */
interface HeaderObject {
  description: string
  required?: false
  schema: object
}
export interface ResponseObject {
  description: string
  headers?: Record<string, HeaderObject>
  content?: Record<string, { schema: object }>
}
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  security: Record<string, never[]>[]
  paths: Record<string, Record<string, OperationObject>>
  components: {
    schemas: Record<string, object>
    responses: Record<string, ResponseObject>
    parameters: Record<string, object>
    securitySchemes: object
  }
}

const neededText = ({ permissions, role }: Need): string =>
  `Needs the permission ${permissions.map((permission) => `\`${permission}\``).join(', ')} and the role \`${role}\`.`

const SECURITY = { basic: [], bearer: [], session: [] }

// D227: the OpenAPI document covers the current API only
/** Makes the document. */
export function openApiDocument({ version, base }: DocumentOptions): OpenApiDocument {
  const { refer, schemas } = referencing()
  const error = refer(ErrorObject)
  const responses: Record<string, ResponseObject> = {}
  const paths: OpenApiDocument['paths'] = {}
  for (const [id, operation] of operationList)
    for (const way of waysOf(id, operation)) {
      const { method, path } = way
      const object = operationObject(way, operation)
      paths[path] = { ...paths[path], [method.toLowerCase()]: object }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      description:
        'Control of a workflow engine. A failed request is answered with an Error object. Members of a body that are not listed are ignored, and one that is null counts as missing; more may be in an answer of a later release.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' }
    },
    servers: [{ url: base }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
    paths,
    components: {
      schemas,
      responses,
      parameters: { remoteNode: parameter('remoteNode', 'query', REMOTE_NODE.remoteNode) },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'User name and password of the server.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the server, or the ID token of a sign-in.' },
        session: { type: 'apiKey', in: 'cookie', name: 'oidcToken', description: 'Session of a web page.' }
      }
    }
  }

  function operationObject({ id, method, path, deprecated }: Way, operation: Operation): OperationObject {
    const { tag, needs, summary, description = '', query = {}, headers = {}, body, own } = operation
    const isPublic = PUBLIC_PATHS.includes(path)
    const permission = needs.role === 'none' ? '' : neededText(needs)
    return {
      operationId: id,
      tags: [tag],
      summary,
      description: [description, permission].filter((part) => part !== '').join(' '),
      ...(deprecated ? { deprecated } : {}),
      ...(isPublic ? { security: [] } : {}),
      parameters: [
        ...pathParametersOf(path).map((name) => pathParameter(name, method)),
        ...Object.entries(query).map(([name, schema]) => parameter(name, 'query', schema)),
        ...Object.entries(headers).map(([name, schema]) => parameter(name, 'header', schema)),
        ...(own ? [] : [{ $ref: '#/components/parameters/remoteNode' }])
      ],
      ...(body
        ? {
            requestBody: {
              required: (body.required ?? []).length > 0,
              content: { 'application/json': { schema: refer(nullable(body)) } }
            }
          }
        : {}),
      responses: { ...failures(operation, isPublic), ...successes(operation) }
    }
  }

  function parameter(name: string, place: 'query' | 'header' | 'path', schema: Schema): object {
    const { description = '', 'x-required': required, ...rest } = schema
    return { name, in: place, required: place === 'path' || required === true, description, schema: refer(rest) }
  }

  function pathParameter(name: PathParameter, method: Method): object {
    const { schema, description } = PATH_PARAMETERS[name]
    const moves = MOVING.has(name) && method === 'GET'
    const text = moves ? `${description} Or \`${LATEST}\`.` : description
    return parameter(name, 'path', { ...(moves ? MovingRunId : schema), description: text })
  }

  function successes({ answers }: Operation): Record<string, ResponseObject> {
    const shown = ({
      description,
      schema,
      type = 'application/json',
      asText,
      part,
      headers,
      sometimes
    }: Answer): ResponseObject => ({
      description,
      ...(headers || sometimes
        ? { headers: { ...headersOf(headers, {}), ...headersOf(sometimes, { required: false }) } }
        : {}),
      ...(schema
        ? {
            content: {
              [type]: { schema: refer(schema), ...(part ? { 'x-part': refer(part) } : {}) },
              ...(asText === undefined ? {} : { 'text/plain': { schema: { type: 'string', description: asText } } })
            }
          }
        : {})
    })
    return Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, shown(answer)]))
  }

  /** Each set of codes is in the document once. */
  function failures(operation: Operation, isPublic: boolean): Record<string, { $ref: string }> {
    const byStatus = new Map<number, ErrorCode[]>()
    for (const [code, status] of errorsOf(operation, isPublic))
      byStatus.set(status, [...(byStatus.get(status) ?? []), code])
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => {
        const name = [status, ...codes].join('-')
        responses[name] = failure(status, codes)
        return [status, { $ref: `#/components/responses/${name}` }]
      })
    )
  }

  function failure(status: number, codes: readonly ErrorCode[]): ResponseObject {
    const headers = FAILURE_HEADERS[status]
    return {
      description: `${codes.map((code) => `\`${code}\``).join(', ')}.`,
      ...(headers ? { headers } : {}),
      content: { 'application/json': { schema: { allOf: [error, { properties: { code: { enum: codes } } }] } } }
    }
  }
}

/** The schema of a request body: optional members may also be null. */
function nullable({ properties = {}, required = [], ...rest }: Schema): Schema {
  const members = Object.entries(properties).map(([name, { description, ...schema }]): [string, Schema] => {
    if (required.includes(name) || (schema['x-any'] && !schema.type)) return [name, properties[name] ?? schema]
    return [name, { ...(description === undefined ? {} : { description }), ...orNull(schema) }]
  })
  return { ...rest, properties: Object.fromEntries(members), required }
}

const headersOf = (headers: Readonly<Record<string, string>> = {}, rest: { required?: false }) =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, header(description, rest)]))
const header = (description: string, rest: { required?: false } = {}): HeaderObject => ({
  description,
  ...rest,
  schema: { type: 'string' }
})

/** What an Error object comes with, by HTTP status. */
const FAILURE_HEADERS: Record<number, Record<string, HeaderObject>> = {
  429: { 'Retry-After': header('One caller has asked for too much: it may ask again after so many seconds.') },
  [ERRORS.unauthorized.status]: { 'WWW-Authenticate': header('How to sign in.') },
  [ERRORS.service_unavailable.status]: {
    'Retry-After': header('Too much is asked for at once: there may be room in so many seconds.', { required: false })
  }
}

/** Codes that an operation can be refused with, each with its HTTP status. */
function errorsOf(
  { path, body, own, errors = [], errorStatus = {} }: Operation,
  isPublic: boolean
): [ErrorCode, number][] {
  const codes = new Set<ErrorCode>([
    'bad_request',
    ...(isPublic ? [] : (['unauthorized', 'service_unavailable'] as const)),
    'forbidden',
    ...(path.includes('{') ? (['not_found'] as const) : []),
    ...errors,
    'internal_error',
    ...(own ? [] : (['bad_gateway', 'remote_node_error'] as const))
  ])
  return [
    ...[...codes].map((code): [ErrorCode, number] => [code, errorStatus[code] ?? ERRORS[code].status]),
    ...(body ? [['bad_request', 413] satisfies [ErrorCode, number]] : []),
    // Too many wrong credentials from one address; too much memory or too many streams for one caller.
    ...(isPublic
      ? []
      : (['unauthorized', 'service_unavailable'] as const).map((code): [ErrorCode, number] => [code, 429]))
  ]
}

export interface Way {
  id: string
  method: Method
  path: string
  deprecated?: true
}

/** All methods and paths of an operation, the current one first. */
function waysOf(id: string, { method, path, also = [] }: Operation): Way[] {
  return [
    { id, method, path },
    ...also.map((way): Way => {
      const suffix = way.path === path ? `By${way.method.charAt(0)}${way.method.slice(1).toLowerCase()}` : 'AsChild'
      return { ...way, id: id + suffix, ...(way.method === 'DELETE' ? {} : { deprecated: true }) }
    })
  ]
}

/** Names of the parameters of a path, in order. */
const pathParametersOf = (path: string): PathParameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (isPathParameter(name) ? [name] : []))

const isPathParameter = (name: string): name is PathParameter => name in PATH_PARAMETERS

export const responseOf = (document: OpenApiDocument, found: ResponseObject | { $ref: string }): ResponseObject =>
  '$ref' in found ? (document.components.responses[found.$ref.split('/').at(-1) ?? ''] ?? { description: '' }) : found
