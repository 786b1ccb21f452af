/** Reads journals back, and keeps what it has read for a while: who looks at an event looks at its neighbours next. Source: docs/inspect.md. */
import type { RunKey } from '../../machines/vocabulary.ts'
import { latestSeq } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { copyOf, nothingYet, type RunState, take } from './replay.ts'

export interface Replays {
  /** The run after its event `at`, or the one before it. To be read only. */
  at(key: RunKey, at: number): RunState
  /** `seq` of its latest event; 0: it has none. */
  latest(key: RunKey): number
}

/** Runs of which something is kept, and events between two states that are kept of one. */
const RUNS = 4
const STRIDE = 2_000

export function openReplays(store: Store): Replays {
  /** States of a run by `seq`, ascending; the run looked at last comes last. */
  const kept = new Map<string, { createdAt: number | undefined; states: Map<number, RunState> }>()

  function statesOf({ name, dagRunId }: RunKey): Map<number, RunState> {
    const id = `${name}/${dagRunId}`
    // A run that was removed may have a namesake.
    const createdAt = store.runs.get([name, dagRunId])?.record.createdAt
    const found = kept.get(id)
    const states = found && found.createdAt === createdAt ? found.states : new Map<number, RunState>()
    kept.delete(id)
    kept.set(id, { createdAt, states })
    const [oldest] = kept.keys()
    if (kept.size > RUNS && oldest !== undefined) kept.delete(oldest)
    return states
  }

  return {
    at(key, at) {
      const states = statesOf(key)
      let from = 0
      for (const seq of states.keys()) if (seq <= at && seq > from) from = seq
      const state = copyOf(states.get(from) ?? nothingYet())
      const range = store.journal.getRange({
        start: [key.name, key.dagRunId, from + 1],
        end: [key.name, key.dagRunId, Math.min(at, Number.MAX_SAFE_INTEGER - 1) + 1]
      })
      let count = 0
      for (const { value } of range) {
        take(state, value)
        if (++count % STRIDE === 0) states.set(value.seq, copyOf(state))
      }
      return state
    },
    latest: (key) => latestSeq(store, key)
  }
}
