/** Forwards a request with a remote node to that node, once, and returns its answer. Source: api-semantics 8. */
import { setMaxListeners } from 'node:events'
import type Router from '@koa/router'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Clock } from '../../clock.ts'
import { isEnough, type RemoteNode } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { sightOf } from '../access/sight.ts'
import { REMOTE_NODE } from '../contract/operation.ts'
import { operationList } from '../contract/operations.ts'
import { readWhole } from '../input/body.ts'
import { readQuery } from '../input/query.ts'
import type { Places } from '../places.ts'
import { refuse } from '../rules/error-body.ts'
import { forwardedNameProblems } from '../rules/names.ts'
import { REQUEST_ID, requestIdOf } from '../rules/request-id.ts'
import { connectorOf } from './exchange.ts'
import { passOn } from './pass-on.ts'
import { FORWARDED, forwardedHeaders, forwardedPath } from './request.ts'

export interface ForwardOptions {
  /** Where the API of this server begins. */
  base: string
  clock: Clock
  /** Ends forwarded event streams. */
  closing: AbortSignal
  /** Places for each of the nodes. */
  places: Places
}

const HERE = 'local'
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

export function remoteNodeRoutes(router: Router, nodes: readonly RemoteNode[]): void {
  router.get('/remote-nodes', (ctx) => {
    // A caller who may send nothing there does not see where there is.
    const isShown = isEnough(sightOf(ctx).rights.server.role, 'viewer')
    ctx.body = { remoteNodes: [HERE, ...(isShown ? nodes.map(({ name }) => name) : [])] }
  })
}

/**
 * Use it before all routes, after the check of permissions.
 * @throws TroupeError bad_request when a certificate of a node cannot be used
 */
export function forwarding(
  nodes: readonly RemoteNode[],
  { base, clock, closing, places }: ForwardOptions
): RouterMiddleware {
  if (nodes.length > 0) setMaxListeners(0, closing) // each stream that is open listens
  const known = new Map(nodes.map((node) => [node.name, { node, connect: connectorOf(node, clock) }]))
  const own = new Set(
    operationList.flatMap(([, { own, path }]) => (own ? [base + path.replace(/\{(\w+)\}/g, ':$1')] : []))
  )

  const textual = new Set(
    operationList.flatMap(([, { path, answers }]) =>
      Object.values(answers).some(({ asText, type }) => asText !== undefined || type === 'text/plain')
        ? [base + path]
        : []
    )
  )

  return async (ctx, next) => {
    const remoteNode = ctx.matched?.some(({ path }) => own.has(String(path))) ? HERE : nodeIn(ctx)
    if (remoteNode === HERE) {
      await next()
      return
    }
    const shown = remoteNode.slice(0, 60)
    const details = { remoteNode: shown }
    const found = known.get(remoteNode)
    if (!found) {
      refuse([`query parameter 'remoteNode': unknown remote node ${JSON.stringify(shown)}`], details)
      return
    }
    if (ctx.get(FORWARDED) !== '')
      refuse(["query parameter 'remoteNode': wanted none in a request that another server has sent on"], details)
    const route = routeOf(ctx)
    refuse(forwardedNameProblems(route.params(ctx.path, route.captures(ctx.path))), details)
    const { node, connect } = found
    const body = WITH_BODY.has(ctx.method) ? (await readWhole(ctx)).bytes : undefined
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    const exchange = await connect({
      method: ctx.method,
      path: forwardedPath(ctx.path.slice(base.length), ctx.querystring),
      headers: { ...forwardedHeaders(ctx.headers, node), [REQUEST_ID.toLowerCase()]: requestIdOf(ctx) },
      ...(body ? { body } : {}),
      gone: gone.signal
    })
    passOn(ctx, node, exchange, { closing, places, mayBeText: textual.has(documented(route.path)) })
  }
}

const nodeIn = (ctx: ParameterizedContext): string => readQuery(ctx, REMOTE_NODE).remoteNode ?? HERE

/** Whether a request is for another server. Of an operation that is not about this server only. */
export const isForwarded = (ctx: ParameterizedContext): boolean => nodeIn(ctx) !== HERE

/** The route on the other server; its parameters are decoded once. */
function routeOf(ctx: RouterContext) {
  const route = ctx.matched?.find(({ methods }) => methods.includes(ctx.method))
  if (!route) throw new TroupeError('not_found', 'no such path')
  return route
}

/** A path of the router in the notation of the contract. */
const documented = (path: string | RegExp): string => String(path).replace(/:(\w+)/g, '{$1}')
