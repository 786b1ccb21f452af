/** `/dags/search` and `/dags/tags`: across all definitions. Source: http-api "Definitions", api-semantics 3.3. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery } from '../input/query.ts'
import { dagSummary } from '../shapes/dag-shapes.ts'
import { nextRunsOf } from '../shapes/next-runs.ts'
import { searchDefinitions } from '../shapes/search-definitions.ts'
import type { SeenCatalogue } from '../shapes/seen-catalogue.ts'
import { timeTextOf } from '../shapes/time-text.ts'

export function dagSearchRoutes(router: Router, engine: Engine, catalogue: SeenCatalogue): void {
  const time = timeTextOf(engine.config)
  const nextRunOf = nextRunsOf(engine)

  router.get('/dags/search', async (ctx) => {
    const { q } = readQuery(ctx, OPERATIONS.searchDags.query)
    const { results, errors } = await searchDefinitions(q, () => catalogue(ctx))
    ctx.body = {
      results: results.map(({ stored, matches }) => {
        const { fileName, definition } = stored
        return { name: fileName, dag: dagSummary(definition, fileName, time(nextRunOf(stored))), matches }
      }),
      errors
    }
  })

  router.get('/dags/tags', async (ctx) => {
    const { tags, unreadable } = await catalogue(ctx)
    ctx.body = { tags, errors: unreadable }
  })
}
