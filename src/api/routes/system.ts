/** `/health`, of both versions. Source: http-api "System", api-semantics 3.1. */
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
