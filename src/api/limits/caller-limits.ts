/** Holds callers to `limits.callers`: requests, starts, runs at the same time, streams. Source: docs/operating/limits.md "Callers". */
import type { Middleware, ParameterizedContext } from 'koa'
import type { Clock } from '../../clock.ts'
import { type Limits, limitsOf, type Rate, type Role } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { ShareTaken } from '../../errors.ts'
import { sightOf } from '../access/sight.ts'
import { type AccessState, anyone, passerBy, requestedBy, sharerOf } from '../auth/principal.ts'
import { PUBLIC_PATHS } from '../contract/operations.ts'
import { NAMELESS, type OpenRuns, openRuns } from './open-runs.ts'

export interface HeldCallers {
  /** Counts each request of the API. @throws ShareTaken */
  requests: Middleware
  /** Counts a start. @throws ShareTaken */
  starting(ctx: ParameterizedContext): void
  /** How many streams the caller may have. */
  streams(ctx: ParameterizedContext): { most: number; by: string } | undefined
}

/** Nobody can say when one of the runs ends. */
const BUSY_SEC = 5
/** Kinds of callers whose limits are remembered. */
const MOST_KINDS = 1_000

// D1470, D1471: limits of a caller are 429 `service_unavailable`, by name, role, or everyone
/**
 * Undefined: nobody is limited, and nothing is counted.
 * @param apis paths at which the API begins @param ended ends the counting of runs
 */
export function heldCallers(
  engine: Engine,
  clock: Clock,
  { apis, ended }: { apis: readonly string[]; ended: AbortSignal }
): HeldCallers | undefined {
  const { callerLimits } = engine.config
  if (callerLimits.length === 0) return undefined
  const kinds = new Map<string, Limits>()
  const requests = openBuckets(clock)
  const starts = openBuckets(clock)
  const areRunsLimited = callerLimits.some(({ runs: most }) => typeof most === 'number')
  const open: OpenRuns | undefined = areRunsLimited ? openRuns(engine, ended) : undefined

  function ofCaller(ctx: ParameterizedContext): Limits {
    const { principal = anyone }: AccessState = ctx.state
    if (principal === passerBy) return {}
    const role = roleOf(ctx)
    const who = ['everyone', ...(principal.who ?? [])]
    const kind = JSON.stringify([role, who])
    const found = kinds.get(kind) ?? limitsOf(callerLimits, who, role)
    if (kinds.size >= MOST_KINDS) kinds.clear()
    kinds.set(kind, found)
    return found
  }

  const roleOf = (ctx: ParameterizedContext): Role => sightOf(ctx).rights.server.role
  const isCounted = ({ path }: ParameterizedContext) =>
    apis.some(
      (api) =>
        path.startsWith(`${api}/`) &&
        !(path.startsWith(`${api}/health`) && PUBLIC_PATHS.includes(path.slice(api.length)))
    )

  return {
    requests(ctx, next) {
      if (!isCounted(ctx)) return next()
      const { requests: rate, burst } = ofCaller(ctx)
      if (rate !== undefined && rate !== 'none')
        spend(requests.take(sharerOf(ctx), bucketOf(rate, burst)), 'requests', rate)
      return next()
    },
    starting(ctx) {
      const { starts: rate, runs: most } = ofCaller(ctx)
      if (open && typeof most === 'number') {
        const { by = NAMELESS, requestId = '' } = requestedBy(ctx)
        const count = open.of(by, most)
        if (count >= most)
          throw new ShareTaken(
            `${count} runs that you have started wait or run, and limits.callers allows you ${most}: ask again when one has ended`,
            { retryAfter: BUSY_SEC, details: { limit: 'runs', allowed: most } }
          )
        const { release } = open.expect(by, requestId)
        ctx.res.once('close', release)
      }
      if (rate !== undefined && rate !== 'none') spend(starts.take(sharerOf(ctx), bucketOf(rate)), 'starts', rate)
    },
    streams(ctx) {
      const { streams: most } = ofCaller(ctx)
      return typeof most === 'number' ? { most, by: 'limits.callers' } : undefined
    }
  }
}

const bucketOf = ({ count, perMs }: Rate, burst?: Limits['burst']) => ({
  burst: typeof burst === 'number' ? burst : count,
  perMs: count / perMs
})

/** @param wait seconds @throws ShareTaken unless it is 0 */
function spend(wait: number, limit: 'requests' | 'starts', { text }: Rate): void {
  if (wait === 0) return
  throw new ShareTaken(`too many ${limit}: limits.callers allows you ${text}, try again in ${wait} s`, {
    retryAfter: wait,
    details: { limit, allowed: text }
  })
}

/** Token buckets, one for each caller: they fill evenly and start full. Those that are full again are forgotten. */
interface Allowance {
  /** What one holds. */
  burst: number
  /** Tokens per ms. */
  perMs: number
}

/** The one that was used longest ago goes first, and is full when its caller comes back. */
const MOST = 10_000
/** Looked at each time, so that what is full again goes without a walk over all. */
const SWEPT = 2

// D1471: rates are token buckets in memory, 10,000 at most
export function openBuckets(clock: Pick<Clock, 'elapsed'>, most = MOST) {
  /** In the order of their use. */
  const known = new Map<string, { tokens: number; at: number; fullAt: number }>()

  function sweep(now: number): void {
    let looked = 0
    for (const [caller, { fullAt }] of known) {
      if (looked++ === SWEPT || (fullAt > now && known.size <= most)) return
      known.delete(caller)
    }
  }

  return {
    /** Takes one token. Returns the seconds until there is one; 0: it was taken. */
    take(caller: string, { burst, perMs }: Allowance): number {
      const now = clock.elapsed()
      const found = known.get(caller)
      const filled = found ? Math.min(burst, found.tokens + (now - found.at) * perMs) : burst
      const wait = filled >= 1 ? 0 : Math.max(1, Math.ceil((1 - filled) / perMs / 1_000))
      const tokens = wait === 0 ? filled - 1 : filled
      known.delete(caller)
      known.set(caller, { tokens, at: now, fullAt: now + (burst - tokens) / perMs })
      sweep(now)
      return wait
    },
    /** How many are remembered. */
    get size(): number {
      return known.size
    }
  }
}
