/** `/health`, of both versions, and beside it what a supervisor and a load balancer ask. Source: http-api "System", api-semantics 3.1. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { timeTextOf } from '../shapes/time-text.ts'

export function systemRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/health', async (ctx) => {
    const { healthy, error, version, startedAt, now } = await engine.health()
    ctx.body = {
      status: healthy ? 'healthy' : 'unhealthy',
      version,
      uptime: Math.floor((now - startedAt) / 1_000),
      timestamp: time(now),
      ...(healthy ? {} : { error: error || 'unhealthy' })
    }
    ctx.status = healthy ? 200 : 503
  })
}

// D1410, D1411: `/health/ready` has one reason, and `/health` stays as it was
/** @param closing the server takes no new requests any more */
export function probeRoutes(router: Router, engine: Engine, closing: AbortSignal): void {
  router.get('/health/live', async (ctx) => {
    const { dead } = await engine.health()
    ctx.status = dead === undefined ? 200 : 503
    ctx.body = dead === undefined ? { status: 'live' } : { status: 'dead', error: dead }
  })

  router.get('/health/ready', async (ctx) => {
    const unready = closing.aborted
      ? { reason: 'closing', error: 'the server is closing' }
      : (await engine.health()).unready
    ctx.status = unready ? 503 : 200
    ctx.body = unready ? { status: 'unready', ...unready } : { status: 'ready' }
  })
}
