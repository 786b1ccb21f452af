/** The end of an engine that takes its runs along: each is stopped, and those of a server are given 5 s for their handlers. Source: execution-semantics 7.1.6, 7.3.11. */
import type { RunKey } from '../machines/vocabulary.ts'
import type { Clock } from './clock.ts'
import { isRunAddress } from './inspect/replay.ts'
import type { OwnedHome } from './own-home.ts'
import { findRuns, nodesOf } from './store/history.ts'
import type { Store } from './store/open.ts'

const HANDLERS_MS = 5_000
/** States of a run whose handlers are at work. */
const CONCLUDING = /^concluding\b/

/**
 * Those too that begin meanwhile; queued ones wait for the next engine.
 * @param isServer somebody has told it to end, and waits for that
 */
export async function stopRuns(
  { store, clock }: { store: Store; clock: Clock },
  { system, subscribe }: Pick<OwnedHome, 'system' | 'subscribe'>,
  isServer: boolean
): Promise<void> {
  const limits: (() => void)[] = []
  const limit = ({ name, dagRunId }: RunKey) =>
    void limits.push(clock.after(HANDLERS_MS, () => system.kill({ name, dagRunId })))
  const leave = subscribe(({ run, actor, from, to }) => {
    if (isServer && run && isRunAddress(actor) && CONCLUDING.test(to) && !CONCLUDING.test(from)) limit(run)
  })
  const areHandlersAtWork = (key: RunKey) =>
    [...nodesOf(store, key)].some(([place, { record }]) => typeof place === 'string' && record.status === 'running')
  try {
    system.holdQueues()
    for (;;) {
      const open = findRuns(store, { status: ['running'] }).filter(system.isOpen)
      if (open.length === 0) return
      if (isServer) for (const key of open) if (areHandlersAtWork(key)) limit(key)
      await Promise.all(open.map((key) => system.stop(key).then(() => system.ended(key))))
    }
  } finally {
    leave()
    for (const cancel of limits) cancel()
  }
}
