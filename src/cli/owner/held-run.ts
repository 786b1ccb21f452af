/** A run that is followed while its engine goes and another one comes. Source: api-semantics 11. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Listen } from '../../api/owner/door.ts'
import type { FactDoor } from '../../api/owner/fact-door.ts'
import { type Clock, pause } from '../../clock.ts'
import type { RunView } from '../../engine/engine.ts'
import { Gone } from './gone.ts'

// D403
/** An owner that went away may be coming back (an upgrade): so long its runs are waited for. */
const COMING_BACK_MS = 15_000
const KNOCK_AGAIN_MS = 250

/** Tells of each event once: their numbers count up. */
export interface Hearing {
  /** Number of the last one that was told of; undefined: none, and those that have been are not wanted. */
  readonly last: number | undefined
  hear: Listen
}

export function hearing(listen: Listen, last?: number): Hearing {
  return {
    get last() {
      return last
    },
    hear(event) {
      if (last !== undefined && event.seq <= last) return
      last = event.seq
      listen(event)
    }
  }
}

/** Tells of what is stored behind the last event that was heard of. */
export async function catchUp(facts: FactDoor, key: RunKey, { last, hear }: Hearing): Promise<void> {
  for (let after = last; after !== undefined; ) {
    const { events, next } = await facts.events(key, after)
    for (const { record } of events) hear(record)
    after = next
  }
}

interface Outside {
  /** Follows the run in the next engine. */
  again(): Promise<RunView>
  isBack(): Promise<boolean>
  /** How the run ended while its engine went; undefined: it has not, or nobody can say. */
  end(): Promise<RunView | undefined>
  clock: Clock
  signal: AbortSignal
}

/** Holds on to a run while its engine goes and another one comes. @throws Gone: no other one came */
export async function throughRestarts(
  first: Promise<RunView>,
  { again, isBack, end, clock, signal }: Outside
): Promise<RunView> {
  for (let held = first; ; held = again()) {
    try {
      return await held
    } catch (error) {
      if (!(error instanceof Gone) || signal.aborted) throw error
      const patienceEnds = clock.elapsed() + COMING_BACK_MS
      while (!(await isBack())) {
        const view = await end()
        if (view) return view
        if (signal.aborted || clock.elapsed() > patienceEnds) throw error
        await pause(clock, KNOCK_AGAIN_MS)
      }
    }
  }
}
