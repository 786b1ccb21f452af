/**
 * The data of lists of definitions, computed once per state of the definitions, so that the cost of a request does not depend on
 * their number. Source: architecture 6, api-semantics 3.2, 3.3.
 */
import { foldedText } from '../../definition/text/search.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import type { Engine } from '../../engine/engine.ts'
import { turns } from '../turns.ts'
import { dagNameOf } from './dag-names.ts'
import { errorsOf, isUnreadable } from './dag-shapes.ts'
import { type NextRunOf, nextRunsOf } from './next-runs.ts'

export interface Entry {
  stored: StoredDefinition
  /** File name in lower case. */
  fileKey: string
  /** The text of the definition for searches: see `foldedText`. */
  readonly folded: string
  /** As people write them, in lower case. */
  tags: readonly string[]
  /** Problems of a file that could not be parsed at all, with its name in front; empty: none. */
  unreadable: readonly string[]
}

export type Order = 'asc' | 'desc'

export interface Catalogue {
  /** By file name. */
  readonly entries: readonly Entry[]
  /** Unique, without empty ones, sorted. */
  readonly tags: readonly string[]
  /** Errors of all files that could not be parsed, by file name. */
  readonly unreadable: readonly string[]
  /** By DAG name whatever the case, then by file name. */
  byName(order: Order): readonly Entry[]
  /** Earlier first, equal times by name; those that never run come last in either order, by name in that order. */
  byNextRun(order: Order): Promise<readonly Entry[]>
  /** With this tag, by DAG name. @param tag in lower case */
  tagged(tag: string): ReadonlySet<Entry>
}

/** Returns a function for the current catalogue. */
export function catalogueOf(engine: Engine): () => Promise<Catalogue> {
  const nextRunOf = nextRunsOf(engine)
  let known: { list: readonly StoredDefinition[]; catalogue: Catalogue } | undefined
  return async () => {
    await engine.definitionsReady()
    const list = engine.definitions()
    if (known?.list !== list) known = { list, catalogue: made(list, nextRunOf, engine.now) }
    return known.catalogue
  }
}

function made(list: readonly StoredDefinition[], nextRunOf: NextRunOf, now: () => number): Catalogue {
  const entries = list.map(entryOf)
  const keyed = entries.map((entry) => ({ entry, key: dagNameOf(entry.stored).toLowerCase() }))
  keyed.sort((a, b) => compare(a.key, b.key) || compare(a.entry.stored.fileName, b.entry.stored.fileName))
  const asc = keyed.map(({ entry }) => entry)
  const named = { asc, desc: asc.toReversed() }
  const tagged = new Map<string, Set<Entry>>()
  for (const entry of asc)
    for (const tag of entry.tags) tagged.set(tag, (tagged.get(tag) ?? new Set<Entry>()).add(entry))
  const timed: Partial<Record<Order, { from: number; until: number; entries: readonly Entry[] }>> = {}
  return {
    entries,
    tags: [...tagged.keys()].filter((tag) => tag !== '').sort(),
    unreadable: entries.flatMap(({ unreadable }) => unreadable),
    byName: (order) => named[order],
    async byNextRun(order) {
      const known = timed[order]
      const at = now()
      if (known && at >= known.from && at < known.until) return known.entries
      const found = await inTime(named[order], order, nextRunOf)
      timed[order] = { from: at, ...found }
      return found.entries
    },
    tagged: (tag) => tagged.get(tag) ?? new Set()
  }
}

function entryOf(stored: StoredDefinition): Entry {
  const { fileName, definition, spec } = stored
  let folded: string | undefined
  return {
    stored,
    fileKey: fileName.toLowerCase(),
    get folded() {
      folded ??= foldedText(spec)
      return folded
    },
    tags: definition.outline.tags.map((tag) => tag.trim().toLowerCase()),
    unreadable: isUnreadable(definition) ? errorsOf(definition).map((error) => `${fileName}: ${error}`) : []
  }
}

/** @returns with the instant (epoch ms) until which the order is valid: then the first of them has run */
async function inTime(named: readonly Entry[], order: Order, nextRunOf: NextRunOf) {
  const keyed: { entry: Entry; next: number | undefined }[] = []
  const turn = turns()
  for (const entry of named) {
    keyed.push({ entry, next: nextRunOf(entry.stored) })
    await turn()
  }
  const sign = order === 'desc' ? -1 : 1
  keyed.sort((a, b) => {
    if (a.next === undefined || b.next === undefined) return Number(a.next === undefined) - Number(b.next === undefined)
    return sign * (a.next - b.next)
  })
  let until = Number.POSITIVE_INFINITY
  for (const { next } of keyed) if (next !== undefined && next < until) until = next
  return { until, entries: keyed.map(({ entry }) => entry) }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
