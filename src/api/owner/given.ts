/** What a command has written to the owner's socket, read field by field. Source: api-semantics 11. */
import type { IncomingMessage } from 'node:http'
import { TroupeError } from '../../errors.ts'
import { readJson } from '../input/json.ts'

const MOST_BYTES = 2 * 1024 * 1024

/** Each look throws TroupeError bad_request when something else was written; `null` is nothing. */
export interface Given {
  /** Undefined: nothing. */
  text(field: string): string | undefined
  is(field: string): boolean
  /** An object within. */
  within(field: string): Given | undefined
}

/** Of a POST its body, else the query. @throws TroupeError bad_request */
export const givenBy = async (request: IncomingMessage, query: URLSearchParams): Promise<Given> =>
  givenOf(request.method === 'POST' ? await readBody(request) : Object.fromEntries(query))

/** @throws TroupeError bad_request */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw new TroupeError('bad_request', `request body: wanted at most ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  const body = readJson(Buffer.concat(chunks).toString())
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new TroupeError('bad_request', 'request body: wanted a JSON object')
}

const givenOf = (given: Record<string, unknown>): Given => ({
  text: (field) => textOf(given, field),
  is: (field) => switchOf(given, field),
  within: (field) => objectOf(given, field)
})

function switchOf(given: Record<string, unknown>, field: string): boolean {
  const value = given[field] ?? false
  if (typeof value === 'boolean') return value
  throw new TroupeError('bad_request', `${field}: wanted true or false, found ${JSON.stringify(value)}`)
}

function objectOf(given: Record<string, unknown>, field: string): Given | undefined {
  const value = given[field] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'object') return givenOf(value as Record<string, unknown>) // each member is checked when it is read
  throw new TroupeError('bad_request', `${field}: wanted an object, found ${JSON.stringify(value)}`)
}

/** An empty text counts as absent. */
function textOf(given: Record<string, unknown>, field: string): string | undefined {
  const value = given[field] ?? ''
  if (value === '') return undefined
  if (typeof value === 'string') return value
  throw new TroupeError('bad_request', `${field}: wanted a string, found ${JSON.stringify(value)}`)
}

/** @throws TroupeError bad_request when there is none */
export function needed(given: Given, field: string): string {
  const value = given.text(field)
  if (value !== undefined) return value
  throw new TroupeError('bad_request', `${field}: wanted a string, found none`)
}
