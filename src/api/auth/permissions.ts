/** The permissions that each operation needs, as data; with a route that is not in it, the API does not start. Source: api-semantics 9.2; reliability 5.3 R8. */
import type Router from '@koa/router'
import type { RouterMiddleware } from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Config, Permission } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { operationList } from '../contract/operations.ts'
import { refuseUnknown } from './known-caller.ts'
import { type AccessState, anyone, type Principal } from './principal.ts'

/**
 * Method, path and the permissions a token needs; `-`: none. The first of them is also a switch of the whole server. `known`: the
 * caller must be known, or be on this machine. Every GET that is not here needs `read`.
 */
const NEEDS = `
POST   /dags                                                                      write
DELETE /dags/{fileName}                                                           write
PUT    /dags/{fileName}/spec                                                      write
POST   /dags/{fileName}/rename                                                    write
POST   /dags/validate                                                             -
POST   /dags/{fileName}/start                                                     run
POST   /dags/{fileName}/enqueue                                                   run
POST   /dags/{fileName}/suspend                                                   run
POST   /dags/{fileName}/stop-all                                                  run
POST   /dag-runs                                                                  run write
POST   /dag-runs/enqueue                                                          run write
POST   /dag-runs/{name}/{dagRunId}/stop                                           run
POST   /dag-runs/{name}/{dagRunId}/retry                                          run
POST   /dag-runs/{name}/{dagRunId}/reschedule                                     run
GET    /dag-runs/{name}/{dagRunId}/dequeue                                        run
POST   /dag-runs/{name}/{dagRunId}/dequeue                                        run
DELETE /dag-runs/{name}/{dagRunId}/dequeue                                        run
PATCH  /dag-runs/{name}/{dagRunId}/steps/{stepName}/status                        run
PATCH  /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status run
PATCH  /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/status run
POST   /dag-runs/{name}/{dagRunId}/steps/{stepName}/signal                        run
POST   /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/signal run
POST   /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/signal run
POST   /workers/{workerId}/drain                                                  run
POST   /workers/{workerId}/enroll                                                 write run known
POST   /workers/{workerId}/revoke                                                 write run known
POST   /services/backup                                                           write run known
GET    /services/settings                                                         read run write known
GET    /services/doctor                                                           read run write known
GET    /health                                                                    -
GET    /health/live                                                               -
GET    /health/ready                                                              -
GET    /openapi.json                                                              -
GET    /docs                                                                      -
GET    /docs.css                                                                  -`

/** Of version 1, in which one path does many things: the body decides which of the two is needed, so its route checks again. */
const NEEDS_V1 = `
GET    /health          -
POST   /dags            write
POST   /dags/{fileName} run | write
DELETE /dags/{fileName} write`

// D306
const SWITCHES = { read: undefined, run: 'runDAGs', write: 'writeDAGs' } as const

export interface Guard {
  /** Use it before all routes: refuses what the caller may not do, before anything is looked up. */
  check: RouterMiddleware
  /** For a path whose body says what is done: refuses what the caller may not do. @throws TroupeError forbidden */
  may(ctx: ParameterizedContext, needed: Permission): void
  /** Call it after all routes. @throws Error naming a route without a row */
  close(): void
}

const isPermission = (word: string): word is Permission => word in SWITCHES

/** Alternatives: one of them is enough, with all of its permissions. */
type Ways = readonly (readonly Permission[])[]

/** Operations that nobody who is unknown may do from elsewhere. */
const FOR_KNOWN = new Set(
  [...NEEDS.matchAll(/^(\w+) +(\S+) .*\bknown$/gm)].map(([, method, path]) => `${method} ${path}`)
)

const rowsOf = (table: string) =>
  new Map<string, Ways>(
    [...table.matchAll(/^(\w+) +(\S+) +(.+)$/gm)].map(([, method, path, words = '']) => [
      `${method} ${path}`,
      words.split(' | ').map((way) => way.split(' ').filter(isPermission))
    ])
  )
const ROWS = rowsOf(NEEDS)

/** Permissions that an operation of the current API needs. @param path below its base, parameters in braces */
export const permissionsOf = (method: string, path: string): readonly Permission[] =>
  ROWS.get(`${method} ${path}`)?.[0] ?? ['read']

/** Refuses an operation that the caller's permissions allow. @param what its id @param params of its path @throws TroupeError */
export type OperationCheck = (ctx: ParameterizedContext, what: string, params: Readonly<Record<string, string>>) => void

/** Ids of operations by method and path. */
const IDS = new Map<string, string>(
  operationList.flatMap(([id, { method, path, also = [] }]) =>
    [{ method, path }, ...also].map((spelling) => [`${spelling.method} ${spelling.path}`, id] as const)
  )
)

export interface GuardOptions {
  /** Asked after the permissions; default: nobody is. */
  check?: OperationCheck | undefined
  /** Address that the server listens on. Default: the configured one. */
  host?: string
}

/** @param version of the API that the router serves */
export function guardOf(
  router: Router,
  prefix: string,
  version: 'v1' | 'v2',
  { permissions, ...config }: Pick<Config, 'permissions' | 'host'>,
  { check = () => {}, host = config.host }: GuardOptions = {}
): Guard {
  const needs = version === 'v1' ? rowsOf(NEEDS_V1) : ROWS
  const rowOf = (method: string, path: string) =>
    `${method === 'HEAD' ? 'GET' : method} ${path.slice(prefix.length).replace(/:(\w+)/g, '{$1}')}`
  const needsOf = (method: string, path: string): Ways | undefined => {
    const row = rowOf(method, path)
    return needs.get(row) ?? (row.startsWith('GET ') ? [['read']] : undefined)
  }
  return {
    async check(ctx, next) {
      const route = ctx.matched?.find(({ methods }) => methods.includes(ctx.method))
      if (route) {
        const row = rowOf(ctx.method, String(route.path))
        if (version === 'v2' && FOR_KNOWN.has(row)) refuseUnknown(ctx, host)
        mayDo(ctx, needsOf(ctx.method, String(route.path)) ?? [['run', 'write']], permissions)
        check(ctx, IDS.get(row) ?? row, route.params(ctx.path, route.captures(ctx.path)))
      }
      await next()
    },
    may: (ctx, needed) => refuseUnless(ctx, needed, permissions),
    close() {
      for (const { methods, path } of router.stack)
        for (const method of methods)
          if (!needsOf(method, String(path)))
            throw new Error(`${method} ${String(path)} says no permission: give it a row in api/auth/permissions.ts`)
    }
  }
}

/** What a caller may do here, as far as it depends on permissions alone. */
export const permittedTo = (principal: Principal, switches: Config['permissions']): Permission[] =>
  principal.permissions.filter((permission) => {
    const name = SWITCHES[permission]
    return name === undefined || switches[name]
  })

/** For an operation whose body asks for more than it is: refuses what the caller may not do. @throws TroupeError forbidden */
export const refuseUnless = (ctx: ParameterizedContext, needed: Permission, switches: Config['permissions']): void =>
  mayDo(ctx, [[needed]], switches)

/** @throws TroupeError forbidden when no way is open */
function mayDo(ctx: ParameterizedContext, ways: Ways, switches: Config['permissions']): void {
  const refusals = ways.map((needs) => refusalOf(ctx, needs, switches))
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
