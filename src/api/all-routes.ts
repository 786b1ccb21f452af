/** The routes of the API as a list. */
import type { Middleware } from 'koa'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import { NO_ROLES, sights } from './access/sight.ts'
import type { SessionList } from './auth/sign-in.ts'
import { streamPlaces } from './event-stream.ts'
import type { Places } from './places.ts'
import { remoteNodeRoutes } from './remote/forward.ts'
import { keyRoutes } from './routes/access/keys.ts'
import { sessionRoutes } from './routes/access/sessions.ts'
import { calendarRoutes } from './routes/calendar/calendar.ts'
import { periodRoutes } from './routes/calendar/period.ts'
import { comparisonRoutes } from './routes/comparisons.ts'
import { contractRoutes } from './routes/contract.ts'
import { dagChangeRoutes } from './routes/dag-changes.ts'
import { dagHistoryRoutes, versionRoutes } from './routes/dag-history.ts'
import { dagRunRoutes } from './routes/dag-runs.ts'
import { dagSearchRoutes } from './routes/dag-search.ts'
import { dagRoutes } from './routes/dags.ts'
import { eventRoutes } from './routes/events.ts'
import { factRoutes } from './routes/facts.ts'
import { auditRoutes } from './routes/home/audit.ts'
import { backupRoutes } from './routes/home/backup.ts'
import { deliveryRoutes } from './routes/home/deliveries.ts'
import { homeRoutes } from './routes/home/home.ts'
import { logRoutes } from './routes/logs.ts'
import { mergedLogRoutes } from './routes/merged-logs.ts'
import { paramRoutes } from './routes/params.ts'
import { queueRoutes } from './routes/queues.ts'
import { runAgainRoutes, runPartRoutes } from './routes/run-parts.ts'
import { serviceRoutes } from './routes/services.ts'
import { stepRoutes } from './routes/steps.ts'
import { subRunRoutes } from './routes/sub-runs.ts'
import { probeRoutes, systemRoutes } from './routes/system.ts'
import { waitRoutes } from './routes/waits.ts'
import { type Route, routesIn } from './routes-in.ts'
import type { AnsweredListeners } from './rules/answered.ts'
import { type SeenCatalogue, seenCatalogueOf } from './shapes/seen-catalogue.ts'

export interface Surroundings {
  /** Path at which the API begins. */
  base: string
  clock: Clock
  /** Ends open streams. */
  ended: AbortSignal
  listeners: AnsweredListeners
  sessions: SessionList | undefined
  places: Places
  catalogue: SeenCatalogue
}

export const allRoutes = (
  engine: Engine,
  { base, clock, ended, listeners, sessions, places, catalogue }: Surroundings
): Route[] =>
  routesIn((router) => {
    contractRoutes(router, engine, base)
    systemRoutes(router, engine)
    probeRoutes(router, engine, ended)
    remoteNodeRoutes(router, engine.config.remoteNodes)
    serviceRoutes(router, engine, ended, listeners)
    homeRoutes(router, engine, ended, clock)
    backupRoutes(router, engine, ended)
    deliveryRoutes(router, engine)
    keyRoutes(router, engine)
    sessionRoutes(router, engine, sessions)
    auditRoutes(router, engine)
    eventRoutes(router, engine, ended, places)
    factRoutes(router, engine)
    // Before the routes with a parameter in the same position: `/dags/search` is not a definition.
    dagSearchRoutes(router, engine, catalogue)
    dagRoutes(router, engine, catalogue)
    dagChangeRoutes(router, engine)
    versionRoutes(router, engine)
    paramRoutes(router, engine, clock)
    dagHistoryRoutes(router, engine)
    comparisonRoutes(router, engine)
    calendarRoutes(router, engine, catalogue)
    periodRoutes(router, engine, catalogue)
    dagRunRoutes(router, engine)
    runAgainRoutes(router, engine)
    runPartRoutes(router, engine)
    queueRoutes(router, engine)
    subRunRoutes(router, engine)
    stepRoutes(router, engine)
    waitRoutes(router, engine)
    logRoutes(router, engine)
    mergedLogRoutes(router, engine)
  })

/** For a command in the engine's process, and what says that it may see everything. */
export function trustedRoutes(engine: Engine, clock: Clock): { routes: Route[]; sees: Middleware[] } {
  const { basePath, apiBasePath } = engine.config
  const served = {
    base: basePath + apiBasePath,
    clock,
    ended: engine.closing,
    listeners: new Set<never>(),
    sessions: undefined,
    places: streamPlaces(),
    catalogue: seenCatalogueOf(engine)
  }
  return { routes: allRoutes(engine, served), sees: [sights(engine, NO_ROLES)] }
}
