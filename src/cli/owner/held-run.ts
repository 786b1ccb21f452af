/** A run, followed to its end; across a change of engines, too. Source: api-semantics 11. */
import { RUN_ENDS } from '../../../machines/vocabulary/lists.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { Gone } from '../../api/owner/gone.ts'
import type { Client, JournalEvent, RunDetails } from '../../client/index.ts'
import { type Clock, pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'

// D403: a foreground start that owns the home waits for other people's runs
/** An owner that went away may come back (an upgrade): how long to wait for it. */
const COMING_BACK_MS = 15_000
const RETRY_MS = 250
/** As many as one answer has. */
export const EVENTS_AT_A_TIME = 5_000
/** How often a run whose last event has come is asked for. */
const LOOK_MS = 100
/** The same for one of a server elsewhere, of which nothing has come. */
const SELDOM_MS = 2_000
const ENDS: ReadonlySet<string> = new Set(RUN_ENDS)

export type Listen = (event: JournalEvent) => void

/** Passes each event on once: their numbers ascend. */
export interface Hearing {
  /** Number of the last event that was passed on; undefined: none, and earlier ones are not wanted. */
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

interface Following {
  api: Client
  clock: Clock
  signal: AbortSignal
}

/**
 * All events of a run, or those after the last one that was heard of, until it has ended.
 * @throws Gone: they have broken off
 */
export async function toItsEnd({ api, clock, signal }: Following, { name, dagRunId }: RunKey, heard: Hearing) {
  const path = { name, dagRunId }
  let after = heard.last
  if (after === undefined) {
    after = (await api.getJournal({ path, query: { limit: 1 } })).latest
    const { dagRun } = await api.getRun({ path })
    if (dagRun.finishedAt !== '') return dagRun
  }
  let isOver = false
  for await (const told of api.runEvents({ path, query: { after: String(after) }, signal })) {
    if (!('event' in told)) continue
    heard.hear(told.event)
    const { actor, to } = told.event
    isOver = actor === `run/${name}/${dagRunId}` && ENDS.has(to)
    if (isOver) break
  }
  for (;;) {
    const { dagRun } = await api.getRun({ path })
    if (dagRun.finishedAt !== '') return dagRun
    if (isOver) await pause(clock, LOOK_MS, signal)
    if (!isOver || signal.aborted) throw new Gone()
  }
}

/**
 * The same on a server elsewhere, which is waited for as long as it takes.
 * @param say told once when it does not answer
 */
export async function toItsEndThere(
  { api, clock, signal }: Following,
  key: RunKey,
  heard: Hearing,
  say: (text: string) => void = () => {}
): Promise<RunDetails> {
  const enough = new AbortController()
  const over = AbortSignal.any([signal, enough.signal])
  const never = new Promise<never>(() => {})
  /** The events may not come, and say nothing of a server that does not answer: they wait for it. */
  const looked = async (): Promise<RunDetails> => {
    for (let isSilent = false; ; ) {
      await pause(clock, SELDOM_MS, over)
      if (over.aborted) return never
      try {
        const { dagRun } = await api.getRun({ path: { name: key.name, dagRunId: key.dagRunId } })
        if (dagRun.finishedAt !== '') return dagRun
        isSilent = false
      } catch (error) {
        const isGone = isAway(error)
        if (isAway(error) && !isSilent && !over.aborted) say(`${error.message}; waiting for it`)
        isSilent ||= isGone
      }
    }
  }
  const followed = async (): Promise<RunDetails> => {
    while (!over.aborted)
      try {
        return await toItsEnd({ api, clock, signal: over }, key, heard)
      } catch (error) {
        if (error instanceof Gone) return never
        if (!isAway(error)) throw error
        await pause(clock, SELDOM_MS, over)
      }
    return never
  }
  try {
    return await Promise.race([followed(), looked()])
  } finally {
    enough.abort()
  }
}

const isAway = (error: unknown): error is TroupeError =>
  error instanceof TroupeError && error.code === 'service_unavailable'

/** Tells of what is stored behind the last event that was heard of. */
export async function catchUp(api: Client, { name, dagRunId }: RunKey, { last, hear }: Hearing): Promise<void> {
  if (last === undefined) return
  const query = { after: String(last), follow: false }
  for await (const told of api.runEvents({ path: { name, dagRunId }, query })) if ('event' in told) hear(told.event)
}

/** What there is of a home when its engine has gone. */
export interface Outside {
  isBack(): Promise<boolean>
  /** How a run has ended, from the store, after its last events; undefined: it has not, or that is unknown. */
  end(run: RunKey, heard: Hearing): Promise<RunDetails | undefined>
}

interface Restarts<T> extends Pick<Outside, 'isBack'> {
  /** Follows the run in the next engine. */
  again(): Promise<T>
  end(): Promise<T | undefined>
  clock: Clock
  signal: AbortSignal
  /** Told when it is gone and waited for. */
  say?: ((text: string) => void) | undefined
}

/** Follows a run across a change of engines. @throws Gone: no other engine came */
export async function throughRestarts<T>(
  first: Promise<T>,
  { again, isBack, end, clock, signal, say = () => {} }: Restarts<T>
): Promise<T> {
  for (let held = first; ; held = again()) {
    try {
      return await held
    } catch (error) {
      if (!(error instanceof Gone) || signal.aborted) throw error
      const patienceEnds = clock.elapsed() + COMING_BACK_MS
      for (let isSilent = false; !(await isBack()); isSilent = true) {
        const run = await end()
        if (run) return run
        if (!isSilent) say(`the engine of this home has ended; waiting ${COMING_BACK_MS / 1_000} s for the next one`)
        if (signal.aborted || clock.elapsed() > patienceEnds) throw error
        await pause(clock, RETRY_MS)
      }
    }
  }
}
