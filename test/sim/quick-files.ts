/**
 * Files of simulated machines, in memory: below one folder, `node:fs/promises` answers at once and always in the same order, and so
 * do the functions of `node:fs` that runs use. Everything else goes to the real disk.
 */
import fs from 'node:fs'
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

/** An open file. Simulated processes write nothing, and what is written is never read. */
const EMPTY = {
  stat: async () => ({ size: 0 }),
  read: async () => ({ bytesRead: 0 }),
  write: async () => ({ bytesWritten: 0 }),
  truncate: async () => {},
  close: async () => {}
}
type Call = (path: string, ...rest: never[]) => unknown

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
    mkdir(path, options?: { recursive?: boolean }) {
      if (options?.recursive) return makeAll(path)
      if (isThere(path)) throw failure('EEXIST', path)
      if (!isThere(dirname(path))) throw failure('ENOENT', path)
      return add(path, true)
    },
    rmdir(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      if (below(path).size > 0) throw failure('ENOTEMPTY', path)
      drop(path)
    },
    rm(path, options?: { force?: boolean }) {
      if (!isThere(path) && !options?.force) throw failure('ENOENT', path)
      drop(path)
    },
    unlink(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      drop(path)
    },
    readdir(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      return [...below(path)].map((child) => child.slice(path.length + 1)).sort()
    },
    appendFile(path) {
      if (!isThere(dirname(path))) throw failure('ENOENT', path)
      if (!isThere(path)) add(path, false)
    },
    open(path, flags: string) {
      if (!isThere(path) && flags !== 'w') throw failure('ENOENT', path)
      if (!isThere(path)) add(path, false)
      return EMPTY
    },
    readFile(path) {
      throw failure('ENOENT', path)
    },
    access(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
    },
    stat(path) {
      if (!isThere(path)) throw failure('ENOENT', path)
      return { size: 0, isFile: () => tree.get(path) === false, isDirectory: () => tree.get(path) !== false }
    }
  }

  const isSimulated = (path: unknown) => typeof path === 'string' && path.startsWith(HOMES)
  const restores: (() => void)[] = []
  function replace(functions: Record<string, Call>, name: string, call: Call): void {
    const disk = functions[name]
    if (!disk) throw new Error(`there is no ${name}`)
    functions[name] = (path, ...rest) => (isSimulated(path) ? call : disk)(path, ...rest)
    restores.push(() => {
      functions[name] = disk
    })
  }
  for (const [name, call] of Object.entries(quick))
    replace(promises as unknown as Record<string, Call>, name, async (path, ...rest) => call(path, ...rest))
  for (const name of ['mkdir', 'stat', 'access'])
    replace(fs as unknown as Record<string, Call>, `${name}Sync`, (path, ...rest) => quick[name]?.(path, ...rest))
  replace(fs as unknown as Record<string, Call>, 'existsSync', isThere)
  // At once: whether a thread looks or the engine itself, by the time of the machine, changes no order.
  replace(fs as unknown as Record<string, Call>, 'stat', (path, tell: (error: unknown, found?: unknown) => void) =>
    tell(isThere(path) ? null : failure('ENOENT', path), isThere(path) ? quick.stat?.(path) : undefined)
  )
  syncBuiltinESMExports()
  return {
    paths: () => [...tree.keys()],
    clear() {
      tree.clear()
      children.clear()
    },
    close() {
      for (const restore of restores) restore()
      syncBuiltinESMExports()
    }
  }
}
