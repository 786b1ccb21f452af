/** Replays journals, with a cache: the next request is often about a neighboring event. Source: docs/inspect.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import { latestCheckpoint } from '../store/checkpoints.ts'
import { readEach, readRun } from '../store/damage/damaged.ts'
import { latestSeq } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { stateFrom } from './checkpoints.ts'
import { copyOf, nothingYet, type ReplayedRun, take } from './replay.ts'

/** Maximum of cached runs. */
const RUNS = 4
const STRIDE = 2_000

interface Kept {
  createdAt: number | undefined
  /** By `seq`. */
  states: Map<number, ReplayedRun>
  /** The furthest state so far: watching a running run only costs the new events. */
  head?: ReplayedRun
}

/** @param stride events between two cached states of a run */
export function openReplays(store: Store, stride = STRIDE) {
  /** The most recently used run is last. */
  const kept = new Map<string, Kept>()

  function keptOf({ name, dagRunId }: RunKey): Kept {
    const id = `${name}/${dagRunId}`
    // A removed run may have been replaced by another of the same id.
    const createdAt = readRun(store, { name, dagRunId })?.record.createdAt
    const found = kept.get(id)
    const own = found && found.createdAt === createdAt ? found : { createdAt, states: new Map() }
    kept.delete(id)
    kept.set(id, own)
    const [oldest] = kept.keys()
    if (kept.size > RUNS && oldest !== undefined) kept.delete(oldest)
    return own
  }

  return {
    /** The run after its event `at`, or the latest before it. Read it at once and do not change it: the next call may reuse it. */
    at(key: RunKey, at: number): ReplayedRun {
      const own = keptOf(key)
      const furthest = own.head?.event?.seq ?? 0
      let from = 0
      for (const seq of own.states.keys()) if (seq <= at && seq > from) from = seq
      const goesOn = own.head !== undefined && furthest <= at
      const checkpoint = latestCheckpoint(store, key, goesOn ? furthest : from, at)
      const stored = checkpoint === undefined ? undefined : stateFrom(store, key, checkpoint)
      const state = stored ?? (own.head && goesOn ? own.head : copyOf(own.states.get(from) ?? nothingYet()))
      const start = (state.event?.seq ?? 0) + 1
      const end = Math.min(at, Number.MAX_SAFE_INTEGER - 1) + 1
      for (const { value } of readEach(store.journal, {
        start: [key.name, key.dagRunId, start],
        end: [key.name, key.dagRunId, end]
      })) {
        take(state, value)
        if (value.seq % stride === 0) own.states.set(value.seq, copyOf(state))
      }
      if ((state.event?.seq ?? 0) >= furthest) own.head = state
      return state
    },
    /** `seq` of its latest event; 0: it has none. */
    latest: (key: RunKey): number => latestSeq(store, key),
    /** Drops its cache. */
    forget: ({ name, dagRunId }: RunKey): void => void kept.delete(`${name}/${dagRunId}`)
  }
}
