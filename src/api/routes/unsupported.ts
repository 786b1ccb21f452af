/** Documented paths that come with later releases: refused by name, so that no client takes silence for success. */
import type Router from '@koa/router'
import { TroupeError } from '../../errors.ts'

/** Paths below the base path of the API. Source: http-api "Endpoints"; api-semantics A1, 3.1, 8, 12. */
const LATER = `
GET    /metrics
GET    /services/resources/history
GET    /services/scheduler
GET    /services/coordinator
GET    /remote-nodes
GET    /events
GET    /queues
GET    /workers
GET    /dags/search
GET    /dags/tags
DELETE /dags/{fileName}
POST   /dags/{fileName}/rename
POST   /dags/{fileName}/suspend
POST   /dags/{fileName}/enqueue
POST   /dags/{fileName}/stop-all
GET    /dags/{fileName}/dag-runs
POST   /dag-runs/enqueue
POST   /dag-runs/{name}/{dagRunId}/retry
POST   /dag-runs/{name}/{dagRunId}/reschedule
GET    /dag-runs/{name}/{dagRunId}/dequeue
POST   /dag-runs/{name}/{dagRunId}/dequeue
DELETE /dag-runs/{name}/{dagRunId}/dequeue
GET    /dag-runs/{name}/{dagRunId}/spec
GET    /dag-runs/{name}/{dagRunId}/outputs
GET    /dag-runs/{name}/{dagRunId}/events
GET    /dag-runs/{name}/{dagRunId}/statechart
PATCH  /dag-runs/{name}/{dagRunId}/steps/{stepName}/status
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/log
GET    /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/log
PATCH  /dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status
GET    /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}
GET    /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/log
GET    /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/log
PATCH  /dag-runs/{name}/{dagRunId}/children/{subDAGRunId}/steps/{stepName}/status`

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
