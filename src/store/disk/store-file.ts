/**
 * Looks at the store's files before LMDB opens them. One that it cannot open ends the process there, and nothing can catch that; an
 * empty one is taken for a new store. Source: reliability P7, P22.
 *
 * A store begins with two pages that tell where everything is; a commit writes one of them in turn, and what has reached the disk is
 * noted once more in the middle of the first. After a loss of power the latest may be torn, or tell of pages that never arrived: that
 * is no damage as long as LMDB goes on from an earlier one, so its choice is made here as it will make it.
 */
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { block } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'

export interface StoreFault {
  /** What was wanted, what was found, and where. */
  message: string
  mending: string
}

/** Another process may be making the file, or writing a head, at this moment: what is wrong must stay so. */
const LOOKS = 10
const BETWEEN_LOOKS_MS = 5

/** Of LMDB as lmdb-js brings it. */
const MAGIC = 0xbeefc0de
const VERSION = 2
const META_PAGE = 0x08
/** A commit whose pages may not have reached the disk yet. */
const UNFLUSHED = 0x1000
const PAGE_SIZES = [256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536]
/** Bytes from the beginning of a page to the end of what tells of the store. */
const HEAD_BYTES = 0xa8

const MENDING = 'restore a backup (troupe restore DIR --replace), or move the file away to start with an empty store'

// D854
/** @throws TroupeError internal_error for files that LMDB cannot open; `readOnly`: as whoever only reads */
export function refuseUnfit(path: string, readOnly: boolean): void {
  const fault = faultIn(path, readOnly)
  if (fault) throw new TroupeError('internal_error', `${fault.message}; nothing has been changed: ${fault.mending}`)
}

/** What is wrong with the store's file, or with its lock file. Files that are not there are fine. */
export function faultIn(path: string, readOnly: boolean): StoreFault | undefined {
  for (let look = 1; ; look++) {
    const fault = faultOfLock(`${path}-lock`) ?? faultOfStore(path, readOnly)
    if (!fault || look === LOOKS) return fault
    block(BETWEEN_LOOKS_MS)
  }
}

function faultOfLock(path: string): StoreFault | undefined {
  const kind = kindOf(path)
  if (kind === undefined || kind === 'file') return undefined
  return {
    message: `wanted a lock file at ${path}, found ${kind}`,
    mending: 'remove it: the next start creates it again'
  }
}

function faultOfStore(path: string, readOnly: boolean): StoreFault | undefined {
  const kind = kindOf(path)
  if (kind === undefined) return undefined
  const found = kind === 'file' ? faultOfContent(path, readOnly) : { what: kind }
  return found && { message: `wanted a store in ${path}, found ${found.what}`, mending: found.mending ?? MENDING }
}

/** `file`, or what else is there; undefined: nothing. A pipe must not be opened: that waits for whoever writes into it. */
export function kindOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return lstatSync(path, { throwIfNoEntry: false }) && 'a link to nothing'
  if (stat.isFile()) return 'file'
  return stat.isDirectory() ? 'a folder' : 'something that is no file'
}

interface Found {
  what: string
  mending?: string
}

function faultOfContent(path: string, readOnly: boolean): Found | undefined {
  const file = openSync(path, 'r')
  try {
    const first = headAt(file, 0)
    const stranger = faultOfFirst(first, fstatSync(file).size)
    if (stranger !== undefined) return { what: stranger }
    const heads: Heads = [first, headAt(file, first.pageSize), headAt(file, first.pageSize / 2)]
    // After the heads: a live engine makes the file longer before it says so.
    const { size } = fstatSync(file)
    const wrong = choices(heads, readOnly).flatMap((head) => faultOfHead(head, heads, size) ?? [])[0]
    if (wrong === undefined || !readOnly) return wrong === undefined ? undefined : { what: wrong }
    if (choices(heads, false).some((head) => faultOfHead(head, heads, size))) return { what: wrong }
    return {
      what: 'one whose latest changes had not reached the disk when the machine stopped',
      mending: 'the next start goes back to those that had; it can be read then'
    }
  } finally {
    closeSync(file)
  }
}

/** What a page tells of the store. */
interface Head {
  isPage: boolean
  magic: number
  version: number
  pageSize: number
  flags: number
  lastPage: bigint
  /** Number of the commit; 0: none. */
  commit: bigint
  /** Identity of the machine's start during which it was written. */
  boot: bigint
}
/** Of the first page, of the second, and what has reached the disk. */
type Heads = [first: Head, second: Head, flushed: Head]

/** What lies beyond the end of the file is zero. */
function headAt(file: number, at: number): Head {
  const bytes = Buffer.alloc(HEAD_BYTES)
  readSync(file, bytes, 0, HEAD_BYTES, at)
  return {
    isPage: (bytes.readUInt16LE(0x12) & META_PAGE) !== 0,
    magic: bytes.readUInt32LE(0x18),
    version: bytes.readUInt32LE(0x1c) & 0xffff,
    pageSize: bytes.readUInt32LE(0x30),
    flags: bytes.readUInt16LE(0x34),
    lastPage: bytes.readBigUInt64LE(0x90),
    commit: bytes.readBigUInt64LE(0x98),
    boot: bytes.readBigUInt64LE(0xa0)
  }
}

/** LMDB takes the page size from the first page, whichever it goes on from. */
function faultOfFirst({ isPage, magic, version, pageSize }: Head, size: number): string | undefined {
  if (size === 0) return 'an empty file'
  if (size < HEAD_BYTES) return `a file of ${size} bytes, which is too short`
  if (!isPage || magic !== MAGIC) return 'a file whose first page is damaged, or that is none of a store'
  if (version !== VERSION) return `one of LMDB format ${version}; this release reads ${VERSION}`
  if (!PAGE_SIZES.includes(pageSize)) return 'a file whose first page is damaged'
  return size < 2 * pageSize ? `a file of ${size} bytes, which is too short` : undefined
}

/** LMDB marks no page but a new one, and looks for the mark on the first one only. */
function faultOfHead(head: Head, [first]: Heads, size: number): string | undefined {
  const { pageSize, lastPage } = head
  if (pageSize !== first.pageSize || lastPage < 1n) return 'a file whose first pages are damaged'
  const missing = (lastPage + 1n) * BigInt(pageSize) - BigInt(size)
  // A page beyond the end of the file would end the process when it is read.
  return missing > 0n ? `one that has been cut off: ${missing} bytes are missing at its end` : undefined
}

/** What LMDB goes on from. Whoever may write looks at the flushed one before the second page, and again after it. */
function choices([first, second, flushed]: Heads, readOnly: boolean): Head[] {
  const last = latest(first, second)
  if (readOnly) return [last]
  const boot = thisBoot()
  const chosen = [
    recoverable(recoverable(first, flushed, boot), second, boot),
    recoverable(recoverable(first, second, boot), flushed, boot)
  ]
  return chosen.map((head) => (head.commit === last.commit ? last : head)) // nothing is taken back then
}

const latest = (a: Head, b: Head): Head => (a.commit >= b.commit ? a : b)

/** The latest of two, unless it may not have reached the disk before the machine was started anew. */
function recoverable(a: Head, b: Head, boot: bigint): Head {
  const { boot: writtenIn, flags } = latest(a, b)
  if (b.commit === 0n) return a
  if ((writtenIn !== 0n && writtenIn === boot) || (flags & UNFLUSHED) === 0) return latest(a, b)
  return a.commit > b.commit ? b : a
}

/** As LMDB knows it: the first group of digits. */
function thisBoot(): bigint {
  try {
    return BigInt(`0x${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)}`)
  } catch {
    return 0n
  }
}
