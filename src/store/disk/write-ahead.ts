/**
 * The write-ahead file: what turns change is appended here before its effects, and goes into LMDB right after, many turns
 * in one transaction. LMDB reports a commit only when the disk has it; an append survives the death of the process at a
 * fiftieth of the price. Source: architecture 1 ("committed" and "flushed").
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { codeOf, TroupeError } from '../../errors.ts'
import type { Changes } from '../changes.ts'
import { narrow } from './own-files.ts'
import { kindOf, type StoreFault } from './store-file.ts'

export interface WriteAhead {
  /** Whole or not at all. @throws Error when the disk refuses */
  append(changes: Changes): void
  /** Everything appended is in LMDB. A disk that refuses is asked again before the next append: nothing is lost by that. */
  clear(): void
  close(): void
}

/** Length and checksum, 32 bits each, before each entry. */
const HEADER_BYTES = 8
/** A length of 0 ends the file. */
const NOTHING = Buffer.alloc(HEADER_BYTES)
/** A file that has grown beyond this is shortened when everything in it is in LMDB; a small one is left to the next. */
const KEPT_BYTES = 256 * 1024

// D15
/** Opens the file; call `entriesIn` first. */
export function openWriteAhead(path: string): WriteAhead {
  const file = openSync(path, 'w', 0o600)
  narrow(path)
  let size = 0
  /** All of it is in LMDB, and the file does not say so: what follows would not be found behind a header half written. */
  let stale = false

  function empty(): void {
    // Cheaper than to give the space back each time.
    if (size > KEPT_BYTES) ftruncateSync(file, 0)
    else if (size > 0) writeAll(file, NOTHING, 0)
    size = 0
    stale = false
  }

  return {
    append(changes) {
      if (stale) empty()
      const entry = serialize(changes)
      const header = Buffer.alloc(HEADER_BYTES)
      header.writeUInt32LE(entry.length, 0)
      header.writeUInt32LE(crc32(entry), 4)
      try {
        // What an earlier, longer life of the file has left behind must not be read as a next entry.
        writeAll(file, Buffer.concat([header, entry, NOTHING]), size)
      } catch (error) {
        ftruncateSync(file, size)
        throw error
      }
      size += HEADER_BYTES + entry.length
    },
    clear() {
      try {
        empty()
      } catch {
        stale = true
      }
    },
    close: () => closeSync(file)
  }
}

/** What stands in the place of the file and is none. */
export function aheadFault(path: string): StoreFault | undefined {
  const kind = kindOf(path)
  if (kind === undefined || kind === 'file') return undefined
  return {
    message: `wanted a write-ahead file at ${path}, found ${kind}`,
    mending: 'move it away: the next start makes one'
  }
}

/** What an engine that died has left, in order. Half an entry, or a damaged one, was never acted upon: it ends the list. @throws TroupeError internal_error: it is no file */
export function entriesIn(path: string): Changes[] {
  const fault = aheadFault(path)
  if (fault) throw new TroupeError('internal_error', `${fault.message}; ${fault.mending}`)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
  const entries: Changes[] = []
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32LE(at)
    const entry = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length)
    if (length === 0 || entry.length < length || crc32(entry) !== bytes.readUInt32LE(at + 4)) break
    entries.push(deserialize(entry) as Changes) // this process's kind wrote it, whole
    at += HEADER_BYTES + length
  }
  return entries
}

function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
}
