/**
 * Keeps what the actors of a long run were, every so many of its events: a look into its past reads a few of these, and the journal
 * from there on. They are made when the events are stored and shown, so no turn waits for them; a run of fewer events costs nothing.
 * Source: architecture 1, 9; docs/inspect.md.
 */
import { runId } from '../../machines/engine.ts'
import type { JournalRecord, RunKey } from '../../machines/vocabulary.ts'
import { checkpointsUpTo } from '../store/checkpoints.ts'
import { written } from '../store/disk/written.ts'
import type { Store } from '../store/open.ts'
import { checkpointOf } from './checkpoints.ts'
import { openReplays } from './replays.ts'

/** Events between two of them: to read so many in a process that has read none takes about 10 ms. */
export const CHECKPOINT_EVENTS = 500

export interface CheckpointKeeper {
  /** Told of each record of the journal when readers see it. */
  told(record: JournalRecord): void
  close(): void
}

// D910
/**
 * For whoever has the home to himself.
 * @param soon calls back when what is at hand is done @param every events between two checkpoints
 */
export function keepCheckpoints(
  store: Store,
  soon: (next: () => void) => void,
  every = CHECKPOINT_EVENTS
): CheckpointKeeper {
  const replays = openReplays(store, Number.POSITIVE_INFINITY)
  /** Of runs at work: those that need not be read to know that they are good to go on from. */
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
    told({ run, seq, step, status }) {
      if (!run) return
      // Who looks into a journal that cannot be read is told so; without a checkpoint it takes longer, nothing else.
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
 * Which checkpoint the `count`th goes on from. An odd one goes on from the one before it, one that two divides once from the second
 * before, and so on: as many are read for a look as the number has ones in binary, and each actor is in few.
 */
const before = (count: number): number => count & (count - 1)
