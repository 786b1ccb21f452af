/** Files that a browser gets as they are: with type, a policy that lets nothing foreign in, and compressed for those who can read that. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ParameterizedContext } from 'koa'

const compress = promisify(gzip)
/** Nothing from other origins, no inline script, no framing. */
const POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export interface StaticFile {
  type: string
  content: Buffer
  compressed: Buffer
  etag: string
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  yaml: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8'
}

/** @param name decides on the type */
export const staticFile = async (name: string, content: Buffer): Promise<StaticFile> => ({
  content,
  compressed: await compress(content),
  type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
  etag: createHash('sha256').update(content).digest('base64url').slice(0, 22)
})

/** @param cacheControl as the header has it */
export function answerFile(ctx: ParameterizedContext, file: StaticFile, cacheControl: string, status = 200): void {
  ctx.set('Content-Security-Policy', POLICY)
  ctx.set('Referrer-Policy', 'no-referrer')
  ctx.set('Cache-Control', cacheControl)
  ctx.vary('Accept-Encoding')
  ctx.etag = file.etag
  ctx.type = file.type
  ctx.status = status
  // Only answers with 200: a refusal is sent in full, whatever the client has cached.
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isCompressed) ctx.set('Content-Encoding', 'gzip')
  ctx.body = isCompressed ? file.compressed : file.content
}

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'
