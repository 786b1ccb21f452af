/** Appends entries to the newest file of the audit log; what a full disk has written of one is taken back. */
import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { flushFolderAtOnce } from '../platform/flush-folder.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { type Entry, GENESIS, type Head, type NewEntry, sealed, unsealed } from './entry.ts'
import { auditFiles, fileOf, lastLine } from './files.ts'

export interface Appender {
  /** All or nothing. @throws Error the reason of the disk */
  append(entries: readonly { entry: NewEntry; at: string }[]): void
  /** Resolves with the latest entry that is on disk. */
  flush(): Promise<Head | undefined>
  head(): Head | undefined
  close(): void
}

/** A file that is larger is followed by another one. */
const MOST_FILE_BYTES = 8 * 1024 ** 2
const NOTHING: Head = { seq: 0, hash: GENESIS }
const flushed = promisify(fdatasync)

interface OpenFile {
  fd: number
  size: number
  /** UTC day of its entries. */
  day: string
  /** A part of an entry is at its end. */
  isTorn?: boolean
}

/** @throws Error the reason of the disk */
function putInOrder(file: OpenFile): void {
  ftruncateSync(file.fd, file.size)
  file.isTorn = false
}

// D1457: what was cut stays to be seen
/**
 * Goes on after the last line. Where the store knows of later entries, the log was cut: it goes on after those, so that the gap stays.
 * @param known the latest entry that the store knows @throws Error the reason of the disk
 */
export function openAppender(dir: string, known: Head | undefined, report: (sentence: string) => void): Appender {
  makeFolderAtOnce(dir, 0o700)
  const found = lastEntry(dir)
  const isCut =
    known !== undefined && ((found?.seq ?? 0) < known.seq || (found?.seq === known.seq && found.hash !== known.hash))
  if (isCut)
    report(
      `the audit log in ${dir} is not what was written: it ends with entry ${found?.seq ?? 0}, and the store knows entry ${known.seq}; troupe audit verify says more`
    )
  let head: Head = isCut ? known : (found ?? NOTHING)
  /** Absent: the next entry begins a file. */
  let file: OpenFile | undefined = found && !isCut ? { ...found.file, fd: openSync(found.path, 'a', 0o600) } : undefined
  let flushedHead = known ?? NOTHING
  /** Files that are full and not flushed. */
  let full: number[] = []

  /** @param at of the latest entry that comes next */
  function fileFor(at: string): OpenFile {
    const day = at.slice(0, 10)
    if (file && file.day === day && file.size < MOST_FILE_BYTES) return file
    const fd = openSync(fileOf(dir, head.seq + 1).path, 'a', 0o600)
    if (file) full.push(file.fd)
    file = { fd, size: fstatSync(fd).size, day }
    flushFolderAtOnce(dir)
    return file
  }

  return {
    append(entries) {
      const latest = entries.at(-1)
      if (!latest) return
      const target = fileFor(latest.at)
      if (target.isTorn) putInOrder(target)
      let last = head
      const lines: string[] = []
      for (const { entry, at } of entries) {
        const { line, head: made } = sealed(entry, at, last)
        lines.push(line, '\n')
        last = made
      }
      const bytes = Buffer.from(lines.join(''))
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(target.fd, bytes, done)
      } catch (error) {
        target.isTorn = true
        try {
          putInOrder(target)
        } catch {
          // The file is put in order before anything else is written to it.
        }
        throw error
      }
      target.size += bytes.length
      head = last
    },
    async flush() {
      const [last, before] = [head, full]
      if (last.seq === flushedHead.seq || !file) return undefined
      full = []
      try {
        for (const fd of [...before, file.fd]) await flushed(fd)
      } catch (error) {
        full = [...before, ...full]
        throw error
      }
      for (const fd of before) closeSync(fd)
      flushedHead = last
      return last
    },
    head: () => (head.seq === 0 ? undefined : head),
    close() {
      for (const fd of [...full, ...(file ? [file.fd] : [])]) closeSync(fd)
      full = []
      file = undefined
    }
  }
}

type Found = Head & { path: string; file: { size: number; day: string } }

/** The last entry of the log, whose end is put in order. Undefined: there is none. */
function lastEntry(dir: string): Found | undefined {
  for (const { path } of auditFiles(dir).reverse()) {
    const last = lastLine(path, { cut: true })
    const entry: Entry | undefined = last && unsealed(last.text)?.entry
    if (last && entry)
      return { seq: entry.seq, hash: entry.hash, path, file: { size: last.size, day: entry.at.slice(0, 10) } }
  }
  return undefined
}
