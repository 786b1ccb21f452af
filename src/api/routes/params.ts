/** `params` and `outline` of a definition or run: what a start needs, and what it would do. Source: http-api "Starting and stopping". */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { outlineOf, outlineWith } from '../../definition/dag/outline.ts'
import type { Engine } from '../../engine/engine.ts'
import { paramForm } from '../../engine/views/param-form.ts'
import { TroupeError } from '../../errors.ts'
import { allowedTo } from '../access/allowed.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery } from '../input/query.ts'
import { dagNameOf } from '../shapes/dag-names.ts'
import { errorsOf } from '../shapes/dag-shapes.ts'

export function paramRoutes(router: Router, engine: Engine, clock: Clock): void {
  /** A schema is read by the server, from its files or from the web: for those who could start the run that reads it. */
  const mayRun = async (ctx: ParameterizedContext, about: string | RunKey) =>
    (await allowedTo(ctx, engine.config, about)).permissions.includes('run')

  const known = ({ name = '', dagRunId = '' }: Record<string, string>) => {
    const view = engine.run({ name, dagRunId })
    if (view) return view
    throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
  }

  router.get('/dags/:fileName/params', async (ctx) => {
    const stored = engine.definition(ctx.params.fileName ?? '')
    const { outline, plan } = stored.definition
    ctx.body = await paramForm(outline.params, plan, { clock, reads: await mayRun(ctx, dagNameOf(stored)) })
  })

  router.get('/dag-runs/:name/:dagRunId/params', async (ctx) => {
    const { run, plan } = known(ctx.params)
    ctx.body = await paramForm(run.params, plan, { clock, reads: await mayRun(ctx, run) })
  })

  router.get('/dags/:fileName/outline', (ctx) => {
    const { params = '', name } = readQuery(ctx, OPERATIONS.getDagOutline.query)
    const { definition } = engine.definition(ctx.params.fileName ?? '')
    const errors = errorsOf(definition)
    if (!definition.plan)
      throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
    ctx.body = outlineOf(name === undefined ? definition.plan : { ...definition.plan, name }, params)
  })

  router.get('/dag-runs/:name/:dagRunId/outline', (ctx) => {
    const { run, plan } = known(ctx.params)
    ctx.body = outlineWith({ ...plan, name: run.name }, run.params)
  })
}
