/** `/dags/{fileName}/params` and `/dag-runs/{name}/{dagRunId}/params`: what a form for a start is made of. Source: http-api "Starting and stopping". */
import type Router from '@koa/router'
import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { paramForm } from '../../engine/views/param-form.ts'
import { TroupeError } from '../../errors.ts'

export function paramRoutes(router: Router, engine: Engine, clock: Clock): void {
  router.get('/dags/:fileName/params', async (ctx) => {
    const { definition } = engine.definition(ctx.params.fileName ?? '')
    ctx.body = await paramForm(definition.outline.params, definition.plan, clock)
  })

  router.get('/dag-runs/:name/:dagRunId/params', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    ctx.body = await paramForm(view.run.params, view.plan, clock)
  })
}
