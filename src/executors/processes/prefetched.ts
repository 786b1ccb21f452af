/**
 * Records of executions that a thread reads before anybody looks for them: after a restart there may be thousands, and the disk
 * is not waited for. A caller gets what it was a moment ago, as if it had just read it; see `watch` in launcher.ts.
 */
import type { Clock } from '../../clock.ts'
import { inThread } from '../frame/worker-thread.ts'
import type { Prefetched } from './prefetch-worker.ts'
import { readRecord, type StateRecord } from './state-file.ts'

/** Records that are kept; the oldest go first, as nobody who looked in that folder has asked for them. */
const MOST = 1_500
const HEAP_MB = 64

// D865: a thread reads execution records ahead
export function prefetchedRecords(clock: Clock) {
  const found = new Map<string, StateRecord>()
  let reading = Promise.resolve()

  async function readAhead(folders: string[], signal: AbortSignal): Promise<void> {
    const module = new URL('./prefetch-worker.js', import.meta.url)
    const work = { module, kept: true, data: folders, signal, limitMs: 0, heapMb: HEAP_MB }
    for (const [path, record] of await inThread<Prefetched>(work, clock)) found.set(path, record)
    for (const path of found.keys()) {
      if (found.size <= MOST) break
      found.delete(path)
    }
  }

  return {
    /** @param folders log folders whose records somebody will soon look for. Resolves when they are read, or given up; never rejects */
    prefetch(folders: string[], signal: AbortSignal): Promise<void> {
      // Without a thread the caller reads.
      reading = reading.then(() => readAhead(folders, signal)).catch(() => {})
      return reading
    },
    /** As it was found by the thread, once; as it is when that has not found it. */
    read(path: string): StateRecord {
      const record = found.get(path)
      found.delete(path)
      return record ?? readRecord(path)
    }
  }
}
