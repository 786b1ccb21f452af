/** The catalogue as its reader may see it: what is hidden is in no list, count or tag. Source: docs/authentication.md "Roles". */
import type { ParameterizedContext } from 'koa'
import type { Engine } from '../../engine/engine.ts'
import { type Sight, sightOf } from '../access/sight.ts'
import { type Catalogue, catalogueOf, type Entry } from './catalogue.ts'
import { dagNameOf } from './dag-names.ts'

export type SeenCatalogue = (ctx: ParameterizedContext) => Promise<Catalogue>

/** Returns a function for what the caller of a request sees of the current catalogue. */
export function seenCatalogueOf(engine: Engine): SeenCatalogue {
  const whole = catalogueOf(engine)
  const known = new WeakMap<Catalogue, WeakMap<Sight, Catalogue>>()
  return async (ctx) => {
    const sight = sightOf(ctx)
    if (!sight.rights.hidesSome) return whole()
    await sight.ready()
    const all = await whole()
    const seen = known.get(all) ?? new WeakMap<Sight, Catalogue>()
    known.set(all, seen)
    const found = seen.get(sight) ?? seenBy(all, sight)
    seen.set(sight, found)
    return found
  }
}

function seenBy(all: Catalogue, sight: Sight): Catalogue {
  const seen = new Set(all.entries.filter(({ stored }) => sight.seesName(dagNameOf(stored))))
  const only = (entries: readonly Entry[]) => entries.filter((entry) => seen.has(entry))
  const entries = only(all.entries)
  return {
    entries,
    tags: [...new Set(entries.flatMap(({ tags }) => tags))].filter((tag) => tag !== '').sort(),
    unreadable: entries.flatMap(({ unreadable }) => unreadable),
    byName: (order) => only(all.byName(order)),
    byNextRun: async (order) => only(await all.byNextRun(order)),
    tagged: all.tagged // whose entries are looked up among those above
  }
}
