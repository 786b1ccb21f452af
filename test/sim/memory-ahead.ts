/** The write-ahead file in memory. What was appended is read again by the engine that comes after. */
import { deserialize, serialize } from 'node:v8'
import type { Changes } from '../../src/store/changes.ts'
import type { WriteAhead } from '../../src/store/write-ahead.ts'
import type { Disk } from './memory-store.ts'
import type { Moments } from './moments.ts'

export interface AheadFile {
  entries: Uint8Array[]
}

export const leftIn = ({ entries }: AheadFile): Changes[] => entries.map((entry) => deserialize(entry) as Changes)

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
      const entry = serialize(changes)
      file.entries.push(entry)
      told(deserialize(entry) as Changes)
      if (!moments.passes('after an append')) throw new Error('the engine is dead')
    },
    clear() {
      if (moments.alive) file.entries.splice(0)
    },
    close: () => {}
  }
}
