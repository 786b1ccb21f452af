/** The routes of the API as a list: an application serves them over HTTP, a command calls them in its own process. */
import type Router from '@koa/router'
import type { RouterMiddleware } from '@koa/router'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { SessionList } from './auth/sign-in.ts'
import type { Places } from './places.ts'
import { remoteNodeRoutes } from './remote/forward.ts'
import { keyRoutes } from './routes/access/keys.ts'
import { sessionRoutes } from './routes/access/sessions.ts'
import { calendarRoutes } from './routes/calendar/calendar.ts'
import { comparisonRoutes } from './routes/comparisons.ts'
import { contractRoutes } from './routes/contract.ts'
import { dagChangeRoutes } from './routes/dag-changes.ts'
import { dagHistoryRoutes } from './routes/dag-history.ts'
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
import { runAgainRoutes } from './routes/run-again.ts'
import { runPartRoutes } from './routes/run-parts.ts'
import { serviceRoutes } from './routes/services.ts'
import { stepRoutes } from './routes/steps.ts'
import { subRunRoutes } from './routes/sub-runs.ts'
import { probeRoutes, systemRoutes } from './routes/system.ts'
import { versionRoutes } from './routes/versions/versions.ts'
import { waitRoutes } from './routes/waits.ts'
import type { AnsweredListeners } from './rules/answered.ts'
import type { SeenCatalogue } from './shapes/seen-catalogue.ts'

export interface Route {
  /** No others. */
  methods: string[]
  /** Below the base path, as the router has it: `/dags/:fileName`. */
  path: string
  handle: RouterMiddleware
}

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

/** What `register` adds to a router. */
export function routesIn(register: (router: Router) => void): Route[] {
  const routes: Route[] = []
  const add = (path: string, methods: string[], handle: RouterMiddleware) => void routes.push({ methods, path, handle })
  const by =
    (...methods: string[]) =>
    (path: string, handle: RouterMiddleware) =>
      add(path, methods, handle)
  const router: object = {
    register: add,
    get: by('HEAD', 'GET'),
    post: by('POST'),
    put: by('PUT'),
    patch: by('PATCH'),
    delete: by('DELETE')
  }
  register(router as Router) // routes use nothing else of one
  return routes
}

/** Serves them below `base`; a router with a prefix would compile each path twice. */
export function addTo(router: Router, base: string, routes: readonly Route[]): void {
  // The router accepts HEAD wherever it accepts GET.
  for (const { methods, path, handle } of routes) router.register(base + path, methods, handle).methods = methods
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
