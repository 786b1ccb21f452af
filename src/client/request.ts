/** One request: its URL, headers and body, and the meaning of its response. */
import type { Operation } from '../api/contract/operation.ts'
import type { Answer, Transport } from '../api/contract/transport.ts'
import { errorOf, UnexpectedAnswer } from './api-error.ts'

export interface ClientOptions {
  /** URL of the API, such as `http://127.0.0.1:8080/api/v2`; in a page of the same server `/api/v2` is enough. */
  baseUrl: string
  /** Sent as `Authorization: Bearer`. */
  token?: string | undefined
  /** Sent as `Authorization: Basic`, unless there is a token. */
  basic?: { username: string; password: string } | undefined
  /** Additional headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Default: that of the platform. */
  fetch?: Transport | undefined
  /** Whether events are asked for again after a lost connection. Default: true. */
  resumes?: boolean | undefined
}

/** Arguments at run time; their static types are `Arguments`. */
export interface CallArguments {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>> | undefined
  body?: object | undefined
  remoteNode?: string | undefined
  signal?: AbortSignal | undefined
}

/** A member of a body that is JSON already, and keeps the digits of its numbers. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const textOf = (body: object): string => {
  const members = Object.entries(body)
  if (!members.some(([, value]) => value instanceof JsonText)) return JSON.stringify(body)
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`)}}`
}

/** Sends a request. @throws TypeError: nothing was sent; ApiError, UnexpectedAnswer, and what `fetch` throws */
export async function send(
  options: ClientOptions,
  { method, path }: Operation,
  input: CallArguments,
  more: Readonly<Record<string, string>> = {}
): Promise<Answer> {
  const { baseUrl, fetch: platform = fetch } = options
  const { body, signal } = input
  const response = await platform(baseUrl.replace(/\/+$/, '') + placeOf(path, input.path ?? {}) + queryOf(input), {
    method,
    headers: {
      ...headersOf(options),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...more
    },
    ...(body === undefined ? {} : { body: textOf(body) }),
    ...(signal ? { signal } : {})
  })
  if (response.status >= 400) throw await errorOf(response)
  return response
}

/** The bytes of an answer, as they come. A reader that stops early closes the connection. */
export async function* bytesIn({ body }: Answer): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value
  } finally {
    reader?.cancel().catch(() => undefined)
  }
}

/** The same as text. */
export async function* textIn(answer: Answer): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  for await (const bytes of bytesIn(answer)) yield decoder.decode(bytes, { stream: true })
}

/** Functions for operations, by their ids. */
export const callsTo = (options: ClientOptions, operations: readonly (readonly [string, Operation])[]): unknown =>
  Object.fromEntries(
    operations.map(([id, operation]) => [
      id,
      async (input: CallArguments = {}) => contentOf(operation, await send(options, operation, input))
    ])
  )

function headersOf({ token, basic, headers = {} }: ClientOptions): Record<string, string> {
  const credentials =
    token === undefined ? basic && `Basic ${base64(`${basic.username}:${basic.password}`)}` : `Bearer ${token}`
  return { ...headers, ...(credentials === undefined ? {} : { Authorization: credentials }) }
}

/** Checks that the headers are valid for HTTP and the address for the platform. @throws TypeError */
export function checkOptions(options: ClientOptions): void {
  for (const [name, value] of Object.entries(headersOf(options)))
    try {
      new Headers([[name, value]])
    } catch {
      // The error of the platform would show the value.
      throw new TypeError(`headers: wanted a name and a value that HTTP can carry, found others in "${name}"`)
    }
  checkAddress(options)
}

/** A custom `fetch` may have its own addresses. */
function checkAddress({ baseUrl, fetch }: ClientOptions): void {
  if (fetch !== undefined) return
  try {
    const { url } = new Request(baseUrl) // in a page a path is enough
    if (/^https?:/.test(url)) return
  } catch {
    // The address is invalid, or contains credentials, which no platform accepts.
  }
  const shown = baseUrl.replace(/\/\/[^/]*@/, '//...@')
  throw new TypeError(`baseUrl: wanted an http or https address without credentials in it, found "${shown}"`)
}

/** The content of a response, as its operation defines. @throws UnexpectedAnswer */
export async function contentOf({ answers }: Operation, response: Answer): Promise<unknown> {
  const { status } = response
  const answer = answers[status]
  if (!answer) throw new UnexpectedAnswer(status, `wanted ${Object.keys(answers).join(' or ')}, found ${status}`)
  const text = await response.text()
  if (!answer.schema) {
    const names = Object.keys(answer.headers ?? {})
    return names.length === 0
      ? undefined
      : Object.fromEntries(names.map((name) => [name, response.headers.get(name) ?? '']))
  }
  const isText = answer.asText !== undefined && response.headers.get('content-type')?.startsWith('text/plain')
  if (answer.type !== undefined || isText) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnexpectedAnswer(status, `wanted JSON, found ${JSON.stringify(text.slice(0, 200))}`, { cause })
  }
}

/** @throws TypeError for a path parameter that is missing or would be normalized away, which would address another resource */
export const placeOf = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_found, name: string) => {
    const value = String(values[name] ?? '')
    if (value === '') throw new TypeError(`path.${name}: wanted text, found ${values[name] === '' ? '""' : 'nothing'}`)
    if (/^\.\.?$/.test(value)) throw new TypeError(`path.${name}: wanted what an address can hold, found "${value}"`)
    return encodeURIComponent(value)
  })

function queryOf({ query = {}, remoteNode }: CallArguments): string {
  const pairs = Object.entries({ ...query, remoteNode }).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one): [string, string][] =>
      one === undefined || one === null ? [] : [[name, String(one)]]
    )
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
