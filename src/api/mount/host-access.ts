/** Asks the host application who sends a request, and what they may do. Nobody is let in unasked. Source: embedding 2.10. */
import type { IncomingMessage } from 'node:http'
import type { Middleware, ParameterizedContext } from 'koa'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { PERMISSIONS, ROLES } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { endStream } from '../auth/access.ts'
import type { OperationCheck } from '../auth/permissions.ts'
import type { AccessState } from '../auth/principal.ts'
import { isPageWanted, refusalPage } from '../auth/refusal-page.ts'
import { clientOf } from '../client-address.ts'
import { LATEST } from '../contract/names.ts'
import { type HostRequest, isPrincipal, type Mount, type Principal } from './options.ts'

export interface HostAccess {
  /** Where a sign-in of this server would be. */
  access: Middleware
  /** Asked for each operation, after its permissions. */
  check: OperationCheck
}

interface HostState extends AccessState {
  /** As `authorize` has answered. */
  caller?: Principal
}

/** How a request came: by `fetch`, or what a framework has beside it. */
export interface Origination {
  request?: Request
  host: HostRequest
}

// D1091: a mount asks the host for every path, and has the current version of the API only
/** @param api where the API begins @param from what is known of a request */
export function hostAccess(
  engine: Engine,
  { authorize, may }: Mount,
  { api, from }: { api: string; from: (req: IncomingMessage) => Origination }
): HostAccess {
  return {
    async access(ctx, next) {
      const { request = requestOf(ctx), host } = from(ctx.req)
      const caller = (await authorize(request, host)) ?? null
      if (caller === null) {
        refuseStranger(ctx, api)
        return
      }
      if (!isPrincipal(caller))
        throw new Error(
          `authorize: wanted null, or {name} with a role (${ROLES.join(', ')}) or with permissions (read, run, write)`
        )
      const { name, key = name, permissions = PERMISSIONS, role, whileGood } = caller
      const state: HostState = ctx.state
      state.caller = caller
      const who = [`caller:${key}`]
      state.principal = { name, key: `caller ${key}`, permissions, who, ...(role === undefined ? {} : { role }) }
      await next()
      if (whileGood) endStream(ctx, (end) => caller.whileGood?.(end) ?? (() => {}))
    },
    check(ctx, what, params) {
      const { caller }: HostState = ctx.state
      if (!may || !caller) return
      const run = runIn(engine, params)
      // A promise is no yes.
      if (may(caller, what, run) === true) return
      throw new TroupeError(
        'forbidden',
        `${caller.name} may not ${what}${run ? ` of ${run.name} ${run.dagRunId}` : ''}`
      )
    }
  }
}

function refuseStranger(ctx: ParameterizedContext, api: string): void {
  const message = 'the application that this is part of does not know you: sign in there'
  if (!isPageWanted(ctx) || ctx.path.startsWith(`${api}/`)) throw new TroupeError('unauthorized', message)
  ctx.set('Cache-Control', 'no-store')
  refusalPage(ctx, 401, message)
}

/** The request without its body. */
function requestOf(ctx: ParameterizedContext): Request {
  const { host = ctx.get('Host'), scheme = ctx.protocol } = clientOf(ctx)
  const headers = new Headers()
  const { rawHeaders } = ctx.req
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  try {
    return new Request(new URL(ctx.url, `${scheme}://${host}`), { method: ctx.method, headers })
  } catch (cause) {
    throw new TroupeError('bad_request', `${ctx.method}: not a method that is taken here`, { cause })
  }
}

function runIn(engine: Engine, { name, dagRunId }: Readonly<Record<string, string>>): RunKey | undefined {
  if (name === undefined || dagRunId === undefined) return undefined
  return { name, dagRunId: dagRunId === LATEST ? (engine.latest(name)?.dagRunId ?? LATEST) : dagRunId }
}
