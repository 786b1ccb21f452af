/**
 * Stores checkpoints of the actors of a long run, every so many events: inspection of its past reads a few of them, and the journal
 * from there on. They are made after the events are stored and published, so no transaction waits for them; shorter runs have none.
 * Source: architecture 1, 9; docs/inspect.md.
 */
import { runId } from '../../machines/engine.ts'
import type { JournalRecord, RunKey } from '../../machines/vocabulary.ts'
import { checkpointsUpTo } from '../store/checkpoints.ts'
import { written } from '../store/disk/written.ts'
import type { Store } from '../store/open.ts'
import { checkpointOf } from './checkpoints.ts'
import { openReplays } from './replays.ts'

/** Events between two of them: a fresh process reads so many in about 10 ms. */
export const CHECKPOINT_EVENTS = 500

// D910: long runs have checkpoints
/**
 * For the owner of the home.
 * @param soon calls back after the current work @param every events between two checkpoints
 */
export function keepCheckpoints(store: Store, soon: (next: () => void) => void, every = CHECKPOINT_EVENTS) {
  const replays = openReplays(store, Number.POSITIVE_INFINITY)
  /** Checkpoints of running runs that are known to be complete. */
  const kept = new Map<string, Set<number>>()
  let isClosed = false

  async function write({ name, dagRunId }: RunKey, seq: number): Promise<void> {
    if (isClosed) return
    const run = { name, dagRunId }
    const state = replays.at(run, seq)
    if (state.event?.seq !== seq) return // the run is gone, or has gone on
    const own = kept.get(runId(run)) ?? new Set()
    let since = seq
    do since = before(since / every) * every
    while (since > 0 && !own.has(since) && !checkpointsUpTo(store, run, since)) // a crash may have kept it from being written
    const stored = store.checkpoints.put([name, dagRunId, seq], checkpointOf(run, state, since))
    kept.set(runId(run), own.add(seq))
    await written(stored)
  }

  return {
    /** Called with each record of the journal when readers can see it. */
    told({ run, seq, step, status }: JournalRecord) {
      if (!run) return
      // A reader of a damaged journal gets the error; a missing checkpoint only makes reads slower.
      if (seq % every === 0) soon(() => void write(run, seq).catch(() => {}))
      if (seq < every || step !== undefined || status === undefined || status === 'running') return
      soon(() => {
        replays.forget(run)
        kept.delete(runId(run))
      })
    },
    close() {
      isClosed = true
    }
  }
}

/**
 * Which checkpoint the `count`th builds on. An odd one builds on its predecessor, one that two divides once on the second before, and
 * so on: a read needs as many as the number has ones in binary, and each actor is in few.
 */
const before = (count: number): number => count & (count - 1)
