/** `/dag-runs/{name}/{dagRunId}/retry` and `/reschedule`. Source: http-api "Runs (global)", api-semantics 4.7, 4.8. */
import type Router from '@koa/router'
import type { Engine } from '../../engine.ts'
import { readBody } from '../body.ts'
import { answerWith, refuse } from '../error-body.ts'
import { nameProblem, runIdProblem } from '../names.ts'

export function runAgainRoutes(router: Router, engine: Engine): void {
  router.post('/dag-runs/:name/:dagRunId/retry', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const { dagRunId: newId = '', stepName = '' } = await readBody(ctx, { dagRunId: 'string', stepName: 'string' })
    refuse([newId === '' ? undefined : runIdProblem('dagRunId', newId)])
    answerWith(ctx, 'already_running', 400)
    const run = await engine.retry(
      { name, dagRunId },
      { ...(newId === '' ? {} : { dagRunId: newId }), ...(stepName === '' ? {} : { stepName }) }
    )
    ctx.set('Engine-Run-Id', run.dagRunId)
    ctx.body = null
    ctx.status = 200
  })

  router.post('/dag-runs/:name/:dagRunId/reschedule', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const body = await readBody(ctx, { dagRunId: 'string', dagName: 'string' })
    const newId = body.dagRunId ?? ''
    const dagName = body.dagName?.trim() ?? ''
    refuse([
      dagName === '' ? undefined : nameProblem('dagName', dagName),
      newId === '' ? undefined : runIdProblem('dagRunId', newId)
    ])
    const run = await engine.reschedule(
      { name, dagRunId },
      { ...(newId === '' ? {} : { dagRunId: newId }), ...(dagName === '' ? {} : { dagName }) }
    )
    ctx.body = { dagRunId: run.dagRunId, queued: engine.record(run)?.status === 'queued' }
  })
}
