/** What a host application mounts: a handler of Node's requests, one for Koa, and one of `Request` and `Response`. Source: embedding 1. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { type Connected, connectedHome } from '../../store/disk/connected-home.ts'
import { forwarding } from './forwarded.ts'
import { inMemory } from './in-memory.ts'
import { type Arrival, mounted } from './mounted.ts'
import type { HttpOptions } from './options.ts'

/** What Express adds. */
interface ExpressParts {
  /** The whole path, of which `url` is the rest. */
  originalUrl?: string
  /** What was taken from the path so far. */
  baseUrl?: string
  body?: unknown
}

/**
 * For `node:http`, Express (`app.use('/flows', nodeHandler(...))`) and Fastify (after `reply.hijack()`). A request for a path that is not
 * below the prefix goes to `next`. @throws TroupeError bad_request (the options)
 */
export function nodeHandler(
  engine: Engine | Connected,
  options: HttpOptions
): (req: IncomingMessage, res: ServerResponse, next?: () => void) => void {
  const take = taking(engine, options)
  return (req, res, next) => {
    const { originalUrl = req.url ?? '', baseUrl, body }: IncomingMessage & ExpressParts = req
    take({
      req,
      res,
      url: originalUrl,
      ...(baseUrl === undefined ? {} : { mountedAt: baseUrl }),
      body,
      next,
      host: { req }
    })
  }
}

/** By the engine of this process, or that of another one. @throws TroupeError bad_request */
function taking(engine: Engine | Connected, options: HttpOptions): (arrival: Arrival) => void {
  if ('facts' in engine) return mounted(engine, options)
  const home = connectedHome(engine)
  if (home) return forwarding(home, options)
  throw new TroupeError(
    'bad_request',
    'wanted an engine, or what connectEngine returns for a home, found something else'
  )
}

/** What Koa has besides. */
interface KoaParts {
  originalUrl?: string
  request?: { body?: unknown }
}

/** For Koa 2 and 3. A request for a path that is not below the prefix goes to `next`. @throws TroupeError bad_request (the options) */
export function koaMiddleware(
  engine: Engine | Connected,
  options: HttpOptions
): (
  ctx: { req: IncomingMessage; res: ServerResponse; respond?: boolean },
  next: () => Promise<unknown>
) => Promise<void> {
  const take = taking(engine, options)
  return async (ctx, next) => {
    const { req, res, originalUrl = req.url ?? '', request }: typeof ctx & KoaParts = ctx
    let passed: Promise<unknown> | undefined
    const answered = new Promise<void>((resolve) => (res.closed ? resolve() : res.once('close', resolve)))
    const { respond } = ctx
    ctx.respond = false
    take({
      req,
      res,
      url: originalUrl,
      body: request?.body,
      next() {
        ctx.respond = respond ?? true
        passed = next()
      },
      host: { req, ctx }
    })
    await (passed ?? answered)
  }
}

/** For whatever has `Request` and `Response`, as Next, Hono and Remix. @throws TroupeError bad_request (the options) */
export function fetchHandler(
  engine: Engine | Connected,
  options: HttpOptions
): (request: Request) => Promise<Response> {
  const take = taking(engine, options)
  return inMemory((request, req, res) => take({ req, res, url: req.url ?? '', request, host: {} }))
}
