/** Lets pages of listed origins call the API with credentials; origin.ts keeps all others out. Source: api-semantics 9.3. */
import type { Middleware } from 'koa'

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const HEADERS = 'Content-Type, Authorization, Content-Encoding, Accept, Last-Event-ID, X-Request-Id, Idempotency-Key'
/** Headers that a page may read; browsers hide all others. */
const EXPOSED = 'Engine-Run-Id, Idempotent-Replayed, Location, Retry-After, X-Request-Id'
const MAX_AGE_S = 300

// D305, D314: `cors.allowedOrigins` is empty by default and refuses `*`
export function cors(origins: ReadonlySet<string>): Middleware {
  if (origins.size === 0) return (_ctx, next) => next()
  return async (ctx, next) => {
    ctx.vary('Origin')
    const origin = ctx.get('Origin')
    if (!origins.has(origin)) return next()
    ctx.set('Access-Control-Allow-Origin', origin)
    ctx.set('Access-Control-Allow-Credentials', 'true')
    ctx.set('Access-Control-Expose-Headers', EXPOSED)
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next()
    ctx.set('Access-Control-Allow-Methods', METHODS)
    ctx.set('Access-Control-Allow-Headers', HEADERS)
    ctx.set('Access-Control-Max-Age', String(MAX_AGE_S))
    ctx.status = 204
  }
}
