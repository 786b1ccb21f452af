/** Follows a run across a change of engines. Source: api-semantics 11. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Hearing } from '../../api/owner/hearing.ts'
import type { Client } from '../../client/index.ts'
import { type Clock, pause } from '../../clock.ts'
import type { RunView } from '../../engine/engine.ts'
import { eventOf } from '../remote/views.ts'
import { Gone } from './gone.ts'

// D403: a foreground start that owns the home waits for other people's runs
/** An owner that went away may come back (an upgrade): how long to wait for it. */
const COMING_BACK_MS = 15_000
const RETRY_MS = 250
/** As many as one answer has. */
export const EVENTS_AT_A_TIME = 5_000

/** Tells of what is stored behind the last event that was heard of. */
export async function catchUp(api: Client, { name, dagRunId }: RunKey, { last, hear }: Hearing): Promise<void> {
  for (let after: number | null = last ?? null; after !== null; ) {
    const { events, next } = await api.getJournal({
      path: { name, dagRunId },
      query: { after, limit: EVENTS_AT_A_TIME }
    })
    for (const event of events) hear(eventOf(event))
    after = next
  }
}

interface Outside {
  /** Follows the run in the next engine. */
  again(): Promise<RunView>
  isBack(): Promise<boolean>
  /** How the run ended while its engine left; undefined: it has not, or that is unknown. */
  end(): Promise<RunView | undefined>
  clock: Clock
  signal: AbortSignal
  /** Told when it is gone and waited for. */
  say?: ((text: string) => void) | undefined
}

/** Follows a run across a change of engines. @throws Gone: no other engine came */
export async function throughRestarts(
  first: Promise<RunView>,
  { again, isBack, end, clock, signal, say = () => {} }: Outside
): Promise<RunView> {
  for (let held = first; ; held = again()) {
    try {
      return await held
    } catch (error) {
      if (!(error instanceof Gone) || signal.aborted) throw error
      const patienceEnds = clock.elapsed() + COMING_BACK_MS
      for (let isSilent = false; !(await isBack()); isSilent = true) {
        const view = await end()
        if (view) return view
        if (!isSilent) say(`the engine of this home has ended; waiting ${COMING_BACK_MS / 1_000} s for the next one`)
        if (signal.aborted || clock.elapsed() > patienceEnds) throw error
        await pause(clock, RETRY_MS)
      }
    }
  }
}
