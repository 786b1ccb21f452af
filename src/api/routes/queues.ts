/** Queues, and what goes into and out of them. Source: http-api "Queues and workers", "Starting and queueing", api-semantics 3.7, 6.1. */
import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Engine, QueueView } from '../../engine.ts'
import { runSummary } from '../shapes.ts'
import { inlineBody, startBody } from '../start-body.ts'
import { type TimeText, timeTextIn } from '../time-text.ts'

export function queueRoutes(router: Router, engine: Engine): void {
  const time = timeTextIn(engine.config.tz)
  const evaluated = engine.config.evalParams ? { evaluateParams: true } : {}

  router.get('/queues', (ctx) => {
    const queues = engine.queues()
    ctx.body = { queues: queues.map((queue) => queueShape(queue, time)), summary: summaryOf(queues) }
  })

  router.post('/dags/:fileName/enqueue', async (ctx) => {
    const { fileName = '' } = ctx.params
    const { dagRunId } = await engine.enqueue({ fileName, ...(await startBody(ctx, 'enqueue')), ...evaluated })
    ctx.body = { dagRunId }
  })

  router.post('/dag-runs/enqueue', async (ctx) => {
    const { dagRunId } = await engine.enqueue({ ...(await inlineBody(ctx, 'enqueue')), ...evaluated })
    ctx.body = { dagRunId }
  })

  router.register('/dag-runs/:name/:dagRunId/dequeue', ['GET', 'POST', 'DELETE'], dequeue)

  async function dequeue(ctx: RouterContext): Promise<void> {
    const { name = '', dagRunId = '' } = ctx.params
    ctx.set('Cache-Control', 'no-store') // a GET that changes something must not be answered from a cache
    ctx.body = null
    if (ctx.method === 'HEAD') {
      ctx.set('Allow', 'GET, POST, DELETE')
      ctx.status = 405
      return
    }
    await engine.dequeue({ name, dagRunId })
    ctx.status = 200
  }
}

/** Rule A4: the arrays stand under the names of both releases. */
function queueShape({ name, maxConcurrency, running, queued }: QueueView, time: TimeText) {
  const runningDAGRuns = running.map((run) => runSummary(run, time))
  const queuedDAGRuns = queued.map((run) => runSummary(run, time))
  return {
    name,
    type: maxConcurrency === undefined ? 'dag-based' : 'custom',
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    summary: { running: running.length, queued: queued.length, total: running.length + queued.length },
    runningDAGRuns,
    queuedDAGRuns,
    running: runningDAGRuns,
    queued: queuedDAGRuns
  }
}

function summaryOf(queues: QueueView[]) {
  const sum = (read: (queue: QueueView) => number) => queues.reduce((total, queue) => total + read(queue), 0)
  const totalRunning = sum(({ running }) => running.length)
  const totalCapacity = sum(({ capacity }) => capacity)
  return {
    totalQueues: queues.length,
    totalRunning,
    totalQueued: sum(({ queued }) => queued.length),
    totalCapacity,
    utilizationPercentage: totalCapacity === 0 ? 0 : Math.round((totalRunning / totalCapacity) * 100)
  }
}
