/**
 * Which definitions are suspended: an empty file `<fileName>.suspend` each. The flag belongs to the file name and survives
 * edits and restarts. Paths are made from the names of definitions that were found only. Source: api-semantics 10.3,
 * execution-semantics 11.14.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TroupeError } from '../errors.ts'

const EXTENSION = '.suspend'

export interface SuspendFlags {
  /** File names of suspended definitions; read anew, for people set flags by hand too. */
  all(): ReadonlySet<string>
  /** Sets or removes a flag; the same twice is no error. @throws TroupeError service_unavailable */
  set(fileName: string, suspended: boolean): void
  /** The flag goes along when a definition is renamed; a flag that stood there before goes. @throws TroupeError service_unavailable */
  move(fileName: string, newFileName: string): void
}

export function suspendFlags(folder: string): SuspendFlags {
  const path = (fileName: string) => join(folder, fileName + EXTENSION)
  const flags: SuspendFlags = {
    all() {
      try {
        const names = readdirSync(folder).filter((name) => name.endsWith(EXTENSION))
        return new Set(names.map((name) => name.slice(0, -EXTENSION.length)))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
        throw error
      }
    },
    set: (fileName, suspended) =>
      written(() => {
        if (!suspended) return rmSync(path(fileName), { force: true })
        mkdirSync(folder, { recursive: true, mode: 0o755 })
        writeFileSync(path(fileName), '', { mode: 0o600 })
      }),
    move: (fileName, newFileName) =>
      written(() => {
        if (flags.all().has(fileName)) renameSync(path(fileName), path(newFileName))
        else rmSync(path(newFileName), { force: true })
      })
  }
  return flags
}

function written(change: () => void): void {
  try {
    change()
  } catch (cause) {
    throw new TroupeError('service_unavailable', 'the suspend flag could not be written: its folder refuses it', {
      cause
    })
  }
}
