/** The fields of a request to the owner's socket. Source: api-semantics 11. */
import type { IncomingMessage } from 'node:http'
import { TroupeError } from '../../errors.ts'
import { readJson } from '../input/json.ts'

const MOST_BYTES = 2 * 1024 * 1024

/** Each read throws TroupeError bad_request for a value of another type; `null` counts as absent. */
export interface Input {
  /** Undefined: absent. */
  text(field: string): string | undefined
  number(field: string): number | undefined
}

/** The body of a POST, otherwise the query. @throws TroupeError bad_request */
export const inputOf = async (request: IncomingMessage, query: URLSearchParams): Promise<Input> =>
  fieldsOf(request.method === 'POST' ? await readBody(request) : Object.fromEntries(query))

/** @throws TroupeError bad_request */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  const parts: AsyncIterable<Buffer> = request
  for await (const chunk of parts) {
    size += chunk.length
    if (size > MOST_BYTES) throw new TroupeError('bad_request', `request body: wanted at most ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  const body = readJson(Buffer.concat(chunks).toString())
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new TroupeError('bad_request', 'request body: wanted a JSON object')
}

const fieldsOf = (input: Record<string, unknown>): Input => ({
  text: (field) => textOf(input, field),
  number: (field) => numberOf(input, field)
})

function numberOf(input: Record<string, unknown>, field: string): number | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw new TroupeError('bad_request', `${field}: wanted a number, found ${JSON.stringify(value)}`)
}

/** An empty text counts as absent. */
function textOf(input: Record<string, unknown>, field: string): string | undefined {
  const value = input[field] ?? ''
  if (value === '') return undefined
  if (typeof value === 'string') return value
  throw new TroupeError('bad_request', `${field}: wanted a string, found ${JSON.stringify(value)}`)
}

/** @throws TroupeError bad_request when there is none */
export function required(input: Input, field: string): string {
  const value = input.text(field)
  if (value !== undefined) return value
  throw new TroupeError('bad_request', `${field}: wanted a string, found none`)
}
