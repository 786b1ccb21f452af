/**
 * Files and folders of simulated machines. Each file has what was written and what is on the disk; names that were made or removed are
 * on the disk once their folder was flushed. A power cut leaves what is on the disk, and some of the rest.
 */
import { dirname } from 'node:path'
import type { Random } from '../../support/random.ts'

export interface Entry {
  isFolder: boolean
  data: Buffer
  /** What a power cut leaves of it. */
  flushed: Buffer
}

export interface Tree {
  get(path: string): Entry | undefined
  children(path: string): string[]
  /** @throws Error ENOENT, EEXIST */
  add(path: string, isFolder: boolean): Entry
  remove(path: string): void
  /** @throws Error ENOENT */
  rename(from: string, to: string): void
  /** The names in a folder are on the disk. */
  flushNames(folder: string): void
  /** The machine goes down: below this folder only what is on its disk is left. */
  losePower(root: string, random: Random): void
}

/** Without a stack: files that are not there are looked for twice a second, and a stack costs more than the look. */
export function failure(code: string, path: string): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = Object.assign(new Error(`${code}: ${path}`), { code })
  Error.stackTraceLimit = stackTraceLimit
  return error
}
const NOTHING = Buffer.alloc(0)

/** @param root it is there, and all above it */
export function openTree(root: string): Tree {
  const entries = new Map<string, Entry>()
  const names = new Map<string, Set<string>>()
  /** Changes of names that are not on the disk yet, in their order. */
  let unflushed: { folder: string; undo(): void }[] = []
  const isRoot = (path: string) => path === root || root.startsWith(path === '/' ? path : `${path}/`)

  function put(path: string, entry: Entry): void {
    entries.set(path, entry)
    const above = dirname(path)
    const beside = names.get(above) ?? new Set()
    names.set(above, beside.add(path))
  }
  /** With all below it. @returns what puts it back */
  function drop(path: string): () => void {
    const entry = entries.get(path)
    const below = [...(names.get(path) ?? [])].map(drop)
    entries.delete(path)
    names.delete(path)
    names.get(dirname(path))?.delete(path)
    return () => {
      if (entry) put(path, entry)
      for (const back of below) back()
    }
  }
  const note = (path: string, undo: () => void) => void unflushed.push({ folder: dirname(path), undo })
  const folder: Entry = { isFolder: true, data: NOTHING, flushed: NOTHING }

  const tree: Tree = {
    get: (path) => entries.get(path) ?? (isRoot(path) ? folder : undefined),
    children: (path) => [...(names.get(path) ?? [])].map((child) => child.slice(path.length + 1)).sort(),
    add(path, isFolder) {
      if (tree.get(path)) throw failure('EEXIST', path)
      if (tree.get(dirname(path))?.isFolder !== true) throw failure('ENOENT', path)
      const entry = { isFolder, data: NOTHING, flushed: NOTHING }
      put(path, entry)
      note(path, () => void drop(path))
      return entry
    },
    remove(path) {
      if (entries.has(path)) note(path, drop(path))
    },
    rename(from, to) {
      const entry = entries.get(from)
      if (!entry) throw failure('ENOENT', from)
      const before = drop(to)
      const back = drop(from)
      put(to, entry)
      note(to, () => {
        drop(to)
        back()
        before()
      })
    },
    flushNames(path) {
      unflushed = unflushed.filter((one) => one.folder !== path)
    },
    losePower(path, random) {
      const isHere = (one: string) => one === path || one.startsWith(`${path}/`)
      // Of each folder some of the latest changes are lost.
      const kept = new Map<string, number>()
      for (const one of unflushed) if (isHere(one.folder)) kept.set(one.folder, (kept.get(one.folder) ?? 0) + 1)
      for (const [one, count] of kept) kept.set(one, random.below(count + 1))
      const lost = unflushed.filter(({ folder }) => {
        const left = kept.get(folder)
        if (left === undefined) return false
        kept.set(folder, left - 1)
        return left <= 0
      })
      for (const { undo } of lost.reverse()) undo()
      unflushed = unflushed.filter(({ folder }) => !isHere(folder))
      for (const [one, entry] of entries) if (isHere(one)) entry.data = afterPowerCut(entry, random)
    }
  }
  return tree
}

/** All of it, what was flushed, or that and a part of what was appended since. */
function afterPowerCut(entry: Entry, { chance, below }: Random): Buffer {
  const { data, flushed } = entry
  if (data === flushed || chance(0.3)) return data
  const isLonger = data.length > flushed.length && data.subarray(0, flushed.length).equals(flushed)
  return isLonger ? data.subarray(0, flushed.length + below(data.length - flushed.length)) : flushed
}
