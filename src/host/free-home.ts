/** Waits for a home that another engine owns, and takes it over. Source: docs/embedding/several-processes.md. */
import { type Clock, pause } from '../clock.ts'
import type { Config } from '../config.ts'
import { TroupeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { claimedBy } from '../store/disk/home-owner.ts'
import { durationMs } from './duration.ts'
import type { EngineOptions } from './options.ts'

/** Between two looks at the owner, which cost two reads of small files. */
const LOOK_MS = 20

export interface WaitForHome extends Pick<EngineOptions, 'waitForHome' | 'signal'> {
  config: Config
  clock: Clock
  log: Log
}

// D1762: the owner's process is looked at, as a process that is killed tells nobody
/**
 * What `open` resolves with, once no other engine owns the home.
 * @throws TroupeError service_unavailable: one still does when the time is over; the reason of `signal`; what else `open` throws
 */
export async function whenHomeIsFree<T>(
  open: () => Promise<T>,
  { waitForHome = true, ...wait }: WaitForHome
): Promise<T> {
  const { signal, clock, log, config } = wait
  const ends =
    waitForHome === true ? Number.POSITIVE_INFINITY : clock.elapsed() + durationMs(waitForHome, 'waitForHome')
  for (let known: unknown; ; ) {
    signal?.throwIfAborted()
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof TroupeError && error.details?.owner !== undefined)) throw error
      const { owner } = error.details
      if (clock.elapsed() >= ends)
        throw new TroupeError('service_unavailable', `${error.message}; waitForHome: ${waitForHome} is over`, {
          cause: error,
          details: { owner }
        })
      if (owner !== known) log.info('this home is in use: waiting for the end of its engine', { owner })
      known = owner
      do await pause(clock, Math.min(LOOK_MS, ends - clock.elapsed()), signal)
      while (claimedBy(config.dataDir) !== undefined && clock.elapsed() < ends && !signal?.aborted)
    }
  }
}
