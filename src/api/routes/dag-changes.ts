/** `/dags/{fileName}` beyond its text: deleted, renamed, suspended. Source: http-api "Definitions", api-semantics 3.3. */
import type Router from '@koa/router'
import type { Engine } from '../../engine.ts'
import { TroupeError } from '../../errors.ts'
import { readBody } from '../body.ts'
import { refuse } from '../error-body.ts'
import { newFileNameProblem } from '../names.ts'

export function dagChangeRoutes(router: Router, engine: Engine): void {
  router.delete('/dags/:fileName', (ctx) => {
    engine.removeDefinition(ctx.params.fileName ?? '')
    ctx.status = 204
  })

  router.post('/dags/:fileName/rename', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { newFileName } = await readBody(ctx, { newFileName: 'string' })
    if (newFileName === undefined) throw new TroupeError('bad_request', "field 'newFileName': required")
    refuse([newFileNameProblem('newFileName', newFileName)])
    await engine.renameDefinition(fileName, newFileName)
    ctx.body = null
    ctx.status = 200
  })

  router.post('/dags/:fileName/suspend', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { suspend } = await readBody(ctx, { suspend: 'boolean' })
    if (suspend === undefined) throw new TroupeError('bad_request', "field 'suspend': required")
    engine.suspendDefinition(fileName, suspend)
    ctx.body = null
    ctx.status = 200
  })
}
