/**
 * The state of a run's actors at one of its events, so that a long journal need not be read from its beginning. Checkpoints follow
 * from the journal: a missing or unreadable one only costs time. `../inspect/checkpoints.ts` creates them.
 * Source: architecture 1, 9.
 */
import type { RunKey } from '../../machines/vocabulary.ts'
import { readEntry } from './damage/damaged.ts'
import type { StoredCheckpoint } from './entries/checkpoint-text.ts'
import type { Store } from './open.ts'

/** The latest event in `(after, at]` with a checkpoint; undefined: there is none. */
export function latestCheckpoint(
  store: Store,
  { name, dagRunId }: RunKey,
  after: number,
  at: number
): number | undefined {
  const range = { start: [name, dagRunId, at], end: [name, dagRunId, after], reverse: true, limit: 1 }
  const [key] = store.checkpoints.getKeys(range)
  return key && key[2] > after ? key[2] : undefined
}

/** The checkpoints that together give the complete state at the event `seq`, oldest first; undefined: some are missing. */
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
