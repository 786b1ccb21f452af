/**
 * Checks the files of the store before LMDB opens them. A file that LMDB cannot open crashes the process, which cannot be caught; an
 * empty file is taken for a new store. Source: reliability P7, P22.
 *
 * A store begins with two head pages that say where everything is. Commits write them alternately, and what has been flushed is
 * recorded once more in the middle of the first. After a power loss the latest head may be torn, or refer to pages that were never
 * written. That is no damage as long as LMDB continues from an earlier one, so this module selects a head exactly as LMDB will.
 */
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { block } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'

export interface StoreFault {
  /** What was wanted, what was found, and where. */
  message: string
  mending: string
}

/** Checked again after this time, because another process may just be creating the file, or writing a head. */
const LOOKS = 10
const BETWEEN_LOOKS_MS = 5

/** Marks of a file of the LMDB that lmdb-js contains. */
const MAGIC = 0xbeefc0de
const VERSION = 2
const META_PAGE = 0x08
/** A commit whose pages may not be flushed yet. */
const UNFLUSHED = 0x1000
const PAGE_SIZES = [256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536]
/** Bytes from the start of a page to the end of the head. */
const HEAD_BYTES = 0xa8

const REMEDY = 'restore a backup (troupe restore DIR --replace), or move the file away to start with an empty store'

// D854: a store file that is shorter than its pages say is refused
/** @throws TroupeError internal_error for files that LMDB cannot open; `readOnly`: for reading only */
export function refuseUnfit(path: string, readOnly: boolean): void {
  const fault = faultIn(path, readOnly)
  if (fault) throw new TroupeError('internal_error', `${fault.message}; nothing has been changed: ${fault.mending}`)
}

/** The fault of the store file or its lock file. Missing files are fine. */
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
  return found && { message: `wanted a store in ${path}, found ${found.what}`, mending: found.mending ?? REMEDY }
}

/** `file`, or what else it is; undefined: nothing. A pipe must not be opened: that would block until it has a writer. */
export function kindOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return lstatSync(path, { throwIfNoEntry: false }) && 'a link to nothing'
  if (stat.isFile()) return 'file'
  return stat.isDirectory() ? 'a folder' : 'something that is no file'
}

function faultOfContent(path: string, readOnly: boolean): { what: string; mending?: string } | undefined {
  const file = openSync(path, 'r')
  try {
    const first = headAt(file, 0)
    const stranger = faultOfFirst(first, fstatSync(file).size)
    if (stranger !== undefined) return { what: stranger }
    const heads: Heads = [first, headAt(file, first.pageSize), headAt(file, first.pageSize / 2)]
    // Read after the heads, because a live engine extends the file before it writes a head.
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

/** The head in a page. */
interface Head {
  isPage: boolean
  magic: number
  version: number
  pageSize: number
  flags: number
  lastPage: bigint
  /** Number of the commit; 0: none. */
  commit: bigint
  /** Identity of the boot during which it was written. */
  boot: bigint
}
/** Heads of the first page, of the second page, and of what has been flushed. */
type Heads = [first: Head, second: Head, flushed: Head]

/** Zero beyond the end of the file. */
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

/** LMDB takes the page size from the first page, whichever head it uses. */
function faultOfFirst({ isPage, magic, version, pageSize }: Head, size: number): string | undefined {
  if (size === 0) return 'an empty file'
  if (size < HEAD_BYTES) return `a file of ${size} bytes, which is too short`
  if (!isPage || magic !== MAGIC) return 'a file whose first page is damaged, or that is none of a store'
  if (version !== VERSION) return `one of LMDB format ${version}; this release reads ${VERSION}`
  if (!PAGE_SIZES.includes(pageSize)) return 'a file whose first page is damaged'
  return size < 2 * pageSize ? `a file of ${size} bytes, which is too short` : undefined
}

/** LMDB only marks new pages, and checks the mark only on the first page. */
function faultOfHead(head: Head, [first]: Heads, size: number): string | undefined {
  const { pageSize, lastPage } = head
  if (pageSize !== first.pageSize || lastPage < 1n) return 'a file whose first pages are damaged'
  const missing = (lastPage + 1n) * BigInt(pageSize) - BigInt(size)
  // Reading a page beyond the end of the file would crash the process.
  return missing > 0n ? `one that has been cut off: ${missing} bytes are missing at its end` : undefined
}

/** The head that LMDB uses. A writer checks the flushed head before the second page, and again after it. */
function choices([first, second, flushed]: Heads, readOnly: boolean): Head[] {
  const last = latest(first, second)
  if (readOnly) return [last]
  const boot = thisBoot()
  const chosen = [
    recoverable(recoverable(first, flushed, boot), second, boot),
    recoverable(recoverable(first, second, boot), flushed, boot)
  ]
  return chosen.map((head) => (head.commit === last.commit ? last : head)) // then nothing is rolled back
}

const latest = (a: Head, b: Head): Head => (a.commit >= b.commit ? a : b)

/** The later one, unless it may not have been flushed before a reboot. */
function recoverable(a: Head, b: Head, boot: bigint): Head {
  const { boot: writtenIn, flags } = latest(a, b)
  if (b.commit === 0n) return a
  if ((writtenIn !== 0n && writtenIn === boot) || (flags & UNFLUSHED) === 0) return latest(a, b)
  return a.commit > b.commit ? b : a
}

/** As used by LMDB: the first group of digits. */
function thisBoot(): bigint {
  try {
    return BigInt(`0x${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)}`)
  } catch {
    return 0n
  }
}
