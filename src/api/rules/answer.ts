/** What all answers have in common: security headers, JSON text, compression. Source: api-semantics T1, T9; reliability 5.3 R10. */
import { Stream } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Middleware } from 'koa'
import { turns } from '../turns.ts'
import { hold } from './held-bytes.ts'

const compress = promisify(gzip)
/** A quarter larger than at the default level, for less than half the processor time: pages that watch a run ask often. */
const LEVEL = { level: 1 }
/** Shorter answers do not profit. */
const COMPRESSED_FROM_BYTES = 1024

export const answer: Middleware = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('Content-Security-Policy', "default-src 'self'")
  await next()
  const { body } = ctx
  if (body === null || body === undefined || body instanceof Stream || Buffer.isBuffer(body)) return
  const text = Buffer.from(typeof body === 'string' ? body : await jsonText(body))
  if (typeof body !== 'string') ctx.type = 'application/json; charset=utf-8'
  ctx.vary('Accept-Encoding')
  hold(ctx, 'answer', text.length)
  if (text.length <= COMPRESSED_FROM_BYTES || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = text
    return
  }
  ctx.body = await compress(text, LEVEL)
  ctx.set('Content-Encoding', 'gzip')
}

/** List items per part. */
const AT_ONCE = 250
/** Maximum depth of lists that grow with a run or a definition: `dagRun.nodes`, `dag.steps`, `dagRuns[].nodes`. */
const DEEPEST = 3

/** The same text as `JSON.stringify` makes. */
export async function jsonText(value: unknown): Promise<string> {
  return isLong(value, DEEPEST) ? inParts(value, DEEPEST) : JSON.stringify(value)
}

type Members = Record<string, unknown>
const isMap = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value)

/** Whether it contains a long list. */
function isLong(value: unknown, depth: number): boolean {
  if (Array.isArray(value))
    return value.length > AT_ONCE || (depth > 0 && value.some((item) => isLong(item, depth - 1)))
  return depth > 0 && isMap(value) && Object.values(value).some((member) => isLong(member, depth - 1))
}

async function inParts(value: unknown, depth: number): Promise<string> {
  if (!isLong(value, depth)) return JSON.stringify(value)
  if (isMap(value)) {
    const members: string[] = []
    for (const [name, member] of Object.entries(value))
      if (member !== undefined) members.push(`${JSON.stringify(name)}:${await inParts(member, depth - 1)}`)
    return `{${members.join()}}`
  }
  const items: string[] = []
  const turn = turns()
  // What is long and no map is a list.
  for (const item of value as unknown[]) {
    items.push(isLong(item, depth - 1) ? await inParts(item, depth - 1) : (JSON.stringify(item) ?? 'null'))
    await turn()
  }
  return `[${items.join()}]`
}
