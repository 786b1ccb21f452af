/** `/dag-runs/{name}/{dagRunId}/retry` and `/reschedule`. Source: http-api "Runs (global)", api-semantics 4.7, 4.8. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { mustRunAs } from '../access/gate.ts'
import { requestedBy } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'
import { unlimitedBy } from '../input/start-body.ts'
import { answerWith } from '../rules/error-body.ts'

export function runAgainRoutes(router: Router, engine: Engine): void {
  router.post('/dag-runs/:name/:dagRunId/retry', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const { disableMaxActiveRuns, ...names } = await readBody(ctx, OPERATIONS.retryRun.body)
    const unlimited = await unlimitedBy(ctx, engine, disableMaxActiveRuns)
    answerWith(ctx, 'already_running', OPERATIONS.retryRun.errorStatus.already_running)
    const run = await engine.retry({ name, dagRunId }, { ...names, ...unlimited, ...requestedBy(ctx) })
    ctx.set('Engine-Run-Id', run.dagRunId)
    ctx.body = null
    ctx.status = 200
  })

  router.post('/dag-runs/:name/:dagRunId/reschedule', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const { disableMaxActiveRuns, ...names } = await readBody(ctx, OPERATIONS.rescheduleRun.body)
    await mustRunAs(ctx, names.dagName)
    const unlimited = await unlimitedBy(ctx, engine, disableMaxActiveRuns)
    const run = await engine.reschedule({ name, dagRunId }, { ...names, ...unlimited, ...requestedBy(ctx) })
    ctx.body = { dagRunId: run.dagRunId, queued: engine.record(run)?.status === 'queued' }
  })
}
