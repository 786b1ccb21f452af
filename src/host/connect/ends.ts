/** The ends of runs of another process's engine, heard on one stream for all that are waited for. */

import { RUN_ENDS } from '../../../machines/vocabulary/lists.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { OPERATIONS } from '../../api/contract/operations.ts'
import { openEvents } from '../../client/events.ts'
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import { pause } from '../../clock.ts'
import { firstOf, isAway, type Owner, refused } from './owner.ts'

/** A run is stored as ended a moment after its last event: looks in between, and for how long. */
export const LOOK_MS = 10
const SETTLED_MS = 300
const ENDS: ReadonlySet<string> = new Set(RUN_ENDS)

/** Whether a run has ended with an event. */
export const isEndOf = ({ actor, to }: JournalEvent, { name, dagRunId }: RunKey): boolean =>
  actor === `run/${name}/${dagRunId}` && ENDS.has(to)

/** The run as it is. @param isOver its last event has come */
export async function looked({ api, ask, clock, closed }: Owner, path: RunKey, isOver: boolean): Promise<RunDetails> {
  const until = clock.elapsed() + SETTLED_MS
  for (;;) {
    const { dagRun } = await ask(() => api.getRun({ path }))
    if (!isOver || dagRun.finishedAt !== '' || clock.elapsed() > until) return dagRun
    await pause(clock, LOOK_MS, closed)
  }
}

interface Wait {
  run: RunKey
  /** @param isOver its last event has come; else it may have been missed */
  look(isOver: boolean): void
  failed(error: unknown): void
}

interface Listening {
  all: Set<Wait>
  /** Ends the stream; absent: there is none. */
  end?: AbortController | undefined
}
const listenings = new WeakMap<Owner, Listening>()

// D1766: one stream of all events of a home says which runs have ended, however many are waited for
/** The run when it has ended, or `enough` is aborted. @throws TroupeError not_found; service_unavailable: no owner has answered in time */
export async function endOf(owner: Owner, run: RunKey, enough: AbortSignal): Promise<RunDetails> {
  const listening: Listening = listenings.get(owner) ?? { all: new Set() }
  listenings.set(owner, listening)
  const { all } = listening
  let [isOver, isNew, wake] = [false, true, () => {}]
  let failure: { error: unknown } | undefined
  const look = (over = false) => {
    isOver ||= over
    isNew = true
    wake()
  }
  const failed = (error: unknown) => {
    failure = { error }
    look()
  }
  const wait: Wait = { run, look, failed }
  const leave = () => look()
  all.add(wait)
  enough.addEventListener('abort', leave)
  try {
    for (;;) {
      if (!listening.end) listen(owner, listening)
      const wasOver = isOver
      isOver = isNew = false
      const found = await looked(owner, run, wasOver)
      if (found.finishedAt !== '' || enough.aborted) return found
      if (failure) throw failure.error
      if (!isNew)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    all.delete(wait)
    enough.removeEventListener('abort', leave)
    if (all.size === 0) {
      listening.end?.abort()
      listening.end = undefined
    }
  }
}

/** For as long as somebody waits. */
function listen({ ask, options, clock, closed }: Owner, listening: Listening): void {
  const { all } = listening
  const end = firstOf(closed)
  listening.end = end
  const { signal } = end
  const input = { query: { after: 'now' }, signal }
  async function listened(): Promise<never> {
    for (;;) {
      const stream = await ask(() => openEvents(options, OPERATIONS.streamEvents, input), { signal })
      for (const wait of all) wait.look(false) // it may have ended before the stream began
      try {
        for await (const told of stream)
          for (const wait of all) if (!('event' in told) || isEndOf(told.event, wait.run)) wait.look('event' in told)
      } catch (error) {
        if (!isAway(error)) throw refused(error)
      }
      await pause(clock, LOOK_MS, signal) // an engine that closes ends it at once
    }
  }
  listened().catch((error) => {
    if (listening.end !== end) return // nobody waited any more
    listening.end = undefined
    for (const wait of all) wait.failed(error)
  })
}
