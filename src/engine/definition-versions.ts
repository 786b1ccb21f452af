/** Notes which texts a definition has had: those that were saved, with who did, and those that were found in its file. */
import type { Clock } from '../clock.ts'
import { revisionOf } from '../definition/text/revision.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { StoredDefinition } from '../definitions/stored-definition.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import type { Store } from '../store/open.ts'
import { addVersion, latestRevision, moveVersions } from '../store/tables/versions.ts'

export interface VersionNotes {
  /** A text was read that may be another one than before. Returns at once. */
  found(stored: StoredDefinition): void
  /** Does `change`, which saves a text unless it says that it has not; no text of that file is noted meanwhile. */
  saving<T>(
    { fileName, spec, by }: { fileName: string; spec: string; by: string | undefined },
    change: () => Promise<T>,
    isSaved: (done: T) => boolean
  ): Promise<T>
  /** Does `change`, which gives a file a new name; no text of it is noted meanwhile. */
  renaming(fileName: string, newFileName: string, change: () => Promise<void>): Promise<void>
  /** Resolves when what was found and saved so far is stored; nothing is noted any more. */
  close(): Promise<void>
}

/** Texts of one transaction: a server that starts finds all of its definitions. */
const AT_ONCE = 50

// D1432: versions of definitions are entries of the store, noted by the engine that owns the home
/** @param parts `definitions`: whose texts these are */
export function versionNotes({
  store,
  clock,
  log,
  definitions
}: {
  store: Store
  clock: Clock
  log: Log
  definitions: Pick<Definitions, 'get'>
}): VersionNotes {
  const inTurn = oneAtATime()
  /** By file name: the latest text that was read and has not been looked at. */
  const waiting = new Map<string, { spec: string; at: number }>()
  let noting: Promise<void> | undefined
  let isClosed = false
  let isLooking = false

  async function note(): Promise<void> {
    while (waiting.size > 0 && !isClosed) {
      const some = [...waiting].slice(0, AT_ONCE)
      for (const [fileName] of some) waiting.delete(fileName)
      await Promise.all(
        // Not while it is being saved or renamed.
        some.map(([fileName, { spec, at }]) =>
          inTurn.take(fileName, async () => {
            // A text that was saved since is no older than this.
            if (!isLatest(fileName, spec) && isStill(fileName, spec)) await add(fileName, spec, at, 'found')
          })
        )
      )
    }
  }

  /** Most texts that are read are those of before a restart. */
  function isLatest(fileName: string, spec: string): boolean {
    try {
      return latestRevision(store, fileName) === revisionOf(spec)
    } catch {
      return false // `add` says why
    }
  }

  function isStill(fileName: string, spec: string): boolean {
    isLooking = true
    try {
      return definitions.get(fileName).spec === spec
    } catch {
      return false // it has gone
    } finally {
      isLooking = false
    }
  }

  async function add(fileName: string, spec: string, at: number, how: 'saved' | 'found', by?: string): Promise<void> {
    const revision = revisionOf(spec)
    try {
      if (latestRevision(store, fileName) === revision) return
      const version = { revision, at, how, spec, ...(by === undefined ? {} : { by }) }
      await addVersion(store, fileName, version)
    } catch (error) {
      log.warn(`the version of ${fileName} is not noted: ${messageOf(error)}`)
    }
  }

  return {
    found({ fileName, spec, inCode, isUnread }) {
      if (inCode || isUnread || isClosed || isLooking) return
      waiting.set(fileName, { spec, at: clock.now() })
      noting ??= Promise.resolve()
        .then(note)
        .finally(() => {
          noting = undefined
        })
    },
    saving: ({ fileName, spec, by }, change, isSaved) =>
      inTurn.take(fileName, async () => {
        const done = await change()
        if (isSaved(done)) await add(fileName, spec, clock.now(), 'saved', by)
        return done
      }),
    renaming(fileName, newFileName, change) {
      // In one order, so that two of them do not wait for each other.
      const [first = '', second = ''] = [fileName, newFileName].sort()
      return inTurn.take(first, () =>
        inTurn.take(second === first ? `${second}/` : second, async () => {
          await change()
          await moveVersions(store, fileName, newFileName).catch((error: unknown) =>
            log.warn(`the versions of ${fileName} stay under its old name: ${messageOf(error)}`)
          )
        })
      )
    },
    async close() {
      isClosed = true
      await noting
      await inTurn.settled()
    }
  }
}
