/** `/dags/{fileName}/params` and `/dag-runs/{name}/{dagRunId}/params`: what a form for a start is made of. Source: http-api "Starting and stopping". */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { paramForm } from '../../engine/views/param-form.ts'
import { TroupeError } from '../../errors.ts'
import { permittedTo } from '../auth/permissions.ts'
import { type AccessState, anyone } from '../auth/principal.ts'

export function paramRoutes(router: Router, engine: Engine, clock: Clock): void {
  /** A schema is read by the server, from its files or from the web: for those who could start the run that reads it. */
  const mayRun = ({ state }: ParameterizedContext<AccessState>) =>
    permittedTo(state.principal ?? anyone, engine.config.permissions).includes('run')

  router.get('/dags/:fileName/params', async (ctx) => {
    const { definition } = engine.definition(ctx.params.fileName ?? '')
    ctx.body = await paramForm(definition.outline.params, definition.plan, { clock, reads: mayRun(ctx) })
  })

  router.get('/dag-runs/:name/:dagRunId/params', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    ctx.body = await paramForm(view.run.params, view.plan, { clock, reads: mayRun(ctx) })
  })
}
