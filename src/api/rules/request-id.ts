/** The id of a request: in its answer, in what is logged because of it, and in what is forwarded of it. */
import type { Middleware, ParameterizedContext } from 'koa'
import { type Clock, uuidV7 } from '../../clock.ts'

export const REQUEST_ID = 'X-Request-Id'
/** Ids that may stand in a log, a header and a URL as they are. */
const HARMLESS = /^[A-Za-z0-9][\w.:+=@-]{0,127}$/

/** What is logged of a request. */
export interface RequestFields {
  requestId: string
  /** The run that it is about, if its path names one. */
  name?: string
  dagRunId?: string
}

interface IdState {
  requestId?: string
}

// D1412: a request has an id, and it goes with what follows from the request
/** Use it before everything else. Keeps a harmless id that the client has given. */
export const requestIds =
  (clock: Clock): Middleware =>
  (ctx, next) => {
    const given = ctx.get(REQUEST_ID)
    const requestId = HARMLESS.test(given) ? given : uuidV7(clock)
    const state: IdState = ctx.state
    state.requestId = requestId
    ctx.set(REQUEST_ID, requestId)
    return next()
  }

export const requestIdOf = ({ state }: { state: IdState }): string | undefined => state.requestId

export function requestFields(ctx: ParameterizedContext): RequestFields {
  // The router has put them there, if there is such a route.
  const { params = {} }: { params?: Partial<Record<string, string>> } = ctx as object
  const { name, dagRunId } = params
  const run = name !== undefined && dagRunId !== undefined ? { name, dagRunId } : {}
  return { requestId: requestIdOf(ctx) ?? '', ...run }
}
