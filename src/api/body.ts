/** Request bodies: read with a limit, decoded, and each field checked for its type. Source: api-semantics T1-T4, T9. */
import type { ParameterizedContext } from 'koa'
import { TroupeError } from '../errors.ts'
import { answerWith, refuse } from './error-body.ts'
import { type JsonObject, readJson } from './json.ts'

const MOST_BYTES = 2 * 1024 * 1024
/** Bytes above the limit that are read and dropped, so that the client gets to read the answer before the connection closes. */
const DRAINED_BYTES = 8 * 1024 * 1024

interface FieldTypes {
  string: string
  boolean: boolean
  number: number
}
type Fields = Record<string, keyof FieldTypes>
export type Body<F extends Fields> = { [K in keyof F]?: FieldTypes[F[K]] }

/**
 * The fields of a JSON object body; a missing body counts as `{}`, members that are not asked for are ignored.
 * @throws TroupeError bad_request naming every field of a wrong type in details.errors
 */
export async function readBody<F extends Fields>(ctx: ParameterizedContext, fields: F): Promise<Body<F>> {
  const { body, problems } = checkFields((await readObject(ctx)) ?? {}, fields)
  refuse(problems)
  return body
}

/** The fields of a body that have the wanted type, and a sentence for each that has not. */
export function checkFields<F extends Fields>(object: JsonObject, fields: F): { body: Body<F>; problems: string[] } {
  const problems: string[] = []
  const body: Record<string, unknown> = {}
  for (const [field, type] of Object.entries(fields)) {
    const value = object[field]
    if (value === undefined) continue
    if (typeof value !== type) problems.push(`field '${field}': wanted a ${type}, found ${jsonType(value)}`)
    else if (typeof value === 'string' && value.includes('\0')) problems.push(`field '${field}': holds a null byte`)
    else body[field] = value
  }
  // Each value was compared with the type its field has in F.
  return { body: body as Body<F>, problems }
}

const jsonType = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`

/** The body as a JSON object; undefined: there is none. @throws TroupeError bad_request (413 when it is too large) */
export const readObject = async (ctx: ParameterizedContext): Promise<JsonObject | undefined> =>
  (await readWhole(ctx)).object

/** The same with the bytes that it was read from. @throws as `readObject` */
export async function readWhole(ctx: ParameterizedContext): Promise<{ bytes: Buffer; object?: JsonObject }> {
  const encoding = ctx.get('Content-Encoding')
  if (encoding !== '' && encoding !== 'identity') {
    throw new TroupeError('bad_request', `Content-Encoding: wanted none, found ${JSON.stringify(encoding)}`)
  }
  const bytes = await readBytes(ctx)
  const text = decode(bytes)
  if (text.trim() === '') return { bytes }
  const json = readJson(text)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { bytes, object: json }
  throw new TroupeError('bad_request', `request body: wanted a JSON object, found ${jsonType(json)}`)
}

async function readBytes(ctx: ParameterizedContext): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size <= MOST_BYTES) chunks.push(chunk)
      else if (size > MOST_BYTES + DRAINED_BYTES) break
    }
  } catch (cause) {
    throw new TroupeError('bad_request', 'the request body ended early', { cause })
  }
  if (size <= MOST_BYTES) return Buffer.concat(chunks)
  answerWith(ctx, 'bad_request', 413)
  ctx.set('Connection', 'close')
  throw new TroupeError('bad_request', `request body: wanted at most ${MOST_BYTES} bytes`)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new TroupeError('bad_request', 'request body: wanted UTF-8, found other bytes', { cause })
  }
}
