/** What all answers have in common: security headers, JSON text, compression. Source: api-semantics T1, T9; reliability 5.3 R10. */
import { Stream } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Middleware } from 'koa'
import { jsonText } from '../json-text.ts'
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
