/** Versions of stored definitions: which texts a file has had, since when, and by whom. */
import { inTransaction } from '../commit.ts'
import { readRange } from '../damage/damaged.ts'
import type { Store, VersionKey } from '../open.ts'
import type { StoredVersion } from '../stored.ts'
import { isVersion } from '../stored.ts'

// D1432: versions of definitions are entries of the store, noted by the engine that owns the home
/** Limits of one definition; the oldest versions go first, and the latest always stays. */
const MOST_VERSIONS = 100
const MOST_BYTES = 4 * 1024 * 1024

/** A version with its text, which is stored with the first version that has it. */
export interface Version extends StoredVersion {
  number: number
  spec: string
}

const rangeOf = (fileName: string): { start: VersionKey; end: VersionKey } => ({
  start: [fileName, 0],
  end: [fileName, Number.MAX_VALUE]
})

/** Newest first. */
export function versionsOf(store: Store, fileName: string): Version[] {
  const entries = readRange(store.versions, rangeOf(fileName), isVersion)
  const texts = new Map<string, string>()
  for (const { value } of entries) if (value.spec !== undefined) texts.set(value.revision, value.spec)
  const versions: Version[] = []
  for (const { key, value } of entries) {
    const spec = texts.get(value.revision)
    if (spec !== undefined) versions.push({ ...value, number: key[1], spec })
  }
  return versions.reverse()
}

/** Revision of the text that a definition had last; undefined: none is known. */
export function latestRevision(store: Store, fileName: string): string | undefined {
  const { start, end } = rangeOf(fileName)
  return readRange(store.versions, { start: end, end: start, reverse: true, limit: 1 }, isVersion)[0]?.value.revision
}

type Added = StoredVersion & { spec: string }

/** Adds a version, and removes the oldest beyond the limits. Resolves when stored. One at a time for each file: it reads what is stored. */
export const addVersion = (store: Store, fileName: string, version: Added): Promise<void> =>
  inTransaction(store, () => write(store, fileName, [version, ...versionsOf(store, fileName)]))

/** Moves all versions of a definition to another file name, behind those that are there. */
export const moveVersions = (store: Store, from: string, to: string): Promise<void> =>
  inTransaction(store, () => {
    const moved = versionsOf(store, from)
    if (moved.length === 0) return
    const unnumbered = moved.map(({ number: _, ...version }) => version)
    write(store, to, [...unnumbered, ...versionsOf(store, to)])
    for (const key of keysOf(store, from)) store.versions.remove(key)
  })

const keysOf = (store: Store, fileName: string): VersionKey[] => Array.from(store.versions.getKeys(rangeOf(fileName)))

/** @param all newest first; those without a number are new */
function write(store: Store, fileName: string, all: readonly (Added & { number?: number })[]): void {
  const kept = fitting(all)
  let number = all.find((one) => one.number !== undefined)?.number ?? 0
  const numbered = kept.toReversed().map((one) => ({ ...one, number: one.number ?? ++number }))
  const isKept = new Set(numbered.map((one) => one.number))
  for (const key of keysOf(store, fileName)) if (!isKept.has(key[1])) store.versions.remove(key)
  // With the first version that has it, since an earlier one may have gone.
  const texts = new Set<string>()
  for (const { number, spec, ...version } of numbered) {
    const isFirst = !texts.has(version.revision)
    texts.add(version.revision)
    const entry = { ...version, ...(isFirst ? { spec } : {}) }
    const before = store.versions.get([fileName, number])
    if (before?.revision !== entry.revision || before.spec !== entry.spec) store.versions.put([fileName, number], entry)
  }
}

/** The newest, as many as are kept. */
function fitting<T extends Added>(all: readonly T[]): T[] {
  const texts = new Set<string>()
  let bytes = 0
  const tooMany = all.findIndex(({ revision, spec }, at) => {
    if (!texts.has(revision)) bytes += Buffer.byteLength(spec)
    texts.add(revision)
    return at > 0 && (at >= MOST_VERSIONS || bytes > MOST_BYTES)
  })
  return all.slice(0, tooMany < 0 ? all.length : tooMany)
}
