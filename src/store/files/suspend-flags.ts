/**
 * Which definitions are suspended: an empty file `<fileName>.suspend` each. The flag belongs to the file name and survives
 * edits and restarts. Paths are made from the names of definitions that were found only. Source: api-semantics 10.3,
 * execution-semantics 11.14.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { codeOf, TroupeError } from '../../errors.ts'
import { makeFolderAtOnce, reasonOf } from '../../platform/make-folder.ts'

const EXTENSION = '.suspend'
/** File systems tell changes apart by a clock of a few ms: a younger change may not be the last at its time. */
const SETTLED_MS = 100

export interface SuspendFlags {
  /**
   * File names of suspended definitions; people set flags by hand too. The same set as long as the folder has not changed.
   * @throws TroupeError service_unavailable
   */
  all(): ReadonlySet<string>
  /** Sets or removes a flag; the same twice is no error. @throws TroupeError service_unavailable */
  set(fileName: string, suspended: boolean): void
  /**
   * The new name has the flag of the old one before the file has that name, so that a crash in between lets no schedule start what is
   * suspended. The old flag stays until it is removed.
   * @param rename gives the file its new name; when it throws, the flags are as they were
   * @throws TroupeError service_unavailable
   */
  carry(fileName: string, newFileName: string, rename: () => void): void
}

export function suspendFlags(folder: string, clock: Clock): SuspendFlags {
  let known: { stamp: string; names: ReadonlySet<string> } = { stamp: '', names: new Set() }
  const path = (fileName: string) => join(folder, fileName + EXTENSION)
  const flags: SuspendFlags = {
    all() {
      try {
        const { ctimeMs, mtimeMs, ino } = statSync(folder)
        const isSettled = clock.now() - Math.max(ctimeMs, mtimeMs) > SETTLED_MS
        const stamp = `${ctimeMs}:${mtimeMs}:${ino}`
        if (isSettled && stamp === known.stamp) return known.names
        const flags = readdirSync(folder).filter((name) => name.endsWith(EXTENSION))
        const names = new Set(flags.map((name) => name.slice(0, -EXTENSION.length)))
        // What was read of a folder that is changing is not relied on.
        if (isSettled || names.size !== known.names.size || [...names].some((name) => !known.names.has(name)))
          known = { stamp: isSettled ? stamp : '', names }
        return known.names
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return new Set()
        throw unreadable(folder, error)
      }
    },
    set: (fileName, suspended) =>
      written(() => {
        if (!suspended) return rmSync(path(fileName), { force: true })
        makeFolderAtOnce(folder, 0o755)
        writeFileSync(path(fileName), '', { mode: 0o600 })
      }),
    carry(fileName, newFileName, rename) {
      const before = flags.all()
      flags.set(newFileName, before.has(fileName))
      try {
        rename()
      } catch (error) {
        flags.set(newFileName, before.has(newFileName))
        throw error
      }
    }
  }
  return flags
}

const unreadable = (folder: string, cause: unknown) =>
  new TroupeError(
    'service_unavailable',
    `the suspend flags cannot be read: ${folder}: ${reasonOf(cause)}; until they can, no schedule starts anything`,
    { cause }
  )

function written(change: () => void): void {
  try {
    change()
  } catch (cause) {
    if (cause instanceof TroupeError) throw cause
    throw new TroupeError('service_unavailable', 'the suspend flag could not be written: its folder refuses it', {
      cause
    })
  }
}
