/** The whole API for a command in the engine's own process: its routes are called as functions, by the rules that the application has around them. */
import { EventEmitter } from 'node:events'
import { PassThrough, pipeline, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { RouterContext, RouterParameterMiddleware } from '@koa/router'
import { type Clock, systemClock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Answer, Transport } from '../contract/transport.ts'
import { type Route, routesIn } from '../routes-in.ts'
import { jsonText } from '../rules/answer.ts'
import { errorBody } from '../rules/error-body.ts'
import { checkPathNames } from '../rules/names.ts'
import { requestIds } from '../rules/request-id.ts'
import { bodyOf } from './body-reader.ts'
import { commandOf } from './calling-step.ts'
import { exchangeOf } from './exchange.ts'
import { ownerRoutes } from './routes.ts'

export type Layer = (ctx: RouterContext, next: () => Promise<unknown>) => unknown

/** Takes URLs that begin below the base path. */
export function callsOf(engine: Engine, clock: Clock = systemClock): Transport {
  const { config, audit } = engine
  const base = config.basePath + config.apiBasePath
  const owners = routesIn((router) => ownerRoutes(router, engine))
  // Most commands ask for the one or the other, and few homes have an audit log.
  const api = once(async () => (await import('../all-routes.ts')).trustedRoutes(engine, clock))
  const auditors = once(async () => {
    if (!audit) return undefined
    const [{ auditingOf }, { operationAt }] = await Promise.all([
      import('../audit/audited.ts'),
      import('../auth/permissions.ts')
    ])
    const entrance = { trusted: true, mounted: false, open: false, baseV1: '' }
    return { ...auditingOf(engine, audit, entrance), operationAt }
  })
  const checks = new Map<string, RouterParameterMiddleware>()
  checkPathNames((name, check) => checks.set(name, check), engine)
  const app = new EventEmitter().on('error', () => {}) // the answer has the cause

  const checked: Layer = async (ctx, next) => {
    for (const [name, value] of Object.entries(ctx.params)) await checks.get(name)?.(value, ctx, async () => {})
    await next()
  }

  return async (url, { method, headers: sent, body, signal }) => {
    const [path = '', query = ''] = url.split('?', 2)
    const [{ routes, sees }, auditing] = await Promise.all([
      path.startsWith('/owner/') ? { routes: owners, sees: [] } : api(),
      auditors()
    ])
    const { route, params } = routed(routes, method, path)
    const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
    const ctx = exchangeOf({ method, path: base + path, query, params, headers, body }, app)
    Object.assign(ctx.state, { showsCauses: true }, commandOf(headers))
    const known = route && auditing?.operationAt(method, route.path)
    const operation = known && { ...known, params }
    const handle: Layer = (_ctx, next) => {
      if (!route) throw new TroupeError('not_found', 'no such path')
      return route.handle(ctx, next)
    }
    const audited = auditing ? [auditing.recognize(() => operation), auditing.before] : []
    const entered = auditing ? [errorBody, auditing.answered] : []
    await through([requestIds(clock), ...entered, errorBody, ...sees, ...audited, checked, handle], ctx)
    return answerOf(ctx, signal)
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The first of the routes that takes a path, and what it names. */
function routed(routes: readonly Route[], method: string, path: string) {
  const parts = path.split('/')
  for (const route of routes) {
    const names = route.path.split('/')
    if (!route.methods.includes(method) || names.length !== parts.length) continue
    if (!names.every((name, at) => name.startsWith(':') || name === parts[at])) continue
    const named = names.flatMap((name, at) =>
      name.startsWith(':') ? [[name.slice(1), decodeURIComponent(parts[at] ?? '')]] : []
    )
    return { route, params: Object.fromEntries(named) }
  }
  return { route: undefined, params: {} }
}

async function through([layer, ...more]: readonly Layer[], ctx: RouterContext): Promise<void> {
  await layer?.(ctx, () => through(more, ctx))
}

async function answerOf(ctx: ReturnType<typeof exchangeOf>, signal: AbortSignal | undefined): Promise<Answer> {
  const { answered, body, res } = ctx
  // Like a connection it closes at once, whatever the answer still waits for.
  const stream =
    body instanceof Readable ? pipeline(body, new PassThrough(), () => {}) : Readable.from([await bytesOf(ctx)])
  stream.once('close', () => {
    res.closed = true
    res.emit('close')
  })
  signal?.addEventListener('abort', () => stream.destroy(), { once: true })
  if (signal?.aborted) stream.destroy()
  return {
    status: ctx.status,
    headers: { get: (name) => answered.get(name.toLowerCase()) ?? null },
    text: () => text(stream),
    get body() {
      return bodyOf(stream)
    }
  }
}

async function bytesOf(ctx: RouterContext): Promise<string | Buffer> {
  const { body } = ctx
  if (body === null || body === undefined) return ''
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body
  ctx.type = 'application/json; charset=utf-8'
  return jsonText(body)
}
