/** Routes as a list: an application serves them over HTTP, a command calls them in its own process. */
import type Router from '@koa/router'
import type { RouterMiddleware } from '@koa/router'

export interface Route {
  /** No others. */
  methods: string[]
  /** Below the base path, as the router has it: `/dags/:fileName`. */
  path: string
  handle: RouterMiddleware
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
