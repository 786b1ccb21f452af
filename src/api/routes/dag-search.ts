/** `/dags/search` and `/dags/tags`: across all definitions. Source: http-api "Definitions", api-semantics 3.3. */
import type Router from '@koa/router'
import { systemClock } from '../../clock.ts'
import type { Engine, StoredDefinition } from '../../engine.ts'
import { TroupeError } from '../../errors.ts'
import { type SearchMatch, type TextSearch, textSearch } from '../../spec/search.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { dagSummary, errorsOf, isUnreadable } from '../dag-shapes.ts'
import { nextRunsOf } from '../next-runs.ts'
import { readQuery } from '../query.ts'
import { timeTextIn } from '../time-text.ts'

/** Matches of one answer. */
const MOST_MATCHES = 5_000

export function dagSearchRoutes(router: Router, engine: Engine): void {
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
    for (const stored of engine.definitions()) {
      await new Promise<void>((resolve) => systemClock.soon(resolve)) // other requests have their turn
      const { fileName, definition } = stored
      const { matches, cut } = matchesIn(engine, stored, search, left)
      if (cut !== undefined) errors.push(`${fileName}: ${cut}`)
      if (matches.length === 0) continue
      left -= matches.length
      if (isUnreadable(definition)) errors.push(...errorsOf(definition).map((error) => `${fileName}: ${error}`))
      else results.push({ name: fileName, dag: dagSummary(definition, fileName, time(nextRunOf(stored))), matches })
    }
    ctx.body = { results, errors }
  })

  router.get('/dags/tags', (ctx) => {
    const definitions = engine.definitions()
    const tags = new Set(definitions.flatMap(({ definition }) => definition.outline.tags).map(tidy))
    ctx.body = {
      tags: [...tags].filter((tag) => tag !== '').sort(),
      errors: definitions
        .filter(({ definition }) => isUnreadable(definition))
        .flatMap(({ fileName, definition }) => errorsOf(definition).map((error) => `${fileName}: ${error}`))
    }
  })
}

const tidy = (tag: string) => tag.trim().toLowerCase()

function matchesIn(engine: Engine, { fileName }: StoredDefinition, search: TextSearch, most: number) {
  try {
    return search(engine.spec(fileName), most)
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return { matches: [] } // removed meanwhile
    throw error
  }
}
