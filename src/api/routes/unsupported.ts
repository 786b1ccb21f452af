/** Documented paths that come with later releases: refused by name, so that no client takes silence for success. */
import type Router from '@koa/router'
import { TroupeError } from '../../errors.ts'

/** Paths below the base path of the API. Source: http-api "Endpoints"; api-semantics 8, 12. */
const LATER = `
GET    /dag-runs/{name}/{dagRunId}/statechart`

export function unsupportedRoutes(router: Router): void {
  for (const [, method = '', template = ''] of LATER.matchAll(/^(\w+) +(\S+)$/gm)) {
    router.register(template.replace(/\{(\w+)\}/g, ':$1'), [method], () => {
      throw new TroupeError('not_found', `not supported yet: ${method} ${template}`)
    })
  }
}
