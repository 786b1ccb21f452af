/** The body of a start of a run. Source: http-api "Starting and queueing", "Runs (global)"; api-semantics 4.1, 4.6. */
import type { RouterContext } from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine, Started, StartRequest } from '../../engine/engine.ts'
import { misfit } from '../../schema/fit.ts'
import { mustAlso } from '../auth/permissions.ts'
import { callerOf, requestedBy } from '../auth/principal.ts'
import { IdempotencyKey } from '../contract/body-fields.ts'
import { EDIT } from '../contract/needs.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { refuse } from '../rules/error-body.ts'
import { startedShape } from '../shapes/shapes.ts'
import { readBody } from './body.ts'

/** An enqueue of a text may name the queue to wait in; a start of one may not. */
export type Way = 'start' | 'enqueue'

const { startDag, enqueueDag, startInline, enqueueInline } = OPERATIONS

// D23: a `file` is never started over HTTP
/** Body of a start of a definition. Empty names and ids count as absent. @throws TroupeError bad_request */
export const startBody = async (ctx: RouterContext, engine: Engine): Promise<StartRequest> => {
  const { disableMaxActiveRuns, ...body } = await readBody(ctx, startDag.body)
  await mayGoBefore(ctx, engine, body.priority)
  return {
    ...body,
    ...keyOf(ctx, body),
    ...(await unlimitedBy(ctx, engine, disableMaxActiveRuns)),
    ...requestedBy(ctx)
  }
}

/** Body of an enqueue of a definition. @throws TroupeError bad_request */
export const enqueueBody = async (ctx: RouterContext, engine: Engine): Promise<StartRequest> => {
  const body = await readBody(ctx, enqueueDag.body)
  await mayGoBefore(ctx, engine, body.priority)
  return { ...body, ...keyOf(ctx, body), ...requestedBy(ctx) }
}

// D1795: a priority above that of the definition needs `write`
/** @throws TroupeError not_found, forbidden */
async function mayGoBefore(ctx: RouterContext, engine: Engine, priority: number | undefined): Promise<void> {
  if (priority === undefined) return
  const { plan } = engine.definition(ctx.params.fileName ?? '').definition
  if (priority > (plan?.priority ?? 0)) await mustAlso(engine, ctx, EDIT)
}

/** The key of the body, or of the header. @throws TroupeError bad_request: they differ, or that of the header is none */
function keyOf(
  { headers }: ParameterizedContext,
  { idempotencyKey: own }: { idempotencyKey?: string }
): Pick<StartRequest, 'idempotencyKey'> {
  const header = headers['idempotency-key']
  if (header === undefined) return {}
  const key = String(header)
  const problem = misfit(IdempotencyKey, key)
  refuse([
    problem && `header 'Idempotency-Key': ${problem}`,
    own !== undefined && own !== key
      ? "header 'Idempotency-Key': wanted the same as field 'idempotencyKey', or none"
      : undefined
  ])
  return { idempotencyKey: key }
}

/** Starts or enqueues, and answers. */
export async function answerStart(
  ctx: ParameterizedContext,
  engine: Engine,
  starting: Promise<Started>
): Promise<void> {
  const started = await starting
  if (started.replayed) ctx.set('Idempotent-Replayed', 'true')
  ctx.body = startedShape(engine, started)
}

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
  return { ...body, ...keyOf(ctx, body), ...requestedBy(ctx), by: callerOf(ctx) }
}
