/** Finds the file of a program as `execvp` does. A shell is looked for once, not by each step. Source: execution-semantics 4.1. */
import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isShellLike } from '../../../definition/shell/shell.ts'

/** What the C library searches when there is no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin'
const KEPT = 64

/** Resolves a name to a path; empty: there is no such program. @param path value of PATH @param cwd for its relative folders */
export type FindProgram = (name: string, path: string | undefined, cwd: string) => string

export function programFinder(): FindProgram {
  const shells = new Map<string, string>()
  return (name, path = DEFAULT_PATH, cwd) => {
    if (name.includes('/')) return name
    if (!isShellLike(name)) return search(name, path, cwd)
    const key = `${name}\0${path}`
    const known = shells.get(key)
    if (known !== undefined && isFile(known)) return known
    const found = search(name, path, cwd)
    if (shells.size >= KEPT) shells.clear()
    if (isAbsolute(found) && path.split(':').every(isAbsolute)) shells.set(key, found)
    return found
  }
}

/** The first that may be executed, or else the first that is there: executing that one says why it cannot be. */
function search(name: string, path: string, cwd: string): string {
  if (name === '') return ''
  let refused = ''
  for (const folder of path.split(':')) {
    const file = join(isAbsolute(folder) ? folder : join(cwd, folder), name)
    if (!isFile(file)) continue
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      refused ||= file
    }
  }
  return refused
}

/** A folder that the engine may not look into, as one of somebody else that was left in PATH, has no program for it. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false
  }
}
