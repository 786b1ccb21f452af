/** The answer to a forwarded request: the node's, or 502 when that is unusable. Source: api-semantics 8 R3-R6. */
import { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import type { RemoteNode } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Places } from '../places.ts'
import { detailsOf, type Exchange } from './exchange.ts'
import { secretTexts } from './request.ts'

const TEXT_TYPE = /^text\/plain\b/i
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i
const LONGEST_MESSAGE = 1_000

export interface PassOnOptions {
  /** Ends streams of events. */
  closing: AbortSignal
  /** Places for each of the nodes. */
  places: Places
  /** The operation may answer with text instead of JSON. */
  mayBeText: boolean
}

// D222: answers of a remote node are buffered up to 64 KiB
/** @throws TroupeError bad_gateway, and as `Places.take` */
export function passOn(ctx: ParameterizedContext, node: RemoteNode, exchange: Exchange, options: PassOnOptions): void {
  try {
    passOnSafely(ctx, node, exchange, options)
  } catch (error) {
    exchange.end()
    throw error
  }
}

function passOnSafely(ctx: ParameterizedContext, node: RemoteNode, exchange: Exchange, options: PassOnOptions): void {
  const status = exchange.response.statusCode ?? 0
  const wrong = (what: string) => new TroupeError('bad_gateway', `${node.name}: ${what}`, detailsOf(node))
  const said = status >= 400 ? saidBy(node, exchange) : undefined
  const message = said ? `: ${said.message}` : ''
  if (status === 401 || status === 403)
    throw wrong(`the credentials that this server has for it were refused with ${status}${message}`)
  if (status >= 500 || status < 200) throw wrong(`answered ${status}${message}`)
  if (status >= 300 && status < 400) throw wrong(`answered ${status}: redirects are not followed`)
  if (status >= 400) {
    // An answer to HEAD has only a status to pass on.
    if (!said && ctx.method !== 'HEAD') throw wrong(`answered ${status} without an Error object`)
    ctx.status = status
    ctx.body = { ...said, details: { ...said?.details, remoteNode: node.name } }
    exchange.end()
    return
  }
  passOnSuccess(ctx, exchange, status, wrong, options)
}

function passOnSuccess(
  ctx: ParameterizedContext,
  exchange: Exchange,
  status: number,
  wrong: (what: string) => TroupeError,
  { closing, places, mayBeText }: PassOnOptions
): void {
  const { response, isEvents, isWhole, start } = exchange
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = response.headers
  for (const name of ['Engine-Run-Id', 'Idempotent-Replayed']) {
    const value = response.headers[name.toLowerCase()]
    if (typeof value === 'string') ctx.set(name, value)
  }
  if (isWhole && start.length === 0) {
    const isText = type !== undefined && mayBeText && TEXT_TYPE.test(type)
    ctx.body = isText && ctx.method !== 'HEAD' ? '' : null
    ctx.status = status
    if (type !== undefined && (ctx.method === 'HEAD' || isText || JSON_TYPE.test(type))) ctx.set('Content-Type', type)
    if (length !== undefined && ctx.method === 'HEAD') ctx.set('Content-Length', length)
    return
  }
  if (encoding !== undefined && encoding !== 'identity') throw wrong(`answered ${status} in an encoding not asked for`)
  if (isEvents) {
    places.take(ctx)
    ctx.set('Cache-Control', 'no-store, no-transform') // compression on the way would keep events back
    ctx.set('X-Accel-Buffering', 'no')
    ctx.body = Readable.from(eventsOf(exchange, closing), { objectMode: false })
  } else if (!(mayBeText && TEXT_TYPE.test(type ?? '')) && !isJsonAnswer(type, start, isWhole)) {
    throw wrong(`answered ${status} with something else than JSON`)
  } else {
    ctx.body = Readable.from(exchange.parts(), { objectMode: false })
    if (isWhole) ctx.length = start.length
    else if (length !== undefined) ctx.set('Content-Length', length)
  }
  ctx.status = status
  ctx.set('Content-Type', type ?? 'application/json; charset=utf-8')
}

/** A closing server ends forwarded streams like its own: not as a failure. */
async function* eventsOf(exchange: Exchange, closing: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  const end = () => exchange.end()
  closing.addEventListener('abort', end, { once: true })
  try {
    yield* exchange.parts()
  } catch (error) {
    if (!closing.aborted) throw error
  } finally {
    closing.removeEventListener('abort', end)
  }
}

const isJsonAnswer = (type: string | undefined, start: Buffer, isWhole: boolean): boolean =>
  (type === undefined || JSON_TYPE.test(type)) && isJson(start, isWhole)

/** Only the beginning of a long text is examined. */
function isJson(start: Buffer, isWhole: boolean): boolean {
  if (!isWhole) return /^\s*[[{]/.test(start.toString('latin1', 0, 1_000))
  try {
    JSON.parse(start.toString())
    return true
  } catch {
    return false
  }
}

/** The Error object of an answer, without the credentials that this server sent; undefined: it has none. */
function saidBy(
  node: RemoteNode,
  { start, isWhole }: Exchange
): { code: string; message: string; details?: object } | undefined {
  const secrets = secretTexts(node)
  const masked = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
  if (!isWhole) return undefined
  try {
    const { code, message, details } = JSON.parse(start.toString(), (_key, value) =>
      typeof value === 'string' ? masked(value) : value
    )
    if (typeof code !== 'string' || typeof message !== 'string') return undefined
    const known = typeof details === 'object' && details !== null && !Array.isArray(details) ? { details } : {}
    return { code, message: message.slice(0, LONGEST_MESSAGE) || code, ...known }
  } catch {
    return undefined
  }
}
