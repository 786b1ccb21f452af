/** Stops every run before the engine closes; a server does not wait long for handlers. Source: execution-semantics 7.1.6, 7.3.11. */
import { findRuns } from '../store/find-runs.ts'
import type { Store } from '../store/open.ts'
import type { OwnedHome } from './owned-home.ts'

/**
 * Includes runs that start in the meantime; queued runs are left to the next engine.
 * @param isServer the process was asked to shut down, and its supervisor waits for that
 */
export async function stopRuns(store: Store, { system }: Pick<OwnedHome, 'system'>, isServer: boolean): Promise<void> {
  system.holdQueues()
  for (;;) {
    const open = findRuns(store, { status: ['running'] }).filter(system.isOpen)
    if (open.length === 0) return
    await Promise.all(open.map((key) => system.stop(key, { from: { type: 'engine' } })))
    if (isServer) system.limitHandlers()
    await Promise.all(open.map((key) => system.ended(key)))
  }
}
