/** The write-ahead file in memory. What was appended is read again by the engine that comes after. */
import { deserialize, serialize } from 'node:v8'
import type { Changes } from '../../store/changes.ts'
import type { WriteAhead } from '../../store/disk/write-ahead.ts'
import type { Moments } from '../moments.ts'
import type { Disk } from './memory-store.ts'

/** A power loss takes what was written but not yet flushed, at most this old. */
export const ON_ITS_WAY_MS = 20_000

export interface AheadFile {
  entries: Entry[]
  /** Entries that were cleared away lately. */
  cleared: (Entry & { until: number })[]
}
interface Entry {
  /** When the entry was appended. */
  at: number
  read(): Changes
}

export const leftIn = ({ entries }: Pick<AheadFile, 'entries'>): Changes[] => entries.map(({ read }) => read())

/** Everything in it is in the store. */
export function emptyAhead(file: AheadFile, now: number): void {
  const first = file.cleared.findIndex(({ until }) => until > now - ON_ITS_WAY_MS)
  file.cleared.splice(0, first < 0 ? file.cleared.length : first)
  for (const entry of file.entries.splice(0)) file.cleared.push({ ...entry, until: now })
}

/** A power loss: the disk has an earlier state of the file, as nothing waits until it is flushed. @returns what is lost */
export function cutOff(file: AheadFile, now: number): Changes[] {
  const then = now - ON_ITS_WAY_MS
  const stale = file.cleared.splice(0).filter(({ until }) => until > then)
  const all: Entry[] = [...stale, ...file.entries]
  const end = all.findIndex(({ at }) => at > then)
  file.entries = end < 0 ? all : all.slice(0, end)
  return end < 0 ? [] : leftIn({ entries: all.slice(Math.max(end, stale.length)) })
}

function packedAtOnce(changes: Changes): () => Changes {
  const bytes = serialize(changes)
  return () => deserialize(bytes) as Changes
}

/**
 * @param committed called with each transaction as it is committed: when it returns, the transaction survives a crash of the engine
 * @param change what is really written: a planted bug
 * @param packed what is read again; default: as it is now
 */
export function memoryAhead(
  file: AheadFile,
  disk: Disk,
  moments: Moments,
  committed: (read: () => Changes) => void,
  change: (changes: Changes) => void = () => {},
  packed = packedAtOnce
): WriteAhead {
  return {
    append(changes) {
      if (!moments.passes('before an append')) throw new Error('the engine is dead')
      if (disk.full) throw new Error('ENOSPC: no space left on device')
      change(changes)
      const read = packed(changes)
      file.entries.push({ at: moments.clock.now(), read })
      committed(read)
      if (!moments.passes('after an append')) throw new Error('the engine is dead')
    },
    clear() {
      if (moments.alive) emptyAhead(file, moments.clock.now())
    },
    close: () => {}
  }
}
