/** The server's own parts. Source: http-api "System", "Queues and workers"; api-semantics 3.1, 7.1, 10.1. */
import { hostname } from 'node:os'
import type Router from '@koa/router'
import type { Engine, Health, ResourceSample } from '../../engine/engine.ts'
import type { Shape } from '../../schema/schema.ts'
import { seenMetrics, seenWorkers } from '../access/seen.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { Resources, Scheduler } from '../contract/service-shapes.ts'
import { readBody } from '../input/body.ts'
import { durationOf } from '../input/duration.ts'
import { readQuery } from '../input/query.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AnsweredListeners } from '../rules/answered.ts'
import { noFault } from '../rules/error-body.ts'
import { requestIdOf } from '../rules/request-id.ts'
import { coordinatorsShape, workerShape, workersShape } from '../shapes/home/worker-shapes.ts'
import { type TimeText, timeTextOf } from '../shapes/time-text.ts'

const HOUR_MS = 3_600_000

/** @param closing ends the metrics @param answered who is told of requests: the metrics join them */
export function serviceRoutes(router: Router, engine: Engine, closing: AbortSignal, answered: AnsweredListeners): void {
  const time = timeTextOf(engine.config)
  let metrics: Promise<Metrics> | undefined

  router.get('/services/scheduler', async (ctx) => {
    ctx.body = schedulersShape(await engine.health(), hostname(), process.pid, time)
  })

  router.get('/services/coordinator', async (ctx) => {
    ctx.body = coordinatorsShape(await engine.bus(), time)
  })

  router.get('/workers', async (ctx) => {
    noFault(ctx)
    ctx.body = workersShape(await seenWorkers(ctx, await engine.workers()), time)
  })

  router.post('/workers/:workerId/drain', async (ctx) => {
    const { workerId = '' } = ctx.params
    const request = await readBody(ctx, OPERATIONS.drainWorker.body)
    ctx.body = workerShape(await engine.drainWorker(workerId, { ...request, requestId: requestIdOf(ctx) ?? '' }), time)
  })

  router.get('/services/resources/history', (ctx) => {
    const { duration = '' } = readQuery(ctx, OPERATIONS.getResources.query)
    ctx.body = resourcesShape(engine.resources(durationOf(duration) ?? HOUR_MS))
  })

  router.get('/metrics', async (ctx) => {
    metrics ??= open()
    const { contentType, text } = await metrics
    ctx.body = await seenMetrics(ctx, engine, await text())
    ctx.set('Content-Type', contentType)
  })

  async function open(): Promise<Metrics> {
    const { openMetrics } = await import('../metrics/metrics.ts')
    const opened = await openMetrics(engine, answered)
    if (closing.aborted) opened.close()
    else closing.addEventListener('abort', opened.close, { once: true })
    return opened
  }
}

/** @param host name of the machine @param pid of the process that schedules */
const schedulersShape = (
  { scheduling, startedAt }: Health,
  host: string,
  pid: number,
  time: TimeText
): { schedulers: Shape<typeof Scheduler>[] } => ({
  schedulers: [
    {
      instanceId: `${host}-${pid}-${Math.floor(startedAt / 1_000)}`,
      host,
      status: scheduling ? 'active' : 'inactive',
      startedAt: time(startedAt)
    }
  ]
})

const resourcesShape = (samples: readonly ResourceSample[]): Shape<typeof Resources> => ({
  cpu: series(samples, ({ cpu }) => cpu),
  memory: series(samples, ({ memory }) => memory),
  disk: series(samples, ({ disk }) => disk),
  load: series(samples, ({ load }) => load)
})

const series = (samples: readonly ResourceSample[], read: (sample: ResourceSample) => number | undefined) =>
  samples.flatMap((sample) => {
    const value = read(sample)
    return value === undefined ? [] : [{ timestamp: Math.floor(sample.at / 1_000), value }]
  })
