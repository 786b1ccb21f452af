/** Makes the Error object of what was thrown. Source: http-api "Errors". */
import type { Middleware, ParameterizedContext } from 'koa'
import { ERRORS, type ErrorCode, isA, LimitReached, messageOf, ShareTaken, TroupeError } from '../../errors.ts'

/** Exceptions of one request: the same code with another HTTP status, such as `bad_request` with 413. */
interface ApiState {
  statusFor?: Partial<Record<ErrorCode, number>>
  isNoFault?: boolean
  /** The caller is the user who runs this process. */
  showsCauses?: boolean
}

/** This caller asks for too much. */
export const TOO_MANY = 429

/** Gives `code` another HTTP status in this request. */
export function answerWith(ctx: ParameterizedContext, code: ErrorCode, status: number): void {
  const state: ApiState = ctx.state
  state.statusFor = { ...state.statusFor, [code]: status }
}

/** An intended refusal with 500 or above: it is not logged. */
export function noFault(ctx: ParameterizedContext): void {
  const state: ApiState = ctx.state
  state.isNoFault = true
}

// D1702: a command has no log to look at
/** Answers with the Error object. Only the owner of the home sees the cause of an internal error: it goes to `app.on('error')`. */
export const errorBody: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (cause) {
    const { statusFor, isNoFault = false, showsCauses = false }: ApiState = ctx.state
    const known = isA(cause, TroupeError)
      ? cause
      : new TroupeError('internal_error', showsCauses ? messageOf(cause) : 'internal error')
    const { code, details } = known
    ctx.body = { code, message: known.message || code, ...(details ? { details } : {}) }
    if (known instanceof LimitReached) ctx.set('Retry-After', String(known.retryAfter))
    ctx.status = known instanceof ShareTaken ? TOO_MANY : (statusFor?.[code] ?? ERRORS[code].status)
    if (ctx.status >= 500 && !isNoFault) ctx.app.emit('error', cause, ctx)
  }
}

/** Refuses a request with all of its problems. @throws TroupeError bad_request when there is any */
export function refuse(problems: readonly (string | undefined)[], details: Record<string, unknown> = {}): void {
  const errors = problems.filter((problem) => problem !== undefined)
  if (errors.length > 0) throw new TroupeError('bad_request', errors.join('; '), { details: { errors, ...details } })
}
