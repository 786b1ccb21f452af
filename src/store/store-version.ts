/**
 * Which releases can read a store. `meta` has it, which any release can read: the version of the stored form, the release that raised it
 * to that, and the one that has owned the home last.
 */
import type { Database, RootDatabase } from 'lmdb'
import { TroupeError } from '../errors.ts'
import { VERSION } from '../version.ts'

// D860, D1485: new tables need no migration
/**
 * Raised when the meaning of stored data changes. Newer data is refused, older data can be read: 2 writes journal records by position
 * (`journal-text.ts`), 3 writes runs and nodes as JSON (`entry-text.ts`), 4 writes a checksum before each entry (`sealed.ts`), 5 has
 * states that charts before do not know (steps that wait for signals, times and code; runs on workers).
 */
export const STORE_VERSION = 5

export interface WrittenBy {
  /** Undefined: nothing was stored yet. */
  version?: number
  /** The release that owned the home last. Undefined: 0.5.0 or older. */
  release?: string
  /** The first release that stored data of this version. Undefined: as above. */
  since?: string
}

type Meta = Database<number | string, string>
/** Undefined: opened read-only, and nothing was stored yet. */
const metaOf = (root: RootDatabase): Meta | undefined => root.openDB<number | string, string>({ name: 'meta' })

function versionIn(meta: Meta | undefined): number | undefined {
  const version = meta?.get('version')
  return typeof version === 'number' ? version : undefined
}

export function writtenBy(root: RootDatabase): WrittenBy {
  const meta = metaOf(root)
  const text = (key: string) => {
    const value = meta?.get(key)
    return typeof value === 'string' ? value : undefined
  }
  const [version, release, since] = [versionIn(meta), text('release'), text('since')]
  return {
    ...(version === undefined ? {} : { version }),
    ...(release === undefined ? {} : { release }),
    ...(since === undefined ? {} : { since })
  }
}

/** @throws TroupeError internal_error: a newer release has written it; it says which, and how to go back */
export function refuseNewer(root: RootDatabase): void {
  // Before it is known whether pages are damaged, nothing more is read: a text may be, and its length then ends the process.
  const version = versionIn(metaOf(root)) ?? 0
  if (version <= STORE_VERSION) return
  const { release, since = release } = writtenBy(root)
  const by = release === undefined ? 'a newer release of Troupe' : `Troupe ${release}`
  const wanted = since === undefined ? 'that release' : `Troupe ${since} or newer`
  throw new TroupeError(
    'internal_error',
    `the store was written by ${by} (store version ${version}); this is Troupe ${VERSION}, which reads up to version ${STORE_VERSION}, and has changed nothing: ` +
      `use ${wanted}, or go back by a backup from before the upgrade (troupe restore DIR --replace)`
  )
}

/** A store that is new here. */
export function noteVersion(root: RootDatabase): void {
  if (metaOf(root)?.get('version') === undefined) raiseVersion(root)
}

/** For the owner of the home: from now on data is written by this release, and older releases that could not read it refuse it. */
export function raiseVersion(root: RootDatabase): void {
  const meta = metaOf(root)
  const { version = 0, release } = writtenBy(root)
  if (!meta || version > STORE_VERSION) return // it is only set aside: `restore.ts`
  if (version < STORE_VERSION) {
    meta.putSync('version', STORE_VERSION)
    meta.putSync('since', VERSION)
  }
  if (release !== VERSION) meta.putSync('release', VERSION)
}
