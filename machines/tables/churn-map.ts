/**
 * A map for thousands of short-lived entries of which few exist at a time. A `Map` would keep them alive: V8 links each table
 * that a map has outgrown to its successor, and once one of them is in the old generation, none of its successors, nor their
 * entries, is freed before the next full collection. Changed in place.
 */
export interface ChurnMap<T> {
  get(key: string): T | undefined
  has(key: string): boolean
  set(key: string, value: T): void
  /** @returns whether the key was present */
  delete(key: string): boolean
  /** Keys and values are in insertion order, except that integer keys come first. */
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
