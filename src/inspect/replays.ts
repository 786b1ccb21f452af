/** Reads journals back, and keeps what it has read for a while: who looks at an event looks at its neighbours next. Source: docs/inspect.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import { latestCheckpoint } from '../store/checkpoints.ts'
import { readEach, readRun } from '../store/damage/damaged.ts'
import { latestSeq } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { stateFrom } from './checkpoints.ts'
import { copyOf, nothingYet, type RunState, take } from './replay.ts'

export interface Replays {
  /** The run after its event `at`, or the one before it. To be read at once, and only read: the next look may go on with it. */
  at(key: RunKey, at: number): RunState
  /** `seq` of its latest event; 0: it has none. */
  latest(key: RunKey): number
  /** Keeps nothing of it any longer. */
  forget(key: RunKey): void
}

/** Runs of which something is kept. */
const RUNS = 4
const STRIDE = 2_000

interface Kept {
  createdAt: number | undefined
  /** By `seq`. */
  states: Map<number, RunState>
  /** The furthest that anybody has looked: whoever watches a run at work pays for what is new. */
  head?: RunState
}

/** @param stride events between two states that are kept of a run */
export function openReplays(store: Store, stride = STRIDE): Replays {
  /** The run looked at last comes last. */
  const kept = new Map<string, Kept>()

  function keptOf({ name, dagRunId }: RunKey): Kept {
    const id = `${name}/${dagRunId}`
    // A run that was removed may have a namesake.
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
    at(key, at) {
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
    latest: (key) => latestSeq(store, key),
    forget: ({ name, dagRunId }) => void kept.delete(`${name}/${dagRunId}`)
  }
}
