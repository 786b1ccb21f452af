/**
 * The write-ahead file: changes are appended to it before their effects run, and then written to LMDB, many transactions in one. LMDB
 * reports a commit only once it is flushed; an append survives a crash of the process at a fiftieth of the cost. Source: architecture 1
 * ("committed" and "flushed").
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { codeOf, TroupeError } from '../../errors.ts'
import type { Changes } from '../changes.ts'
import { narrow } from './own-files.ts'
import { kindOf, type StoreFault } from './store-file.ts'

export interface WriteAhead {
  /** All or nothing. @throws Error when the disk refuses */
  append(changes: Changes): void
  /** Everything appended is in LMDB. If the disk refuses, this is retried before the next append, and nothing is lost. */
  clear(): void
  close(): void
}

/** Length and checksum, 32 bits each, before each entry. */
const HEADER_BYTES = 8
/** A length of 0 ends the file. */
const NOTHING = Buffer.alloc(HEADER_BYTES)
/** A file larger than this is truncated once all of it is in LMDB; a smaller one is reused. */
const KEPT_BYTES = 256 * 1024

// D15: a transaction is committed by an append to a write-ahead file
/** Opens the file; call `entriesIn` first. */
export function openWriteAhead(path: string): WriteAhead {
  const file = openSync(path, 'w', 0o600)
  narrow(path)
  let size = 0
  /** All entries are in LMDB, but the file does not say so yet: those after a half-written header would not be found. */
  let stale = false

  function empty(): void {
    // Cheaper than truncating each time.
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
        // Bytes left over from an earlier use of the file must not be read as the next entry.
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

/** The fault when something else than a file is in its place. */
export function aheadFault(path: string): StoreFault | undefined {
  const kind = kindOf(path)
  if (kind === undefined || kind === 'file') return undefined
  return {
    message: `wanted a write-ahead file at ${path}, found ${kind}`,
    mending: 'move it away: the next start makes one'
  }
}

/** Entries that a dead engine left. A damaged one ends the list: it never had effects. @throws TroupeError internal_error: no file */
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
    entries.push(deserialize(entry) as Changes) // written completely by an engine
    at += HEADER_BYTES + length
  }
  return entries
}

function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
}
