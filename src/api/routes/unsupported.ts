/** Documented paths that come with later releases: refused by name, so that no client takes silence for success. */
import type Router from '@koa/router'
import { TroupeError } from '../../errors.ts'

/** Paths below the base path of the API. Source: http-api "Endpoints"; api-semantics 8, 12. */
const LATER = `
GET    /dag-runs/{name}/{dagRunId}/statechart`

/** Paths below `/api/v1`. Source: api-semantics 9.4. */
const LATER_V1 = `
GET    /health
GET    /dags
POST   /dags
GET    /dags/{name}
POST   /dags/{name}
DELETE /dags/{name}
GET    /search
GET    /tags`

export const unsupportedRoutes = (router: Router): void => refuseAll(router, LATER, '')

export const unsupportedV1Routes = (router: Router): void => refuseAll(router, LATER_V1, '/api/v1')

/** @param shown what stands before the path in the message */
function refuseAll(router: Router, table: string, shown: string): void {
  for (const [, method = '', template = ''] of table.matchAll(/^(\w+) +(\S+)$/gm)) {
    router.register(template.replace(/\{(\w+)\}/g, ':$1'), [method], () => {
      throw new TroupeError('not_found', `not supported yet: ${method} ${shown}${template}`)
    })
  }
}
