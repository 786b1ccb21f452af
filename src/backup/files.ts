/** Copies files and folders with their times: the end of a step is read from the time of its record. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  type Dirent,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  utimesSync
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf, TroupeError } from '../errors.ts'
import { makeFolderAtOnce, reasonOf } from '../platform/make-folder.ts'
import { openRegular } from '../platform/open-regular.ts'

const CHUNK = 1024 ** 2

// D861: a backup follows links to parts of the home
/**
 * Copies a part of a home, following a link in its own place: `dags` may be a link to a folder elsewhere.
 * @param withFiles copy the files behind links in it, instead of the links
 */
export function copyPart(from: string, to: string, withFiles = false): void {
  if (existsSync(from)) copyTree(realpathSync(from), to, withFiles)
}

/** Copies a file or a folder recursively, without files that disappear meanwhile, sockets and pipes. @returns whether it existed */
export function copyTree(from: string, to: string, withFiles = false): boolean {
  const found = lstatSync(from, { throwIfNoEntry: false })
  const named = withFiles && found?.isSymbolicLink() ? ledTo(from) : undefined
  const stat = named?.isFile() ? named : found
  if (!stat) return false
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (stat.isDirectory()) {
    makeFolderAtOnce(to, 0o700)
    for (const { name } of entriesOf(from)) copyTree(join(from, name), join(to, name), withFiles)
    chmodSync(to, stat.mode & 0o777)
  } else if (stat.isFile()) {
    if (!copied(from, to)) return false
    chmodSync(to, stat.mode & 0o777)
    utimesSync(to, stat.atimeMs / 1_000, stat.mtimeMs / 1_000)
  }
  return true
}

/** Undefined: a dangling or circular link. */
function ledTo(link: string): Stats | undefined {
  try {
    return statSync(link)
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

function copied(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Relative paths of all regular files below a folder, sorted. */
export function filesBelow(folder: string, prefix = ''): string[] {
  return entriesOf(join(folder, prefix))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      if (entry.isDirectory()) return filesBelow(folder, path)
      return entry.isFile() ? [path] : []
    })
}

/** An entry at any depth of a folder that is no folder itself. */
export type Entry =
  | { path: string; kind: 'file' }
  | { path: string; kind: 'link'; target: string }
  /** A pipe, a socket, a device. */
  | { path: string; kind: 'other' }

/** All entries below a folder except folders, by relative path, sorted. Links are not followed. */
export function entriesBelow(folder: string, prefix = ''): Entry[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): Entry[] => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      if (entry.isDirectory()) return entriesBelow(folder, path)
      if (entry.isFile()) return [{ path, kind: 'file' }]
      if (entry.isSymbolicLink()) return [{ path, kind: 'link', target: readlinkSync(join(folder, path)) }]
      return [{ path, kind: 'other' }]
    })
}

/** Length and SHA-256 of a file, read in chunks, because a log may be larger than the memory. */
export function checksum(path: string): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  const file = openRegular(path)
  try {
    const chunk = Buffer.allocUnsafe(CHUNK)
    let bytes = 0
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      hash.update(chunk.subarray(0, read))
      bytes += read
    }
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    closeSync(file)
  }
}

/** Resolves when the file is flushed to disk. */
export function flushFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether a folder is empty, apart from an old socket and lock file. @throws TroupeError service_unavailable */
export function isTaken(place: string): boolean {
  try {
    const stat = lstatSync(place, { throwIfNoEntry: false })
    if (!stat) return false
    return !stat.isDirectory() || readdirSync(place).length > 0
  } catch (cause) {
    if (codeOf(cause) === 'ENOTDIR') return false // creating it reports the error
    throw new TroupeError('service_unavailable', refusalOf(cause), { cause })
  }
}

/** Removes an incomplete copy. A failure to remove it must not hide the original error. */
export function removeBegun(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The original error names the path.
  }
}

/** The file that failed, and why. */
export function refusalOf(cause: unknown): string {
  const error: NodeJS.ErrnoException & { dest?: string } = Object(cause)
  const reason = reasonOf(error)
  const files = [error.path, error.dest].filter((path) => path !== undefined).join(' to ')
  return reason === error.message || files === '' ? reason : `${files}: ${reason}`
}

/** The real path, as far as it exists. */
export function realPlace(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path)
  return join(realPlace(dirname(path)), basename(path))
}

/** Whether a path is a folder, or below it. */
export const isInside = (path: string, folder: string): boolean =>
  `${realPlace(path)}/`.startsWith(`${realPlace(folder)}/`)
