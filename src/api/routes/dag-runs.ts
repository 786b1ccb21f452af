/** `/dag-runs...` without logs: runs of all DAGs. Source: http-api "Runs (global)", api-semantics 3.6, 3.7, 3.11. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Engine, RunFilter } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { mustEdit } from '../access/gate.ts'
import { seenParts } from '../access/seen.ts'
import { requestedBy } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'
import { runsAfter } from '../input/pages.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import { answerStart, inlineBody } from '../input/start-body.ts'
import { answerRuns } from '../shapes/run-list.ts'
import { rowsFor } from '../shapes/run-rows.ts'
import { runAnswer } from '../shapes/shapes.ts'
import { shapeSteps } from '../shapes/step-shape.ts'
import { timeTextOf } from '../shapes/time-text.ts'

/** The last instant a date can have, epoch ms. */
const LAST_INSTANT_MS = 8.64e15

export function dagRunRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)
  const { evalParams, defaultRunWindowMs: window } = engine.config
  const evaluated = evalParams ? { evaluateParams: true } : {}

  router.get('/dag-runs', (ctx) => list(ctx))

  router.post('/dag-runs', async (ctx) => {
    const asked = await inlineBody(ctx)
    await mustEdit(engine, ctx, asked.spec, asked.name ?? '')
    await answerStart(ctx, engine, engine.start({ ...asked, ...evaluated }))
  })

  router.get('/dag-runs/:name', (ctx) => list(ctx, ctx.params.name))

  router.get('/dag-runs/:name/:dagRunId', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    await shapeSteps(view.plan.steps)
    ctx.body = runAnswer(view, time)
  })

  router.post('/dag-runs/:name/:dagRunId/stop', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    await engine.stop({ name, dagRunId }, { ...(await readBody(ctx, OPERATIONS.stopRun.body)), ...requestedBy(ctx) })
    ctx.body = null
    ctx.status = 200
  })

  /** @param name exact name of the only DAG to list */
  async function list(ctx: ParameterizedContext, name?: string): Promise<void> {
    const query = readQuery(ctx, OPERATIONS.listRuns.query)
    const filter: RunFilter = {
      ...(name === undefined ? (query.name === undefined ? {} : { nameContains: query.name }) : { name }),
      ...(query.status.length === 0 ? {} : { status: query.status.flatMap((status) => RUN_STATUSES[status] ?? []) }),
      ...(query.waitingFor.length === 0 ? {} : { waitingFor: query.waitingFor }),
      ...(query.fromDate === undefined ? {} : { from: instant(query.fromDate) }),
      ...(window > 0 && query.fromDate === undefined && query.toDate === undefined
        ? { from: engine.now() - window }
        : {}),
      ...(query.toDate === undefined ? {} : { to: instant(query.toDate) }),
      ...(query.dagRunId === undefined ? {} : { idContains: query.dagRunId }),
      ...(query.trigger.length === 0 ? {} : { trigger: query.trigger }),
      ...(query.by === undefined ? {} : { byContains: query.by }),
      ...(query.params === undefined ? {} : { paramContains: query.params }),
      ...(query.tag.length === 0 ? {} : { tags: query.tag.map((tag) => tag.trim().toLowerCase()) })
    }
    const { from = 0, to = LAST_INSTANT_MS } = filter
    const limit = wantedNumber(query.limit)
    const paged = limit !== undefined || query.cursor !== undefined
    const seen = await seenParts(ctx, engine)
    const summary = await rowsFor(ctx, engine, time)
    if (from >= to) ctx.body = { dagRuns: [], ...(paged ? { nextCursor: null } : {}) }
    else if (paged) {
      const { page, nextCursor } = await runsAfter(seen, filter, limit ?? DEFAULT_LIMIT, query.cursor)
      ctx.body = { dagRuns: page.map(summary), nextCursor }
    } else await answerRuns(ctx, seen, filter, summary)
  }
}

/** Runs behind a cursor that came without a limit. */
const DEFAULT_LIMIT = 1_000

/** Epoch ms of Unix seconds. */
const instant = (seconds: number) => Math.min(Math.max(0, seconds * 1_000), LAST_INSTANT_MS)
