/** The write-ahead file in memory. What was appended is read again by the engine that comes after. */
import { deserialize, serialize } from 'node:v8'
import type { Changes } from '../../src/store/changes.ts'
import type { WriteAhead } from '../../src/store/write-ahead.ts'
import type { Disk } from './memory-store.ts'
import type { Moments } from './moments.ts'

export interface AheadFile {
  /** `at`: when it was appended. */
  entries: { at: number; bytes: Uint8Array }[]
}

export const leftIn = ({ entries }: Pick<AheadFile, 'entries'>): Changes[] =>
  entries.map(({ bytes }) => deserialize(bytes) as Changes)

/** The power goes. What was appended after `at` was not on the disk yet. @returns what is lost */
export function cutOff(file: AheadFile, at: number): Changes[] {
  const first = file.entries.findIndex((entry) => entry.at > at)
  return first < 0 ? [] : leftIn({ entries: file.entries.splice(first) })
}

/**
 * @param told of each turn as it is committed: when this returns, the turn survives the death of the engine
 * @param change what is really written: a planted bug
 */
export function memoryAhead(
  file: AheadFile,
  disk: Disk,
  moments: Moments,
  told: (changes: Changes) => void,
  change: (changes: Changes) => void = () => {}
): WriteAhead {
  return {
    append(changes) {
      if (!moments.passes('before an append')) throw new Error('the engine is dead')
      if (disk.full) throw new Error('ENOSPC: no space left on device')
      change(changes)
      const bytes = serialize(changes)
      file.entries.push({ at: moments.clock.now(), bytes })
      told(deserialize(bytes) as Changes)
      if (!moments.passes('after an append')) throw new Error('the engine is dead')
    },
    clear() {
      if (moments.alive) file.entries.splice(0)
    },
    close: () => {}
  }
}
