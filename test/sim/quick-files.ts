/**
 * Files of simulated machines, in memory: below one folder, `node:fs/promises` answers at once and always in the same order.
 * Everything else goes to the real disk.
 */
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'

/** Where simulated machines have their homes. */
export const HOMES = '/simulated'

export interface QuickFiles {
  /** All folders and files below `HOMES`. */
  paths(): string[]
  /** Everything is forgotten. */
  clear(): void
  /** The real functions are back. */
  close(): void
}

/** An open file. Simulated processes write nothing, and nobody reads what is written. */
const EMPTY = {
  stat: async () => ({ size: 0 }),
  read: async () => ({ bytesRead: 0 }),
  write: async () => ({ bytesWritten: 0 }),
  truncate: async () => {},
  close: async () => {}
}
type Call = (path: string, ...rest: never[]) => Promise<unknown>

/** Takes over until `close`. */
export function openQuickFiles(): QuickFiles {
  /** True: a folder. */
  const tree = new Map<string, boolean>()
  const children = new Map<string, Set<string>>()
  const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code })
  const isThere = (path: string) => path === '/' || path === HOMES || tree.has(path)
  const below = (path: string) => children.get(path) ?? new Set<string>()

  function add(path: string, isFolder: boolean): void {
    tree.set(path, isFolder)
    const above = dirname(path)
    children.set(above, below(above).add(path))
  }
  function drop(path: string): void {
    for (const child of [...below(path)]) drop(child)
    tree.delete(path)
    children.delete(path)
    const beside = children.get(dirname(path))
    beside?.delete(path)
  }
  function makeAll(path: string): void {
    if (isThere(path)) return
    makeAll(dirname(path))
    add(path, true)
  }
  const quick: Record<string, Call> = {
    async mkdir(path, options?: { recursive?: boolean }) {
      if (options?.recursive) return makeAll(path)
      if (isThere(path)) throw failure('EEXIST', path)
      if (!isThere(dirname(path))) throw failure('ENOENT', path)
      return add(path, true)
    },
    async rmdir(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      if (below(path).size > 0) throw failure('ENOTEMPTY', path)
      drop(path)
    },
    async rm(path, options?: { force?: boolean }) {
      if (!isThere(path) && !options?.force) throw failure('ENOENT', path)
      drop(path)
    },
    async unlink(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      drop(path)
    },
    async readdir(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      return [...below(path)].map((child) => child.slice(path.length + 1)).sort()
    },
    async appendFile(path) {
      if (!isThere(dirname(path))) throw failure('ENOENT', path)
      if (!isThere(path)) add(path, false)
    },
    async open(path, flags: string) {
      if (!isThere(path) && flags !== 'w') throw failure('ENOENT', path)
      if (!isThere(path)) add(path, false)
      return EMPTY
    },
    async readFile(path) {
      throw failure('ENOENT', path)
    },
    async stat(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      return { size: 0, isFile: () => tree.get(path) === false, isDirectory: () => tree.get(path) !== false }
    }
  }

  const functions = promises as unknown as Record<string, Call>
  const real = Object.fromEntries(Object.keys(quick).map((name) => [name, functions[name]]))
  for (const [name, call] of Object.entries(quick)) {
    const disk = functions[name]
    functions[name] = (path, ...rest) =>
      typeof path === 'string' && path.startsWith(HOMES)
        ? call(path, ...rest)
        : (disk?.(path, ...rest) ?? Promise.resolve())
  }
  syncBuiltinESMExports()
  return {
    paths: () => [...tree.keys()],
    clear() {
      tree.clear()
      children.clear()
    },
    close() {
      Object.assign(functions, real)
      syncBuiltinESMExports()
    }
  }
}
