/** `/dag-runs/{name}/{dagRunId}/spec` and `/outputs`: definition and outputs of a run. Source: api-semantics 12. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { resultOf } from '../../engine/views/run-result.ts'
import { TroupeError } from '../../errors.ts'
import { mustRunAs } from '../access/gate.ts'
import { requestedBy } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'
import { unlimitedBy } from '../input/start-body.ts'
import { answerWith } from '../rules/error-body.ts'

export function runPartRoutes(router: Router, engine: Engine): void {
  router.get('/dag-runs/:name/:dagRunId/spec', (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const spec = engine.runSpec({ name, dagRunId })
    if (spec === undefined) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    ctx.body = { spec }
  })

  router.get('/dag-runs/:name/:dagRunId/outputs', (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    const outputs = view.nodes.flatMap(({ step, node }) =>
      step.output === undefined || node.output === undefined ? [] : [[step.output, node.output] as const]
    )
    const result = resultOf(view)
    ctx.body = { outputs: Object.fromEntries(outputs), ...(result === undefined ? {} : { result }) }
  })
}

/** `/dag-runs/{name}/{dagRunId}/retry` and `/reschedule`. Source: http-api "Runs (global)", api-semantics 4.7, 4.8. */
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
