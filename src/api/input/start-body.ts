/** The body of a start of a run. Source: http-api "Starting and queueing", "Runs (global)"; api-semantics 4.1, 4.6. */
import type { RouterContext } from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine, StartRequest } from '../../engine/engine.ts'
import { mustAlso } from '../auth/permissions.ts'
import { callerOf, requestedBy } from '../auth/principal.ts'
import { EDIT } from '../contract/needs.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from './body.ts'

/** An enqueue of a text may name the queue to wait in; a start of one may not. */
export type Way = 'start' | 'enqueue'

const { startDag, enqueueDag, startInline, enqueueInline } = OPERATIONS

// D23: a `file` is never started over HTTP
/** Body of a start of a definition. Empty names and ids count as absent. @throws TroupeError bad_request */
export const startBody = async (ctx: RouterContext, engine: Engine): Promise<StartRequest> => {
  const { disableMaxActiveRuns, ...body } = await readBody(ctx, startDag.body)
  return { ...body, ...(await unlimitedBy(ctx, engine, disableMaxActiveRuns)), ...requestedBy(ctx) }
}

/** Body of an enqueue of a definition. @throws TroupeError bad_request */
export const enqueueBody = async (ctx: ParameterizedContext): Promise<StartRequest> => ({
  ...(await readBody(ctx, enqueueDag.body)),
  ...requestedBy(ctx)
})

/** A caller who may write the definition may do without its limit. @throws TroupeError forbidden */
export async function unlimitedBy(
  ctx: RouterContext,
  engine: Engine,
  unlimited: boolean | undefined
): Promise<{ unlimited?: true }> {
  if (!unlimited) return {}
  await mustAlso(engine, ctx, EDIT)
  return { unlimited }
}

/** Body of a start or enqueue of an inline spec. @throws TroupeError bad_request */
export const inlineBody = async (ctx: ParameterizedContext, way: Way = 'start'): Promise<StartRequest> => {
  const body = await (way === 'start' ? readBody(ctx, startInline.body) : readBody(ctx, enqueueInline.body))
  return { ...body, ...requestedBy(ctx), by: callerOf(ctx) }
}
