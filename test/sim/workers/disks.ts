/**
 * The files of all simulated machines, in memory: below one folder, `node:fs` and `node:fs/promises` answer at once and in the same order
 * each time. A process has its home under a name of its own, `<home>@<number of the process>`: after its end nothing that it still wanted
 * to write arrives. Everything else goes to the real disk.
 */
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'
import type { Random } from '../../support/random.ts'
import { HOMES } from '../quick-files.ts'
import { type Entry, failure, openTree } from './tree.ts'

/** A process that has files. */
export interface Owner {
  readonly alive: boolean
  /** It is about to change something; false: it dies before it does. */
  passes(): boolean
  /** Resolves when the disk has written: never, if the process has ended by then. */
  flushed(): Promise<void>
  readonly isDiskFull: boolean
  /** What it flushes is on no disk: a planted bug. */
  readonly isUnflushed?: boolean
}

export interface Disks {
  /** Path of a home, as its process sees it. */
  mount(home: string, number: number, owner: Owner): string
  losePower(home: string, random: Random): void
  /** The disk is gone. */
  erase(home: string): void
  /** What others than workers have on a disk: it is there at once. */
  keep(path: string, text: string): void
  read(path: string): string | undefined
  names(folder: string): string[]
  close(): void
}

const TAG = /@\d{4}(?=\/|$)/
const never = () => new Promise<never>(() => {})
/** The path by which all processes of a home know a file. */
export const commonPath = (path: string): string => path.replace(TAG, '')

type Call = (...args: never[]) => unknown

export function openDisks(): Disks {
  const tree = openTree(HOMES)
  const owners = new Map<string, Owner>()
  const open = new Map<number, { entry: Entry; path: string; owner: Owner | undefined }>()
  let lastFile = 1_000_000

  const tagIn = (path: string) => TAG.exec(path)
  function ownerOf(path: string): Owner | undefined {
    const tag = tagIn(path)
    return tag ? owners.get(path.slice(0, tag.index + tag[0].length)) : undefined
  }
  /** Paths that an earlier process has written down are those of this one, too. */
  function read({ data }: Entry, path: string): Buffer {
    const tag = tagIn(path)
    if (!tag || !data.includes('@')) return data
    return Buffer.from(data.toString('latin1').replace(/@\d{4}\//g, `${tag[0]}/`), 'latin1')
  }
  const found = (path: string): Entry => {
    const entry = tree.get(path)
    if (!entry) throw failure('ENOENT', path)
    return entry
  }
  const refuseFull = (owner: Owner | undefined, path: string) => {
    if (owner?.isDiskFull) throw failure('ENOSPC', path)
  }
  function opened(path: string, flags: string | number = 'r'): Entry {
    const has = (flag: number) => typeof flags === 'number' && (flags & flag) !== 0
    const creates = flags === 'w' || flags === 'a' || has(fs.constants.O_CREAT)
    const entry = tree.get(path) ?? (creates ? tree.add(path, false) : found(path))
    if (flags === 'w' || has(fs.constants.O_TRUNC)) entry.data = Buffer.alloc(0)
    return entry
  }
  const bytesOf = (data: string | Uint8Array) => (typeof data === 'string' ? Buffer.from(data) : Buffer.from(data))
  const append = (entry: Entry, data: string | Uint8Array) => {
    entry.data = Buffer.concat([entry.data, bytesOf(data)])
  }
  const statsOf = ({ data, isFolder }: Entry) => ({
    size: data.length,
    birthtimeMs: 0,
    mtimeMs: 0,
    ctimeMs: 0,
    dev: 1,
    ino: 1,
    isFile: () => !isFolder,
    isDirectory: () => isFolder,
    isSymbolicLink: () => false
  })
  const textOr = (data: Buffer, options?: string | { encoding?: string }) =>
    (typeof options === 'string' ? options : options?.encoding) ? data.toString() : data

  function makeAll(path: string): void {
    if (tree.get(path)) return
    makeAll(dirname(path))
    tree.add(path, true)
  }
  /** Of a path without the name of its process. `changes`: it writes. */
  const calls: Record<string, (path: string, seen: string, ...rest: never[]) => unknown> = {
    mkdir(path, seen, options?: { recursive?: boolean }) {
      refuseFull(ownerOf(seen), path)
      if (options?.recursive) makeAll(path)
      else tree.add(path, true)
    },
    rmdir(path) {
      found(path)
      if (tree.children(path).length > 0) throw failure('ENOTEMPTY', path)
      tree.remove(path)
    },
    rm(path, _, options?: { force?: boolean }) {
      if (!options?.force) found(path)
      tree.remove(path)
    },
    unlink(path) {
      found(path)
      tree.remove(path)
    },
    readdir(path) {
      found(path)
      return tree.children(path)
    },
    rename: (path, _, to: string) => tree.rename(path, commonPath(to)),
    truncate(path, _, size: number = 0) {
      const entry = found(path)
      entry.data = entry.data.subarray(0, size)
    },
    appendFile(path, seen, data: string | Uint8Array) {
      refuseFull(ownerOf(seen), path)
      append(opened(path, 'a'), data)
    },
    writeFile(path, seen, data: string | Uint8Array) {
      refuseFull(ownerOf(seen), path)
      opened(path, 'w').data = bytesOf(data)
    },
    readFile: (path, seen, options?: string) => textOr(read(found(path), seen), options),
    access: (path) => void found(path),
    stat(path, _, options?: { throwIfNoEntry?: boolean }) {
      const entry = options?.throwIfNoEntry === false ? tree.get(path) : found(path)
      return entry && statsOf(entry)
    }
  }
  const CHANGES = new Set(['mkdir', 'rmdir', 'rm', 'unlink', 'rename', 'truncate', 'appendFile', 'writeFile'])

  function flush(entry: Entry, path: string): void {
    if (entry.isFolder) tree.flushNames(path)
    else entry.flushed = entry.data
  }
  async function handleOf(path: string, seen: string, flags?: string | number) {
    const owner = ownerOf(seen)
    const entry = opened(path, flags)
    const isThere = async () => (owner && !owner.alive ? never() : undefined)
    async function written(change: () => void): Promise<void> {
      if (owner && !owner.passes()) return never()
      refuseFull(owner, path)
      change()
    }
    async function sync(): Promise<void> {
      if (owner && !owner.passes()) return never()
      await owner?.flushed()
      refuseFull(owner, path)
      if (!owner?.isUnflushed) flush(entry, path)
    }
    return {
      async stat() {
        await isThere()
        return statsOf(entry)
      },
      async read(into: Buffer, offset: number, length: number, from: number) {
        await isThere()
        return { bytesRead: read(entry, seen).copy(into, offset, from, from + length) }
      },
      appendFile: (data: string | Uint8Array) => written(() => append(entry, data)),
      writeFile: (data: string | Uint8Array) => written(() => append(entry, data)),
      write: (data: string | Uint8Array) => written(() => append(entry, data)),
      truncate: (size: number) =>
        written(() => {
          entry.data = entry.data.subarray(0, size)
        }),
      datasync: sync,
      sync,
      close: isThere
    }
  }

  const isSimulated = (path: unknown): path is string => typeof path === 'string' && path.startsWith(HOMES)
  const restores: (() => void)[] = []
  function replace(functions: object, name: string, call: (real: Call) => (...args: never[]) => unknown): void {
    const all = functions as Record<string, Call>
    const real = all[name]
    if (!real) throw new Error(`there is no ${name}`)
    all[name] = call(real)
    restores.push(() => {
      all[name] = real
    })
  }
  const atOnce =
    (name: string, call: (path: string, seen: string, ...rest: never[]) => unknown) =>
    (seen: string, ...rest: never[]) => {
      const owner = ownerOf(seen)
      const isThere = CHANGES.has(name) ? owner?.passes() : owner?.alive
      if (isThere === false) throw new Error('the process has ended')
      return call(commonPath(seen), seen, ...rest)
    }
  for (const [name, call] of Object.entries(calls)) {
    const now = atOnce(name, call)
    replace(promises, name, (real) => (seen: never, ...rest: never[]) => {
      if (!isSimulated(seen)) return real(seen, ...rest)
      const owner = ownerOf(seen)
      if (owner && !(CHANGES.has(name) ? owner.passes() : owner.alive)) return never()
      return (async () => call(commonPath(seen), seen, ...rest))()
    })
    replace(
      fs,
      `${name}Sync`,
      (real) =>
        (seen: never, ...rest: never[]) =>
          isSimulated(seen) ? now(seen, ...rest) : real(seen, ...rest)
    )
    if (name === 'stat' || name === 'rmdir')
      replace(fs, name, (real) => (seen: never, ...rest: never[]) => {
        if (!isSimulated(seen)) return real(seen, ...rest)
        const tell = rest.at(-1) as unknown as (error: unknown, found?: unknown) => void
        let said: unknown
        try {
          said = now(seen)
        } catch (error) {
          return tell(error)
        }
        return tell(null, said)
      })
  }
  replace(
    promises,
    'open',
    (real) =>
      (seen: never, flags: never, ...rest: never[]) =>
        isSimulated(seen) ? handleOf(commonPath(seen), seen, flags) : real(seen, flags, ...rest)
  )
  replace(
    promises,
    'statfs',
    (real) =>
      (seen: never, ...rest: never[]) =>
        isSimulated(seen) ? Promise.reject(failure('ENOSYS', seen)) : real(seen, ...rest)
  )
  replace(
    fs,
    'existsSync',
    (real) => (seen: never) =>
      isSimulated(seen) ? ownerOf(seen)?.alive !== false && tree.get(commonPath(seen)) !== undefined : real(seen)
  )
  replace(fs, 'openSync', (real) => (seen: never, flags: never, ...rest: never[]) => {
    if (!isSimulated(seen)) return real(seen, flags, ...rest)
    const path = commonPath(seen)
    open.set(++lastFile, { entry: opened(path, flags), path, owner: ownerOf(seen) })
    return lastFile
  })
  const byNumber = (name: string, call: (file: NonNullable<ReturnType<typeof open.get>>, data: never) => unknown) =>
    replace(fs, name, (real) => (number: never, ...rest: never[]) => {
      const file = open.get(number)
      if (!file) return real(number, ...rest)
      if (file.owner?.passes() === false) throw new Error('the process has ended')
      return call(file, rest[0] as never)
    })
  byNumber('writeSync', ({ entry }, data) => append(entry, data))
  byNumber('fsyncSync', ({ entry, path }) => flush(entry, path))
  replace(fs, 'closeSync', (real) => (number: never) => void (open.delete(number) || real(number)))
  syncBuiltinESMExports()
  return {
    mount(home, number, owner) {
      const seen = `${home}@${String(number).padStart(4, '0')}`
      owners.set(seen, owner)
      return seen
    },
    losePower: tree.losePower,
    erase: tree.remove,
    keep(path, text) {
      makeAll(dirname(path))
      const entry = tree.get(path) ?? tree.add(path, false)
      entry.data = entry.flushed = Buffer.from(text)
      tree.flushNames(dirname(path))
    },
    read: (path) => tree.get(path)?.data.toString(),
    names: tree.children,
    close() {
      for (const restore of restores) restore()
      syncBuiltinESMExports()
    }
  }
}
