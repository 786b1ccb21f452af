/** A text looked for in all definitions. Source: http-api "Definitions" (search), api-semantics 3.3. */
import { systemClock } from '../../clock.ts'
import { type SearchMatch, textSearch } from '../../definition/text/search.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import { turns } from '../turns.ts'
import type { Catalogue } from './catalogue.ts'

/** Matches of one answer. */
const MOST_MATCHES = 5_000

export interface Found {
  results: { stored: StoredDefinition; matches: SearchMatch[] }[]
  errors: string[]
}

/** Definitions in which `wanted` occurs; a wanted text that cannot be looked for is an error among the others. */
export async function searchDefinitions(wanted: string, catalogue: () => Promise<Catalogue>): Promise<Found> {
  const search = textSearch(wanted, systemClock.elapsed)
  if ('wrong' in search) return { results: [], errors: [search.wrong] }
  const results: Found['results'] = []
  const errors: string[] = []
  let left = MOST_MATCHES
  const { entries } = await catalogue()
  const turn = turns()
  for (const { stored, folded, unreadable } of entries) {
    // The text that is looked for may stand in an unread file.
    if (stored.isUnread) for (const error of unreadable) errors.push(error)
    if (stored.isUnread || !search.mayMatch(folded)) continue
    await turn()
    const { matches, cut } = search.matches(stored.spec, left)
    if (cut !== undefined) errors.push(`${stored.fileName}: ${cut}`)
    if (matches.length === 0) continue
    left -= matches.length
    if (unreadable.length === 0) results.push({ stored, matches })
    for (const error of unreadable) errors.push(error)
  }
  return { results, errors }
}
