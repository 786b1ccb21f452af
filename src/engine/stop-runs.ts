/** The end of an engine that takes its runs along: each is stopped, and no server waits long for handlers. Source: execution-semantics 7.1.6, 7.3.11. */
import { findRuns } from '../store/find-runs.ts'
import type { Store } from '../store/open.ts'
import type { OwnedHome } from './own-home.ts'

/**
 * Those too that begin meanwhile; queued ones wait for the next engine.
 * @param isServer somebody has told it to end, and waits for that
 */
export async function stopRuns(store: Store, { system }: Pick<OwnedHome, 'system'>, isServer: boolean): Promise<void> {
  system.holdQueues()
  for (;;) {
    const open = findRuns(store, { status: ['running'] }).filter(system.isOpen)
    if (open.length === 0) return
    await Promise.all(open.map((key) => system.stop(key)))
    if (isServer) system.limitHandlers()
    await Promise.all(open.map((key) => system.ended(key)))
  }
}
