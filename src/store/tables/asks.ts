/** Starts that were asked for with an idempotency key: which run each has made. Source: docs/http-api.md "The same request twice". */
import type { Changes } from '../changes.ts'
import { readEntry, readRun } from '../damage/damaged.ts'
import { END } from '../key-end.ts'
import type { AskKey, Store } from '../open.ts'
import { isAsk, type StoredAsk } from '../stored.ts'

// D1793: a key is kept for a day at least
const DAY_MS = 86_400_000

/** @param value undefined: removed */
export function putAsk(changes: Changes, key: AskKey, value: StoredAsk | undefined): void {
  changes.asks ??= new Map()
  changes.asks.set(key.join('/'), { key, value })
}

/** Undefined: the key was not used, or it is over, or it cannot be read. */
export function askOf(store: Store, key: AskKey, now: number): StoredAsk | undefined {
  const ask = readEntry(store.asks, key, isAsk)
  return ask && isKept(store, key, ask, now) ? ask : undefined
}

/** As long as the run, and a day at least. */
const isKept = (store: Store, [name]: AskKey, { dagRunId, at }: StoredAsk, now: number): boolean =>
  at + DAY_MS > now || readRun(store, { name, dagRunId }) !== undefined

/** Removes keys that are over. @param from the last key of the part before @returns where to go on; undefined: that was the last part */
export function dropAsks(store: Store, changes: Changes, now: number, most: number, from?: AskKey): AskKey | undefined {
  const keys = Array.from(store.asks.getKeys({ ...(from ? { start: from } : {}), limit: most + 1 }))
  for (const key of keys.slice(0, most)) {
    const ask = readEntry(store.asks, key, isAsk)
    if (ask && !isKept(store, key, ask, now)) putAsk(changes, key, undefined)
  }
  return keys[most]
}

/** Moves the keys of a DAG name that was renamed: its runs have the other name from now on. */
export function moveAsks({ asks }: Pick<Store, 'asks'>, from: string, to: string, before: number): void {
  for (const key of Array.from(asks.getKeys({ start: [from, ''], end: [from, END] as unknown as AskKey }))) {
    const ask = readEntry(asks, key, isAsk)
    if (!ask || ask.at >= before) continue
    if (!asks.doesExist([to, key[1]])) asks.put([to, key[1]], ask)
    asks.remove(key)
  }
}
