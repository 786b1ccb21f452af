/** A run on a server elsewhere, followed to its end. */
import { RUN_ENDS } from '../../../machines/vocabulary/lists.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Listen } from '../../api/owner/hearing.ts'
import type { Client } from '../../client/index.ts'
import { type Clock, pause } from '../../clock.ts'
import type { RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { errorOf } from './api.ts'
import { eventOf, viewOf } from './views.ts'

/** How often a run whose last event has come is asked for. */
const LOOK_MS = 100
/** The same for one of which nothing has come. */
const SELDOM_MS = 2_000
const ENDS: ReadonlySet<string> = new Set(RUN_ENDS)

interface Following {
  /** Number of an event: all later ones are wanted. Default: those from now on. */
  after: number | undefined
  clock: Clock
  signal: AbortSignal
  /** Of the server, as it is shown. */
  url: string
  /** Told once when the server does not answer. */
  say?: ((text: string) => void) | undefined
}

/** All events of a run, or those after one, until it has ended. Survives restarts of the server. */
export async function followed(
  api: Client,
  { name, dagRunId }: RunKey,
  listen: Listen,
  { after, clock, signal, url, say = () => {} }: Following
): Promise<RunView> {
  const path = { name, dagRunId }
  /** It was said that the server does not answer. */
  let isSilent = false
  const ended = async () => {
    const view = viewOf((await api.getRun({ path })).dagRun)
    isSilent = false
    return view.run.finishedAt === undefined ? undefined : view
  }
  const enough = new AbortController()
  const over = AbortSignal.any([signal, enough.signal])
  /** The events say what is wrong, except for a server that does not answer: they wait for it. */
  const missed = (error: unknown) => {
    const isGone = error instanceof TroupeError && error.code === 'service_unavailable'
    if (isGone && !isSilent && !over.aborted) say(`${error.message}; waiting for it`)
    isSilent ||= isGone
    return undefined
  }
  const looked = async (everyMs: number): Promise<RunView> => {
    for (;;) {
      await pause(clock, everyMs, over)
      if (over.aborted) return new Promise<never>(() => {})
      const view = await ended().catch(missed)
      if (view) return view
    }
  }
  const heard = async (): Promise<RunView> => {
    const query = { after: after === undefined ? 'now' : String(after) }
    for await (const one of api.runEvents({ path, query, signal: over })) {
      if (!('event' in one)) continue
      const event = eventOf(one.event)
      listen(event)
      if (event.actor === `run/${name}/${dagRunId}` && ENDS.has(event.to)) return looked(LOOK_MS)
    }
    return new Promise<never>(() => {}) // it was closed
  }
  try {
    // It may have ended before anybody listened.
    return await Promise.race([heard(), looked(SELDOM_MS)])
  } catch (error) {
    throw errorOf(error, url)
  } finally {
    enough.abort()
  }
}
