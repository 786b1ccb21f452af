/** Zip archives, read and written. Source: execution-semantics 10.5.3, 10.5.4, 10.5.8. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { Entry as ZipEntry, ZipFile } from 'yauzl'
import { failure } from './codes.ts'
import type { Entry, Visit } from './entry.ts'
import type { Guard } from './guard.ts'
import type { Planned } from './planned.ts'

const MADE_BY_UNIX = 3
const TYPE_BITS = 0o170000
const KINDS = new Map<number, Entry['kind']>([
  [0, 'file'],
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink']
])
/** The longest path, bytes. */
const MAX_TARGET = 4_096

/** @throws ExecutionError, or an Error for a damaged archive */
export async function readZip(source: string, guard: Guard, visit: Visit): Promise<void> {
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(source, { lazyEntries: true, autoClose: false })
  try {
    for await (const entry of zip.eachEntry()) await visit(await entryOf(zip, entry, guard))
  } finally {
    zip.close()
  }
}

async function entryOf(zip: ZipFile, found: ZipEntry, guard: Guard): Promise<Entry> {
  const { externalFileAttributes, versionMadeBy, uncompressedSize: size } = found
  const path = nameOf(found)
  if (found.isEncrypted())
    throw failure('password', `the entry ${JSON.stringify(path)} needs a password: not supported`)
  const mode = versionMadeBy >> 8 === MADE_BY_UNIX ? externalFileAttributes >>> 16 : 0
  const kind = path.endsWith('/') ? 'directory' : (KINDS.get(mode & TYPE_BITS) ?? 'special')
  if (kind === 'symlink' && size > MAX_TARGET)
    throw failure('corrupted', `the link ${JSON.stringify(path)} is too long`)
  const content = () => checked(zip, found, guard)
  return {
    path,
    kind,
    size,
    mode: mode & 0o777 || (kind === 'directory' ? 0o755 : 0o644),
    modifiedAt: found.getLastModDate(),
    target: kind === 'symlink' ? await textOf(content()) : '',
    content
  }
}

const UTF8_FLAG = 0x800
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** By the format, names without the flag use an old code page; programs on Unix write UTF-8 all the same. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag }: ZipEntry): string {
  if (generalPurposeBitFlag & UTF8_FLAG) return fileName
  try {
    return utf8.decode(fileNameRaw).replaceAll('\\', '/')
  } catch {
    return fileName
  }
}

/** The library does not check the CRC. */
async function* checked(zip: ZipFile, entry: ZipEntry, guard: Guard): AsyncGenerator<Buffer> {
  const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
  let sum = 0
  for await (const chunk of stream) {
    guard.bytes(chunk.length)
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== entry.crc32)
    throw failure('corrupted', `the archive is corrupted: the CRC of ${JSON.stringify(entry.fileName)} is wrong`)
}

async function textOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const MODE_OF_LINK = 0o120777
/** A zip stores the seconds since 1970 in 32 bits. */
const LATEST_MS = (2 ** 32 - 1) * 1_000
const writable = (time: Date): Date => new Date(Math.min(Math.max(time.getTime(), 0), LATEST_MS))

/** The bytes of a zip archive. @param level 0: entries are stored uncompressed */
export async function zipBytes(planned: Planned[], level: number | undefined): Promise<Readable> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const output = zip.outputStream as Readable // a PassThrough, says the package
  zip.on('error', (error: Error) => output.destroy(error))
  const packed = level === undefined ? {} : { compressionLevel: level }
  for (const { path, kind, mode, modifiedAt, target, absolute } of planned) {
    const mtime = writable(modifiedAt)
    if (kind === 'directory') zip.addEmptyDirectory(path, { mtime, mode: 0o040000 | mode })
    else if (kind === 'symlink') zip.addBuffer(Buffer.from(target), path, { mtime, mode: MODE_OF_LINK })
    else
      zip.addReadStreamLazy(path, { mtime, mode: 0o100000 | mode, ...packed }, (done) => {
        const file = createReadStream(absolute)
        file.once('error', (error) => output.destroy(error))
        done(null, file)
      })
  }
  zip.end()
  return output
}
