/** Notes in memory when API keys are used, and stores it once a minute at most. Source: docs/authentication.md "API keys". */
import type { Clock } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import type { Store } from '../../store/open.ts'
import type { StoredKey } from '../../store/stored.ts'
import { keepKeys } from '../../store/tables/access-keys.ts'

const BETWEEN_WRITES_MS = 60_000

/** A key as it is stored, or being stored. */
interface Used {
  stored: StoredKey
}

// D1443: the last use of a key is stored once a minute at most, and when the engine closes
export function keyUses(clock: Clock, store: Store, warn: (text: string) => void) {
  const last = new Map<string, number>()
  const unstored = new Map<string, Used>()
  let cancel: (() => void) | undefined
  let nextWriteAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    cancel?.()
    cancel = undefined
    nextWriteAt = clock.elapsed() + BETWEEN_WRITES_MS
    const changes = new Map<string, StoredKey>()
    for (const [id, key] of unstored) {
      const lastUsedAt = last.get(id)
      // A key that was revoked must not be written over: its entry has its last use already.
      if (key.stored.revokedAt !== undefined || lastUsedAt === undefined) continue
      key.stored = { ...key.stored, lastUsedAt }
      changes.set(id, key.stored)
    }
    unstored.clear()
    if (changes.size === 0) return
    try {
      await keepKeys(store, changes)
    } catch (error) {
      warn(`when API keys were last used cannot be stored: ${messageOf(error)}`)
    }
  }

  const writeNow = () => {
    writing = writing.then(write)
    return writing
  }
  return {
    note(id: string, key: Used) {
      last.set(id, clock.now())
      unstored.set(id, key)
      cancel ??= clock.after(Math.max(0, nextWriteAt - clock.elapsed()), writeNow)
    },
    /** Epoch ms; undefined: not since the start. */
    lastOf: (id: string): number | undefined => last.get(id),
    /** Stores what is not stored yet. */
    close: writeNow
  }
}
