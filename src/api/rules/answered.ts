/** Tells what a request has come to: for the log, and for metrics. */
import type { Middleware } from 'koa'
import type { Clock } from '../../clock.ts'
import { callerOf } from '../auth/principal.ts'
import { type RequestFields, requestFields } from './request-id.ts'

export interface AnsweredRequest extends RequestFields {
  method: string
  /** Path without the query, which may hold params. */
  path: string
  status: number
  /** Time until the answer began, ms. */
  ms: number
  /** Name of the caller. */
  by: string
}

export type AnsweredListeners = Set<(request: AnsweredRequest) => void>

/** @param listeners told of each request that has an answer, a refusal included */
export const answered =
  (clock: Clock, listeners: AnsweredListeners): Middleware =>
  async (ctx, next) => {
    if (listeners.size === 0) return next()
    const began = clock.elapsed()
    await next()
    const { method, path, status } = ctx
    const ms = Math.round((clock.elapsed() - began) * 10) / 10
    const request = { ...requestFields(ctx), method, path, status, ms, by: callerOf(ctx) }
    for (const listener of listeners) listener(request)
  }
