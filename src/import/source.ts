/**
 * Reads what is imported: read-only, never through a link that leads out of its folder, never without a limit. Whatever is wrong
 * with a file is a sentence, so that one file ends nothing.
 */
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'
import { reasonOf } from '../platform/make-folder.ts'
import { decoded } from '../store/files/utf8.ts'

export type Read = { text: string; bytes: Buffer; changedAt: number } | { problem: string; line?: number }

export const MIB = 1024 * 1024

/** Whether a path, with all links followed, lies in a folder. */
export function liesIn(folder: string, path: string): boolean {
  try {
    const real = realpathSync(path)
    const root = realpathSync(folder)
    return real === root || real.startsWith(root.endsWith('/') ? root : `${root}/`)
  } catch {
    return false
  }
}

/** Reads a text of a folder. @param most larger ones are a problem */
export function readIn(folder: string, name: string, most: number): Read {
  const bytes = bytesIn(folder, name, most)
  if ('problem' in bytes) return bytes
  const text = decoded(bytes.bytes)
  return 'problem' in text ? { problem: text.problem, line: text.line } : { ...bytes, ...text }
}

/** @param tail of a larger file only the last bytes are read, instead of a problem */
export function bytesIn(
  folder: string,
  name: string,
  most: number,
  { tail = false } = {}
): { bytes: Buffer; changedAt: number } | { problem: string } {
  const path = join(folder, name)
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!liesIn(folder, path)) return { problem: `is a link out of ${folder}` }
    const stat = fstatSync(file)
    if (!stat.isFile()) return { problem: 'is no file' }
    if (stat.size > most && !tail) return { problem: `has ${stat.size} bytes, more than ${most}` }
    return { bytes: partOf(file, Math.max(0, stat.size - most), Math.min(most, stat.size)), changedAt: stat.mtimeMs }
  } catch (cause) {
    return { problem: codeOf(cause) === 'ENOENT' ? 'is missing' : `cannot be read: ${reasonOf(cause)}` }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function partOf(file: number, from: number, length: number): Buffer {
  const all = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const more = readSync(file, all, read, length - read, from + read)
    if (more === 0) break
    read += more
  }
  return all.subarray(0, read)
}

/** Entries of a folder by name; none when it cannot be read. @param problem hears why */
export function entriesIn(folder: string, problem: (text: string) => void = () => {}): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') problem(`cannot be read: ${reasonOf(cause)}`)
    return []
  }
}
