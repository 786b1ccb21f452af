/** Waits for a home that another engine owns, and takes it over. Source: docs/embedding/several-processes.md. */
import { type Clock, pause } from '../clock.ts'
import type { Config } from '../config.ts'
import { TroupeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { claimedBy } from '../store/disk/home-owner.ts'
import { durationMs } from './duration.ts'
import type { EngineOptions } from './options.ts'

/** Between two looks at the process of an owner: one that has just said that it ends, and one that says nothing. */
const SOON_MS = 5
const LOOK_MS = 40
/** So many looks, before its socket is tried again. */
const LOOKS = 25

export interface WaitForHome extends Pick<EngineOptions, 'waitForHome' | 'signal'> {
  config: Config
  clock: Clock
  log: Log
  /** Called once, when it is known that there is a wait. */
  begun(): void
}

/**
 * What `open` resolves with, once no other engine owns the home.
 * @throws TroupeError service_unavailable: one still does when the time is over; the reason of `signal`; what else `open` throws
 */
export async function whenHomeIsFree<T>(open: () => Promise<T>, wait: WaitForHome): Promise<T> {
  const { waitForHome = true, signal, config, clock, log } = wait
  const late = new AbortController()
  const cancel =
    waitForHome === true ? () => {} : clock.after(durationMs(waitForHome, 'waitForHome'), () => late.abort())
  const over = signal ? AbortSignal.any([late.signal, signal]) : late.signal
  try {
    for (let known: unknown; ; ) {
      signal?.throwIfAborted()
      try {
        return await open()
      } catch (error) {
        if (!(error instanceof TroupeError && error.details?.owner !== undefined)) throw error
        const { owner } = error.details
        if (late.signal.aborted)
          throw new TroupeError('service_unavailable', `${error.message}; waitForHome: ${waitForHome} is over`, {
            cause: error,
            details: { owner }
          })
        if (known === undefined) wait.begun()
        if (owner !== known) log.info('this home is in use: waiting for the end of its engine', { owner })
        known = owner
        await untilFree(config.dataDir, clock, over)
      }
    }
  } finally {
    cancel()
  }
}

// D1762: the socket of an owner tells of its end, and the process of one without a socket is looked at
async function untilFree(dataDir: string, clock: Clock, over: AbortSignal): Promise<void> {
  const [{ untilLeft }, { socketPath }] = await Promise.all([
    import('../api/owner/held.ts'),
    import('../api/owner/socket-path.ts')
  ])
  for (const path = await socketPath(dataDir); !over.aborted; ) {
    const began = clock.elapsed()
    await untilLeft(path, over)
    const hasTold = clock.elapsed() - began > LOOK_MS
    for (let look = 0; look < LOOKS && !over.aborted; look++) {
      await pause(clock, hasTold ? SOON_MS : LOOK_MS, over)
      if (claimedBy(dataDir) === undefined) return
    }
  }
}
