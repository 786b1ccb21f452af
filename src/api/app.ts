/** The HTTP API as a Koa application: routes below `/api/v2` and the rules around them. Source: http-api, api-semantics 1. */
import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { type Clock, systemClock } from '../clock.ts'
import { isAuthenticated } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import { codeOf, isA, LimitReached, TroupeError } from '../errors.ts'
import { NO_ROLES, sights } from './access/sight.ts'
import { allRoutes } from './all-routes.ts'
import { auditingOf } from './audit/audited.ts'
import { access } from './auth/access.ts'
import { guardOf } from './auth/permissions.ts'
import { signInOf } from './auth/sign-in.ts'
import { type ClientState, proxiesOf } from './client-address.ts'
import { docsOf } from './docs/site.ts'
import { streamPlaces } from './event-stream.ts'
import { heldCallers } from './limits/caller-limits.ts'
import type { HostAccess } from './mount/host-access.ts'
import { commandOf } from './owner/calling-step.ts'
import { ownerRoutes } from './owner/routes.ts'
import { pageOf } from './page.ts'
import { forwarding } from './remote/forward.ts'
import { systemRoutes } from './routes/system.ts'
import { addTo, routesIn } from './routes-in.ts'
import { answer } from './rules/answer.ts'
import { type AnsweredListeners, type AnsweredRequest, answered } from './rules/answered.ts'
import { cors } from './rules/cors.ts'
import { answerWith, errorBody } from './rules/error-body.ts'
import { checkPathNames } from './rules/names.ts'
import { originRules } from './rules/origin.ts'
import { type RequestFields, requestFields, requestIds } from './rules/request-id.ts'
import { strictly } from './rules/strict.ts'
import { seenCatalogueOf } from './shapes/seen-catalogue.ts'
import { version1Routes } from './v1/routes.ts'

export interface AppOptions {
  /** Address the server listens on. Default: the configured one. */
  host?: string
  /** Behind the owner's socket: every client may do everything. */
  trusted?: boolean
  clock?: Clock
  /** Logs what no caller may see: the cause of an internal error, or that a limit was reached. Default: nothing is logged. */
  log?: (message: string, cause: unknown, fields?: RequestFields) => void
  /** Told of each request that was answered. Default: nobody is. */
  answered?: (request: AnsweredRequest) => void
  /** Ends open streams. Default: the end of the engine does. */
  closing?: AbortSignal
  /** Below a path of a host application, which says who calls, and has checked the Host of a request. */
  hostAccess?: HostAccess
  /** Origins whose pages may call. Default: the configured ones. */
  origins?: readonly string[]
}

/** Makes the application of one engine; it does not listen yet. */
export function createApp(engine: Engine, options: AppOptions = {}): Koa {
  const { config } = engine
  const { host = config.host, trusted = false, clock = systemClock, log, closing, hostAccess } = options
  const [base, baseV1] = [config.basePath + config.apiBasePath, `${config.basePath}/api/v1`]
  const app = new Koa()
  const ended = closing ? AbortSignal.any([engine.closing, closing]) : engine.closing
  app.on('error', (cause: unknown, ctx?: Koa.Context) => {
    const end = isA(cause, LimitReached) ? 'refused' : 'failed'
    const what = `${ctx?.method ?? 'request'} ${ctx?.req.url?.split('?', 1)[0] ?? ''} ${end}`
    if (!isGoneClient(cause)) log?.(what, cause, ctx && requestFields(ctx))
  })
  const { oidc } = config.auth
  const report = (sentence: string, cause: unknown) => log?.(sentence, cause)
  const origins = new Set(options.origins ?? config.allowedOrigins)
  // A listed origin counts as a name of this server: that is how one behind a proxy learns its public name.
  const names = [...origins, ...(oidc ? [oidc.clientUrl] : [])].map((address) => new URL(address).hostname)
  const signIn = oidc && !trusted ? signInOf(config, oidc, { clock, api: [base, baseV1], report }) : undefined
  const { clientOf } = proxiesOf(config.trustedProxies)
  const held = trusted ? undefined : heldCallers(engine, clock, { apis: [base, baseV1], ended })
  // Behind the owner's socket all callers are one.
  const places = streamPlaces(held?.streams, trusted ? Number.POSITIVE_INFINITY : undefined)
  const entrance = {
    trusted,
    mounted: hostAccess !== undefined,
    open: !hostAccess && !isAuthenticated(config.auth),
    baseV1
  }
  const auditing = engine.audit && auditingOf(engine, engine.audit, entrance)
  const listeners: AnsweredListeners = new Set(options.answered ? [options.answered] : [])
  app.use((ctx, next) => {
    const state: ClientState = ctx.state
    state.client = clientOf(ctx.req)
    if (trusted) Object.assign(state, { showsCauses: true }, commandOf(ctx.req.headers))
    return next()
  })
  app.use(requestIds(clock)).use(answered(clock, listeners)).use(errorBody).use(answer)
  if (auditing) app.use(auditing.answered)
  app
    .use(errorBody) // an Error object is an answer like any other
    .use(deprecated(baseV1))
    .use(originRules({ host, names, apis: [base, baseV1], origins, isMounted: hostAccess !== undefined }))
    .use(cors(origins))
    .use(wellFormedPath)
  const page = trusted || config.headless ? undefined : pageOf(config)
  const docs = page && docsOf(config)
  // A browser cannot send a token with a link.
  const isByTokenOnly = !config.auth.basic && !oidc && isAuthenticated(config.auth)
  if (page && isByTokenOnly) app.use(page.signIn)
  if (docs && isByTokenOnly) app.use(docs)
  if (!trusted) app.use(hostAccess?.access ?? access(config, { clock, api: base, keys: engine.keys, signIn }))
  app.use(sights(engine, trusted ? NO_ROLES : config.access))
  if (held) app.use(held.requests)
  if (signIn) app.use(signIn.routes)
  if (page) app.use(page.routes)
  if (docs && !isByTokenOnly) app.use(docs)
  for (const api of [base, baseV1]) app.use(withoutTrailingSlash(api))

  const router = new Router({ sensitive: true, strict: true })
  const guard = guardOf(router, base, 'v2', engine, { check: hostAccess?.check, starting: held?.starting, host })
  if (auditing) router.use(auditing.recognize(guard.operationOf))
  if (!trusted) router.use(guard.check)
  if (auditing) router.use(auditing.before)
  router.use(forwarding(config.remoteNodes, { base, clock, closing: ended, places }))
  if (config.strictValidation && !trusted) router.use(strictly)
  const catalogue = seenCatalogueOf(engine)
  const served = { base, ended, clock, listeners, sessions: signIn?.sessions, places, catalogue }
  addTo(router, base, allRoutes(engine, served))
  checkPathNames((name, check) => router.param(name, check), engine)
  guard.close()

  app.use(router.routes())
  if (trusted) addOwners()
  // D1091: a mount asks the host for every path, and has the current version of the API only
  if (!hostAccess) addVersion1()
  app.use(nowhere)
  return app

  function addOwners(): void {
    const owners = new Router({ sensitive: true, strict: true })
    const { operationOf, close } = guardOf(owners, '', 'owner', engine)
    if (auditing) owners.use(auditing.recognize(operationOf)).use(auditing.before)
    const routes = routesIn((router) => ownerRoutes(router, engine))
    addTo(owners, '', routes)
    checkPathNames((name, check) => owners.param(name, check), engine)
    close()
    app.use(owners.routes())
  }

  function addVersion1(): void {
    const version1 = new Router({ sensitive: true, strict: true })
    const guardV1 = guardOf(version1, baseV1, 'v1', engine)
    if (auditing) version1.use(auditing.recognize(guardV1.operationOf))
    if (!trusted) version1.use(guardV1.check)
    if (auditing) version1.use(auditing.before)
    const routes = routesIn((router) => {
      version1Routes(router, engine, catalogue, trusted ? async () => {} : guardV1.may, held?.starting)
      systemRoutes(router, engine)
    })
    addTo(version1, baseV1, routes)
    checkPathNames((name, check) => version1.param(name, check), engine)
    guardV1.close()
    app.use(version1.routes())
  }
}

/** A client that disconnected is not an error of the server. */
const isGoneClient = (cause: unknown) => GONE.has(codeOf(cause) ?? '')
const GONE = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** The router decodes parameters, once, and leaves those it cannot decode. */
const wellFormedPath: Middleware = async (ctx, next) => {
  const { url = '' } = ctx.req
  if (!url.startsWith('/')) throw new TroupeError('bad_request', 'request target: wanted a path')
  try {
    decodeURIComponent(ctx.path)
  } catch {
    throw new TroupeError('bad_request', 'path: wanted percent-encoded UTF-8')
  }
  await next()
}

/** Every answer below `base`, errors included, says that this version of the API is deprecated. */
const deprecated =
  (base: string): Middleware =>
  (ctx, next) => {
    if (ctx.path === base || ctx.path.startsWith(`${base}/`)) ctx.set('Deprecation', 'true')
    return next()
  }

const withoutTrailingSlash =
  (base: string): Middleware =>
  async (ctx, next) => {
    if (!ctx.path.startsWith(`${base}/`) || !ctx.path.endsWith('/')) {
      await next()
      return
    }
    let end = ctx.path.length
    while (ctx.path[end - 1] === '/') end--
    ctx.redirect(ctx.path.slice(0, end) + ctx.search)
    ctx.body = null
    ctx.status = ctx.method === 'GET' || ctx.method === 'HEAD' ? 301 : 308
  }

/** No route took the request: the path is unknown, or known with other methods. */
const nowhere: Middleware = (ctx) => {
  const layers: { methods: string[] }[] = ctx.matched ?? []
  const methods = new Set(layers.flatMap((layer) => layer.methods))
  if (methods.size === 0) throw new TroupeError('not_found', 'no such path')
  ctx.set('Allow', [...methods].sort().join(', '))
  answerWith(ctx, 'bad_request', 405)
  throw new TroupeError('bad_request', `${ctx.method} is not allowed here, only ${[...methods].sort().join(', ')}`)
}
