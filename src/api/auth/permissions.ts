/** Asks of each request whether permissions and roles allow it; with a route that says no need, the API does not start. Source: api-semantics 9.2; reliability 5.3 R8. */
import type Router from '@koa/router'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { ParameterizedContext } from 'koa'
import { type Config, isEnough, type Permission } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { mustBeAllowed } from '../access/gate.ts'
import type { Operation as Recognized } from '../audit/state.ts'
import { type ClientState, clientOf } from '../client-address.ts'
import { CREATE, EDIT, type Need, NOTHING, RUN, RUN_TEXT, VIEW, VIEW_PART } from '../contract/needs.ts'
import type { Operation } from '../contract/operation.ts'
import { operationList } from '../contract/operations.ts'
import { OWNER_OPERATIONS } from '../contract/owner-operations.ts'
import { isForwarded } from '../remote/forward.ts'
import { type AccessState, anyone, type Principal } from './principal.ts'

/** Of version 1, in which one path does many things: the body decides which of the two is needed, so its route checks again. */
const NEEDS_V1: Readonly<Record<string, readonly Need[]>> = {
  'GET /health': [NOTHING],
  'GET /dags': [VIEW_PART],
  'GET /search': [VIEW_PART],
  'GET /tags': [VIEW_PART],
  'POST /dags': [CREATE],
  'POST /dags/{fileName}': [RUN, EDIT],
  'DELETE /dags/{fileName}': [EDIT]
}

// D306: inline runs need `runDAGs`, and tokens need `run` and `write`
const SWITCHES = { read: undefined, run: 'runDAGs', write: 'writeDAGs' } as const

export interface Guard {
  /** The operation that a request is for; undefined: there is no such route. */
  operationOf(ctx: ParameterizedContext): Recognized | undefined
  /** Use it before all routes: refuses what the caller may not do. */
  check: RouterMiddleware
  /** For a path whose body says what is done: refuses what the caller may not do. @throws TroupeError forbidden */
  may(ctx: RouterContext, needed: Need): Promise<void>
  /** Call it after all routes. @throws Error naming a route without a row */
  close(): void
}

/** Refuses an operation that the caller's permissions allow. @param what its id @param params of its path @throws TroupeError */
export type OperationCheck = (ctx: ParameterizedContext, what: string, params: Readonly<Record<string, string>>) => void

/** Operations by method and path: their ids, and the alternatives of what they need. */
interface Known {
  id: string
  needs: readonly Need[]
  own: boolean
  starts?: true
}
const byRow = (operations: readonly (readonly [string, Operation])[]) =>
  new Map<string, Known>(
    operations.flatMap(([id, { method, path, needs, own = false, starts, also = [] }]) => {
      const known = { id, needs: [needs], own, ...(starts ? { starts } : {}) }
      return [{ method, path }, ...also].map((way) => [`${way.method} ${way.path}`, known] as const)
    })
  )
const OPERATIONS_BY_ROW = byRow(operationList)
const OF_OWNER = byRow(Object.entries(OWNER_OPERATIONS))
const OF_VERSION_1 = new Map<string, Known>(
  Object.entries(NEEDS_V1).map(([row, needs]) => [row, { id: row, needs, own: true }])
)

/** The operation of the contract that a route serves. @param path below the base path, as a router has it */
export const operationAt = (method: string, path: string): Known | undefined =>
  OPERATIONS_BY_ROW.get(rowOf(method, path)) ?? OF_OWNER.get(rowOf(method, path))

const rowOf = (method: string, path: string) =>
  `${method === 'HEAD' ? 'GET' : method} ${path.replace(/:(\w+)/g, '{$1}')}`

const BY_VERSION = { v1: OF_VERSION_1, v2: OPERATIONS_BY_ROW, owner: OF_OWNER } as const
type Version = keyof typeof BY_VERSION

export interface GuardOptions {
  /** Asked after the permissions and roles; default: nobody is. */
  check?: OperationCheck | undefined
  /** Told of each request that begins a run here; may refuse it. Default: nobody is. */
  starting?: ((ctx: ParameterizedContext) => void) | undefined
  /** Address that the server listens on. Default: the configured one. */
  host?: string
}

/** @param version of the API that the router serves; `owner`: what only the owner has */
export function guardOf(
  router: Router,
  prefix: string,
  version: Version,
  engine: Engine,
  { check = () => {}, starting, host = engine.config.host }: GuardOptions = {}
): Guard {
  const { permissions } = engine.config
  const known = BY_VERSION[version]
  const knownOf = (row: string): Known | undefined =>
    known.get(row) ?? (row.startsWith('GET ') ? { id: row, needs: [VIEW], own: version !== 'v2' } : undefined)
  function operationOf(ctx: ParameterizedContext): (Known & Recognized) | undefined {
    const route = routeOf(ctx)
    if (!route) return undefined
    const row = rowOf(ctx.method, String(route.path).slice(prefix.length))
    const known: Known = knownOf(row) ?? { id: row, needs: [RUN_TEXT], own: true }
    return { ...known, params: route.params(ctx.path, route.captures(ctx.path)) }
  }

  return {
    operationOf,
    async check(ctx, next) {
      const operation = operationOf(ctx)
      if (operation) {
        const { id, needs, own, starts, params } = operation
        if (needs.some((need: Need) => need.isForKnown)) refuseUnknown(ctx, host)
        mayDo(ctx, needs, permissions)
        await mustBeAllowed(engine, ctx, leastOf(needs), params, !own && isForwarded(ctx))
        check(ctx, id, params)
        if (starts && starting && !isForwarded(ctx)) starting(ctx)
      }
      await next()
    },
    may: (ctx, needed) => mustAlso(engine, ctx, needed),
    close() {
      for (const { methods, path } of router.stack)
        for (const method of methods)
          if (!knownOf(rowOf(method, String(path).slice(prefix.length))))
            throw new Error(`${method} ${String(path)} says no permission: give it a row in api/contract`)
    }
  }
}

// The router has put them there.
const routeOf = (ctx: ParameterizedContext & Partial<Pick<RouterContext, 'matched'>>) =>
  ctx.matched?.find(({ methods }) => methods.includes(ctx.method))

/** Of alternatives, that with the weakest role. */
const leastOf = (needs: readonly Need[]): Need =>
  needs.reduce((least, one) => (isEnough(one.role, least.role) ? least : one))

/** What a caller may do here, as far as it depends on permissions alone. */
export const permittedTo = (principal: Principal, switches: Config['permissions']): Permission[] =>
  principal.permissions.filter((permission) => {
    const name = SWITCHES[permission]
    return name === undefined || switches[name]
  })

/** For an operation whose body asks for more than it is: refuses what the caller may not do. @throws TroupeError forbidden */
export async function mustAlso(engine: Engine, ctx: RouterContext, needed: Need): Promise<void> {
  mayDo(ctx, [needed], engine.config.permissions)
  await mustBeAllowed(engine, ctx, needed, ctx.params, false)
}

/** @throws TroupeError forbidden when no way is open */
function mayDo(ctx: ParameterizedContext, ways: readonly Need[], switches: Config['permissions']): void {
  const refusals = ways.map(({ permissions }) => refusalOf(ctx, permissions, switches))
  const [first] = refusals
  if (first && !refusals.includes(undefined)) throw first
}

function refusalOf(
  ctx: ParameterizedContext,
  needs: readonly Permission[],
  switches: Config['permissions']
): TroupeError | undefined {
  const [first] = needs
  const name = first && SWITCHES[first]
  if (name && !switches[name]) return new TroupeError('forbidden', `permissions.${name} is off on this server`)
  const { principal = anyone }: AccessState = ctx.state
  const missing = needs.find((permission) => !principal.permissions.includes(permission))
  return missing && new TroupeError('forbidden', `${principal.name} may not ${missing}`)
}

/** With one of them a request may come from anywhere, no matter who has passed it on. */
const PASSED_ON = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via']

// D1376: a server without authentication shows its home to its own machine only
/**
 * Without authentication the caller has to be on this machine, and the server must be for this machine alone.
 * @param host address that the server listens on @throws TroupeError forbidden
 */
function refuseUnknown(ctx: ParameterizedContext<AccessState & ClientState>, host: string): void {
  const { principal = anyone } = ctx.state
  if (principal !== anyone) return
  const isHere = isLoopback(clientOf(ctx).address) && PASSED_ON.every((name) => ctx.get(name) === '')
  if (isLoopback(host) && isHere) return
  throw new TroupeError(
    'forbidden',
    'this server knows nobody, so it shows its home and gives keys only to callers on its own machine: set up authentication (auth.token.value)'
  )
}
