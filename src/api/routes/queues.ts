/** Queues: list, enqueue, dequeue. Source: http-api "Queues and workers", "Starting and queueing", api-semantics 3.7, 6.1. */
import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { mustEdit, mustRunAs } from '../access/gate.ts'
import { seenQueues } from '../access/seen.ts'
import { answerStart, enqueueBody, inlineBody } from '../input/start-body.ts'
import { answerQueues } from '../shapes/queue-list.ts'
import { rowsFor } from '../shapes/run-rows.ts'
import { timeTextOf } from '../shapes/time-text.ts'

export function queueRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)
  const evaluated = engine.config.evalParams ? { evaluateParams: true } : {}

  router.get('/queues', async (ctx) =>
    answerQueues(ctx, await seenQueues(ctx, await engine.readQueues()), await rowsFor(ctx, engine, time))
  )

  router.post('/dags/:fileName/enqueue', async (ctx) => {
    const { fileName = '' } = ctx.params
    const asked = await enqueueBody(ctx, engine)
    await mustRunAs(ctx, asked.dagName)
    await answerStart(ctx, engine, engine.enqueue({ fileName, ...asked, ...evaluated }))
  })

  router.post('/dag-runs/enqueue', async (ctx) => {
    const asked = await inlineBody(ctx, 'enqueue')
    await mustEdit(engine, ctx, asked.spec, asked.name ?? '')
    await answerStart(ctx, engine, engine.enqueue({ ...asked, ...evaluated }))
  })

  // This GET changes something, which HEAD must not.
  router.register('/dag-runs/:name/:dagRunId/dequeue', ['GET', 'POST', 'DELETE'], dequeue)

  async function dequeue(ctx: RouterContext): Promise<void> {
    const { name = '', dagRunId = '' } = ctx.params
    ctx.set('Cache-Control', 'no-store') // a GET that changes something must not be answered from a cache
    ctx.body = null
    await engine.dequeue({ name, dagRunId })
    ctx.status = 200
  }
}
