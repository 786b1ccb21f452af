/**
 * Which definitions are suspended: an empty file `<fileName>.suspend` for each. The flag belongs to the file name and survives
 * edits and restarts. Paths are only built from names of existing definitions. Source: api-semantics 10.3,
 * execution-semantics 11.14.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { codeOf, TroupeError } from '../../errors.ts'
import { makeFolderAtOnce, reasonOf } from '../../platform/make-folder.ts'

const EXTENSION = '.suspend'
/** Resolution of file times, a few ms: a more recent change may be followed by another with the same time. */
const SETTLED_MS = 100

export interface SuspendFlags {
  /**
   * File names of suspended definitions; flags may also be set by hand. The same set as long as the folder has not changed.
   * @throws TroupeError service_unavailable
   */
  all(): ReadonlySet<string>
  /** Sets or removes a flag; idempotent. @throws TroupeError service_unavailable */
  set(fileName: string, suspended: boolean): void
  /**
   * Moves a flag around a rename: the new name gets its flag before the file gets that name, so that after a crash in between no
   * schedule starts a suspended definition. The old flag is removed last.
   * @param rename renames the file; if it throws, the flags are as before
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
        // The listing of a folder that is being changed is not cached.
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
