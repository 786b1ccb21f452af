/** `/dags/search` and `/dags/tags`: across all definitions. Source: http-api "Definitions", api-semantics 3.3. */
import type Router from '@koa/router'
import { systemClock } from '../../clock.ts'
import type { Engine } from '../../engine.ts'
import { type SearchMatch, textSearch } from '../../spec/search.ts'
import type { Catalogue } from '../catalogue.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { dagSummary } from '../dag-shapes.ts'
import { nextRunsOf } from '../next-runs.ts'
import { readQuery } from '../query.ts'
import { timeTextIn } from '../time-text.ts'

/** Matches of one answer. */
const MOST_MATCHES = 5_000
/** A search gives way to others after so long. */
const TURN_MS = 5

export function dagSearchRoutes(router: Router, engine: Engine, catalogue: () => Promise<Catalogue>): void {
  const time = timeTextIn(engine.config.tz)
  const nextRunOf = nextRunsOf(engine)

  router.get('/dags/search', async (ctx) => {
    const { q } = readQuery(ctx, OPERATIONS.searchDags.query)
    const search = textSearch(q, systemClock.elapsed)
    if ('wrong' in search) {
      ctx.body = { results: [], errors: [search.wrong] }
      return
    }
    const results: { name: string; dag: object; matches: SearchMatch[] }[] = []
    const errors: string[] = []
    let left = MOST_MATCHES
    const { entries } = await catalogue()
    let turn = systemClock.elapsed()
    for (const { stored, folded, unreadable } of entries) {
      if (!search.mayMatch(folded)) continue
      if (systemClock.elapsed() - turn > TURN_MS) {
        await new Promise<void>((resolve) => systemClock.soon(resolve)) // other requests have their turn
        turn = systemClock.elapsed()
      }
      const { fileName, definition } = stored
      const { matches, cut } = search.matches(stored.spec, left)
      if (cut !== undefined) errors.push(`${fileName}: ${cut}`)
      if (matches.length === 0) continue
      left -= matches.length
      if (unreadable.length > 0) errors.push(...unreadable)
      else results.push({ name: fileName, dag: dagSummary(definition, fileName, time(nextRunOf(stored))), matches })
    }
    ctx.body = { results, errors }
  })

  router.get('/dags/tags', async (ctx) => {
    const { tags, unreadable } = await catalogue()
    ctx.body = { tags, errors: unreadable }
  })
}
