/** Enters changes of a home that no engine owns: of a command that needs none. */
import { type Clock, pause } from '../clock.ts'
import { TroupeError } from '../errors.ts'
import { takeLock } from '../store/disk/lock.ts'
import { openStore } from '../store/open.ts'
import type { NewEntry } from './entry.ts'
import { openTrail, type TrailOptions } from './trail.ts'

/** For an engine that is about to end. */
const PATIENCE_MS = 5_000
const RETRY_MS = 100

// D1462: what a command does without an engine is entered by the owner of the home, else by the command itself
/** Resolves when it is flushed. @throws TroupeError service_unavailable: an engine owns the home, or it cannot be written */
export async function enterAlone(
  {
    dataDir,
    clock,
    ...options
  }: Pick<TrailOptions, 'dir' | 'retentionDays' | 'mask'> & { dataDir: string; clock: Clock },
  entries: readonly NewEntry[]
): Promise<void> {
  const ends = clock.elapsed() + PATIENCE_MS
  for (;;)
    try {
      await enter()
      return
    } catch (error) {
      const isInUse = error instanceof TroupeError && error.details?.owner !== undefined
      if (!isInUse || clock.elapsed() > ends) throw error
      await pause(clock, RETRY_MS)
    }

  async function enter(): Promise<void> {
    const store = openStore(dataDir)
    let unlock = () => {}
    try {
      unlock = takeLock(store)
      const trail = openTrail({ ...options, store, clock, strict: true, report: () => {} })
      try {
        await Promise.all(entries.map((entry) => trail.note(entry)))
      } finally {
        await trail.close()
      }
    } finally {
      unlock()
      await store.root.close()
    }
  }
}
