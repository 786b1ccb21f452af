/** The files of the audit log: one for each UTC day, more for a busy one, named after their first entry. Lines are read from both ends. */
import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'

export interface AuditFile {
  path: string
  /** Number of the first entry. */
  first: number
}

const NAME = /^(\d{16})\.jsonl$/
const CHUNK = 64 * 1024
/** A line that is longer was not written by Troupe, and is given in pieces. */
const MOST_BYTES = 1024 ** 2

export const fileOf = (dir: string, first: number): AuditFile => ({
  path: join(dir, `${String(first).padStart(16, '0')}.jsonl`),
  first
})

/** The oldest first. Empty: there is no such folder. */
export function auditFiles(dir: string): AuditFile[] {
  let names: string[]
  try {
    names = readdirSync(dir)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
  return names
    .flatMap((name) => {
      const [, number] = NAME.exec(name) ?? []
      return number === undefined ? [] : [{ path: join(dir, name), first: Number(number) }]
    })
    .sort((a, b) => a.first - b.first)
}

export interface Line {
  text: string
  /** Where the line begins, bytes. */
  start: number
  /** The line ends with a line break. */
  isWhole: boolean
}

/** Every line of a file, the first one first, as far as it is written now. */
export async function* linesIn(path: string): AsyncGenerator<Line> {
  const file = await open(path, 'r')
  try {
    let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0)
    let start = 0
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK)
      const { bytesRead } = await file.read(chunk, 0, CHUNK, at)
      if (bytesRead === 0) break
      at += bytesRead
      rest = rest.length === 0 ? chunk.subarray(0, bytesRead) : Buffer.concat([rest, chunk.subarray(0, bytesRead)])
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        yield { text: rest.toString('utf8', 0, end), start, isWhole: true }
        start += end + 1
        rest = rest.subarray(end + 1)
      }
      if (rest.length > MOST_BYTES) {
        yield { text: rest.toString('utf8', 0, MOST_BYTES), start, isWhole: false }
        start += rest.length
        rest = Buffer.alloc(0)
      }
    }
    if (rest.length > 0) yield { text: rest.toString(), start, isWhole: false }
  } finally {
    await file.close()
  }
}

/** The lines before a place in a file, the last one first. @param end default: its end. A line without an end is left out */
export async function* linesBefore(path: string, end?: number): AsyncGenerator<Line> {
  const file = await open(path, 'r')
  try {
    let at = end ?? (await file.stat()).size
    let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0)
    let isFirst = true
    while (at > 0) {
      const length = Math.min(CHUNK, at)
      at -= length
      rest = Buffer.concat([await readAt(file, at, length), rest])
      // Once one was found, the last byte of `rest` ends the line that is looked for.
      while (isFirst || rest.length > 1) {
        const before = rest.lastIndexOf(10, isFirst ? rest.length - 1 : rest.length - 2)
        if (before < 0) break
        const text = isFirst ? undefined : rest.toString('utf8', before + 1, rest.length - 1)
        if (text !== undefined) yield { text, start: at + before + 1, isWhole: true }
        isFirst = false
        rest = rest.subarray(0, before + 1)
      }
      if (rest.length > MOST_BYTES) return
    }
    if (!isFirst && rest.length > 1) yield { text: rest.toString('utf8', 0, rest.length - 1), start: 0, isWhole: true }
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const chunk = Buffer.alloc(length)
  const { bytesRead } = await file.read(chunk, 0, length, at)
  return chunk.subarray(0, bytesRead)
}

// D1457: what was cut stays to be seen
/**
 * The last line of a file; a line that was not written to its end is cut off, since nobody was told of it.
 * Undefined: it has none. @throws Error the reason of the disk
 */
export function lastLine(path: string, { cut }: { cut: boolean }): { text: string; size: number } | undefined {
  const file = openSync(path, cut ? 'r+' : 'r')
  try {
    const { size } = fstatSync(file)
    const tail = Buffer.alloc(Math.min(size, MOST_BYTES))
    const read = readSync(file, tail, 0, tail.length, size - tail.length)
    const end = tail.lastIndexOf(10, read - 1)
    const whole = size - tail.length + end + 1
    if (cut && whole < size && (end >= 0 || size <= tail.length)) ftruncateSync(file, whole)
    if (end < 0) return undefined
    const before = end === 0 ? -1 : tail.lastIndexOf(10, end - 1)
    return { text: tail.toString('utf8', before + 1, end), size: whole }
  } finally {
    closeSync(file)
  }
}
