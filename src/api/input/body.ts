/** Request bodies: read with a limit, decoded, and each field checked by its schema. Source: api-semantics T1-T4, T9. */
import type { ParameterizedContext } from 'koa'
import { exactJson } from '../../definition/text/exact-json.ts'
import { TroupeError } from '../../errors.ts'
import { misfit, typeName } from '../../schema/fit.ts'
import type { ObjectSchema, Schema, Shape } from '../../schema/schema.ts'
import { keepAsked } from '../audit/state.ts'
import { answerWith, refuse } from '../rules/error-body.ts'
import { hold } from '../rules/held-bytes.ts'
import { foreignFields, isStrict, unknownFields } from '../rules/strict.ts'
import { type Json, type JsonObject, readJson } from './json.ts'
import { bytesReadBefore } from './read-before.ts'

const MOST_BYTES = 2 * 1024 * 1024
/** Bytes above the limit that are read and dropped, so that the client can read the answer before the connection closes. */
const DRAINED_BYTES = 8 * 1024 * 1024

type Fields = Readonly<Record<string, Schema>>

// D270: `null` in a request body means absent
/**
 * The fields of a JSON object body; a missing body counts as `{}`, a member that is `null` as absent; unknown members are
 * ignored unless validation is strict, or they are words of other engines.
 * @param exact a member that only passes through, with all digits of its numbers
 * @throws TroupeError bad_request naming every field that is missing or does not fit, in details.errors
 */
export async function readBody<P extends Fields, R extends keyof P>(
  ctx: ParameterizedContext,
  schema: ObjectSchema<P, R>,
  exact?: keyof P
): Promise<Shape<ObjectSchema<P, R>>> {
  const { object = {}, bytes } = await readWhole(ctx, exact !== undefined)
  const { body, problems } = checkFields(object, schema)
  refuse([...problems, ...(isStrict(ctx) ? unknownFields(object, schema) : [])])
  keepAsked(ctx, body)
  // No required field is missing: that would be a problem.
  const found = body as Shape<ObjectSchema<P, R>>
  return exact === undefined || body[exact] === undefined ? found : { ...found, ...memberOf(bytes, exact) }
}

const memberOf = (bytes: Buffer, name: PropertyKey) => ({ [name]: Reflect.get(Object(exactJson(decode(bytes))), name) })

/** The fields of a body that fit, and a sentence for each that does not, is missing, or is a word of other engines. */
export function checkFields<P extends Fields, R extends keyof P>(
  object: JsonObject,
  schema: ObjectSchema<P, R>
): { body: { [K in keyof P]?: Shape<P[K]> }; problems: string[] } {
  const { properties, required } = schema
  const problems: string[] = []
  const body: Record<string, unknown> = {}
  for (const [field, schema] of Object.entries(properties)) {
    const value = valueIn(object[field], schema)
    if (value === undefined) {
      if (required.some((name) => name === field)) problems.push(`field '${field}': required`)
      continue
    }
    const problem = typeof value === 'string' && value.includes('\0') ? 'holds a null byte' : misfit(schema, value)
    if (problem === undefined) body[field] = value
    else problems.push(`field '${field}': ${problem}`)
  }
  // Each value was checked by the schema its field has in P.
  return { body: body as { [K in keyof P]?: Shape<P[K]> }, problems: [...problems, ...foreignFields(object, schema)] }
}

/** Undefined: it counts as absent. So does `null`, which some clients send for every member that is not set. */
function valueIn(input: Json | undefined, schema: Schema): Json | undefined {
  if (input === null) return undefined
  if (typeof input !== 'string') return input
  const text = schema['x-trimmed'] ? input.trim() : input
  const absent = schema['x-absent-when']
  return (absent === 'empty' && text === '') || (absent === 'blank' && text.trim() === '') ? undefined : text
}

/** The body as a JSON object; undefined: none. @throws TroupeError bad_request (413: too large), service_unavailable (too much at once) */
export const readObject = async (ctx: ParameterizedContext): Promise<JsonObject | undefined> =>
  (await readWhole(ctx)).object

/** Reads a body with its bytes. @throws as `readObject` */
export async function readWhole(
  ctx: ParameterizedContext,
  anyNumber = false
): Promise<{ bytes: Buffer; object?: JsonObject }> {
  const encoding = ctx.req.readableDidRead ? '' : ctx.get('Content-Encoding') // who has read it has decoded it
  if (encoding !== '' && encoding !== 'identity') {
    throw new TroupeError('bad_request', `Content-Encoding: wanted none, found ${JSON.stringify(encoding)}`)
  }
  const bytes = await readBytes(ctx)
  const text = decode(bytes)
  if (text.trim() === '') return { bytes }
  const json = readJson(text, anyNumber)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { bytes, object: json }
  throw new TroupeError('bad_request', `request body: wanted a JSON object, found ${typeName(json)}`)
}

async function readBytes(ctx: ParameterizedContext): Promise<Buffer> {
  const before = bytesReadBefore(ctx.req)
  const arriving = before ? [before] : ctx.req.iterator({ destroyOnReturn: false })
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of arriving) {
      size += chunk.length
      if (size > MOST_BYTES + DRAINED_BYTES) break
      if (size > MOST_BYTES) continue
      hold(ctx, 'body', size)
      kept.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof TroupeError) {
      ctx.set('Connection', 'close')
      throw cause
    }
    throw new TroupeError('bad_request', 'the request body ended early', { cause })
  }
  if (size <= MOST_BYTES) return Buffer.concat(kept)
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
