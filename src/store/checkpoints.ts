/**
 * What a run's actors were at one of its events, so that nobody has to read a long journal from its beginning. Everything in here follows
 * from the journal: one that is missing or cannot be read costs time, nothing else. `../inspect/checkpoints.ts` makes them.
 * Source: architecture 1, 9.
 */
import type { RunKey } from '../../machines/vocabulary.ts'
import { readEntry } from './damage/damaged.ts'
import type { StoredCheckpoint } from './entries/checkpoint-text.ts'
import type { Store } from './open.ts'

/** The latest event in `(after, at]` at which there is one; undefined: at none. */
export function latestCheckpoint(
  store: Store,
  { name, dagRunId }: RunKey,
  after: number,
  at: number
): number | undefined {
  const range = { start: [name, dagRunId, at] as Key, end: [name, dagRunId, after] as Key, reverse: true, limit: 1 }
  const [key] = store.checkpoints.getKeys(range)
  return key && key[2] > after ? key[2] : undefined
}
type Key = [name: string, dagRunId: string, seq: number]

/** Those that together say all that was at the event `seq`, the oldest first; undefined: they do not. */
export function checkpointsUpTo(store: Store, { name, dagRunId }: RunKey, seq: number): StoredCheckpoint[] | undefined {
  const found: StoredCheckpoint[] = []
  for (let at = seq; at > 0; ) {
    const one = readEntry(store.checkpoints, [name, dagRunId, at])
    if (!one || readEntry(store.journal, [name, dagRunId, at])?.at !== one.at || !(one.from < at)) return undefined
    found.unshift(one)
    at = one.from
  }
  return found
}
