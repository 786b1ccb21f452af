/** `/dag-runs/{name}/{dagRunId}/spec` and `/outputs`: definition and outputs of a run. Source: api-semantics 12. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'

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
    ctx.body = { outputs: Object.fromEntries(outputs) }
  })
}
