/**
 * A map for entries that come and go by the thousand while few are there. A `Map` would keep them: V8 links each table that one
 * has outgrown, or thinned out, to its next, and once one of them is old, none of those that follow is started before the next
 * full collection, nor what was in them. Changed in place.
 */
export interface ChurnMap<T> {
  get(key: string): T | undefined
  has(key: string): boolean
  set(key: string, value: T): void
  /** @returns whether it was there */
  delete(key: string): boolean
  /** Both in the order in which they came, those whose key is a whole number before all others. */
  keys(): string[]
  values(): T[]
}

export function churnMap<T>(): ChurnMap<T> {
  const entries: Record<string, T> = Object.create(null)
  return {
    get: (key) => entries[key],
    has: (key) => key in entries,
    set(key, value) {
      entries[key] = value
    },
    delete(key) {
      if (!(key in entries)) return false
      delete entries[key]
      return true
    },
    keys: () => Object.keys(entries),
    values: () => Object.values(entries)
  }
}
