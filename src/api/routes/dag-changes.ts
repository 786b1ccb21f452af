/** `/dags/{fileName}` beyond its text: deleted, renamed, suspended. Source: http-api "Definitions", api-semantics 3.3. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { mustEdit } from '../access/gate.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'

export function dagChangeRoutes(router: Router, engine: Engine): void {
  router.delete('/dags/:fileName', (ctx) => {
    engine.removeDefinition(ctx.params.fileName ?? '')
    ctx.status = 204
  })

  router.post('/dags/:fileName/rename', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { newFileName } = await readBody(ctx, OPERATIONS.renameDag.body)
    await mustEdit(engine, ctx, engine.spec(fileName), newFileName, newFileName)
    await engine.renameDefinition(fileName, newFileName)
    ctx.body = null
    ctx.status = 200
  })

  router.post('/dags/:fileName/suspend', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { suspend } = await readBody(ctx, OPERATIONS.suspendDag.body)
    engine.suspendDefinition(fileName, suspend)
    ctx.body = null
    ctx.status = 200
  })
}
