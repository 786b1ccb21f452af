/** Formats of archives: by name, by content, and how they are packed and unpacked. Source: execution-semantics 10.5.3. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { constants, createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { codeOf } from '../../errors.ts'
import { openNamed } from '../frame/named-file.ts'
import { failure, failureOf } from './codes.ts'

export type Compression = 'none' | 'gz' | 'bz2' | 'xz' | 'zst' | 'lz4'
export interface Format {
  container: 'zip' | 'tar' | 'single'
  compression: Compression
}

/** Least and greatest compression level, for formats that have one. */
export const LEVELS: Partial<Record<Compression, [number, number]>> = {
  gz: [0, 9],
  bz2: [1, 9],
  xz: [0, 9],
  zst: [1, 19],
  lz4: [1, 12]
}

const tar = (compression: Compression): Format => ({ container: 'tar', compression })
const single = (compression: Compression): Format => ({ container: 'single', compression })
/** Longer extensions first. */
const BY_ENDING: [string, Format][] = [
  ['tar.gz', tar('gz')],
  ['tar.bz2', tar('bz2')],
  ['tar.xz', tar('xz')],
  ['tar.zst', tar('zst')],
  ['tgz', tar('gz')],
  ['tbz2', tar('bz2')],
  ['tbz', tar('bz2')],
  ['txz', tar('xz')],
  ['tzst', tar('zst')],
  ['tar', tar('none')],
  ['zip', { container: 'zip', compression: 'none' }],
  ['gz', single('gz')],
  ['bz2', single('bz2')],
  ['xz', single('xz')],
  ['zst', single('zst')],
  ['lz4', single('lz4')]
]
export const formatNamed = (name: string): Format | undefined =>
  BY_ENDING.find(([ending]) => ending === name.toLowerCase().replace(/^\./, ''))?.[1]
export const formatOfName = (path: string): Format | undefined =>
  BY_ENDING.find(([ending]) => path.toLowerCase().endsWith(`.${ending}`))?.[1]

const MAGIC: [Compression, number[]][] = [
  ['gz', [0x1f, 0x8b]],
  ['bz2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['zst', [0x28, 0xb5, 0x2f, 0xfd]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]]
]
/** Magic bytes of an archive, and of an empty one: an empty zip has only its end record. */
const ZIP_MAGIC = ['PK\x03\x04', 'PK\x05\x06']
const BLOCK = 512

/** By content. @throws ExecutionError with code 3, 5 or 10 */
export async function detectFormat(path: string, programs: string): Promise<Format> {
  const head = await headOf(path)
  if (ZIP_MAGIC.includes(head.toString('latin1', 0, 4))) return { container: 'zip', compression: 'none' }
  const [compression] = MAGIC.find(([, bytes]) => bytes.every((byte, at) => head[at] === byte)) ?? []
  if (!compression) {
    if (isTarBlock(head, path)) return tar('none')
    throw failure('format', `${path} is no archive of a known format`)
  }
  const first = await firstBlock(unpacked(path, compression, programs))
  return isTarBlock(first, path) ? tar(compression) : single(compression)
}

async function headOf(path: string): Promise<Buffer> {
  const file = await openNamed(path).catch((error) => {
    throw codeOf(error) === 'ENOENT'
      ? failure('source', `source "${path}" does not exist`, error)
      : failureOf(error, 'source')
  })
  try {
    if (!(await file.stat()).isFile()) throw failure('source', `source "${path}" is no file`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function firstBlock(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  for await (const chunk of stream) {
    head = Buffer.concat([head, chunk])
    if (head.length >= BLOCK) break
  }
  return head.subarray(0, BLOCK)
}

/** A tar header with a correct checksum, or the empty block of an empty archive when the name says tar. */
function isTarBlock(block: Buffer, path: string): boolean {
  if (block.length < BLOCK) return false
  if (block.every((byte) => byte === 0)) return formatOfName(path)?.container === 'tar'
  const written = Number.parseInt(block.toString('latin1', 148, 156), 8)
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  return sum === written
}

/** The decompressed content of a file. Fails with an ExecutionError. */
export async function* unpacked(path: string, compression: Compression, programs: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path)
  try {
    if (compression === 'none') yield* file
    else if (compression === 'gz') yield* piped(file, createGunzip())
    else {
      const { child, ended } = await program(
        compression,
        ['-d', '-c', ...UNPACKING[compression]],
        programs,
        'decompress'
      )
      try {
        const fed = pipeline(file, child.stdin).catch(() => {}) // the program ended early: its exit code says why
        yield* child.stdout
        await Promise.all([fed, ended])
      } finally {
        child.kill()
      }
    }
  } catch (error) {
    throw failureOf(error, 'decompress')
  } finally {
    file.destroy()
  }
}

/** An archive must not make the program use all memory. */
const UNPACKING: Record<keyof typeof PROGRAMS, string[]> = {
  bz2: [],
  xz: ['--memlimit-decompress=512MiB'],
  zst: ['-q', '--memory=512MB'],
  lz4: ['-q']
}
const PACKING: Record<keyof typeof PROGRAMS, string[]> = { bz2: [], xz: [], zst: ['-q'], lz4: ['-q'] }

/** Compresses into a stream. @throws ExecutionError */
export async function pack(
  bytes: AsyncIterable<Buffer>,
  { compression, level, programs }: { compression: Compression; level: number | undefined; programs: string },
  into: Writable
): Promise<void> {
  if (compression === 'none') return pipeline(bytes, into)
  if (compression === 'gz') return pipeline(bytes, createGzip(level === undefined ? {} : { level }), into)
  const flags = ['-c', ...PACKING[compression], ...(level === undefined ? [] : [`-${level}`])]
  const { child, ended } = await program(compression, flags, programs, 'compress')
  try {
    // An input or program failure also fails the output, so it is reported first; else the disk failed.
    const all = await Promise.allSettled([ended, pipeline(bytes, child.stdin), pipeline(child.stdout, into)])
    const reasons = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    if (reasons.length > 0) throw reasons.find((reason) => reason.code !== 'EPIPE') ?? reasons[0]
  } finally {
    child.kill()
  }
}

const PROGRAMS = { bz2: 'bzip2', xz: 'xz', zst: 'zstd', lz4: 'lz4' } as const

/** A running program. `ended` rejects with its stderr. @throws ExecutionError with code 5 when it is not installed */
export async function program(
  compression: keyof typeof PROGRAMS,
  args: string[],
  programs: string,
  kind: 'compress' | 'decompress'
): Promise<{ child: ChildProcessWithoutNullStreams; ended: Promise<void> }> {
  const name = PROGRAMS[compression]
  const path = await findProgram(name, programs)
  if (!path) throw failure('format', `the format ${compression} needs the program ${name}, which is not installed`)
  const child = spawn(path, args, { env: { PATH: programs }, stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-1_024)
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(failureOf(error, kind)))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(failure(kind, `${name}: ${said.trim() || `ended with ${signal ?? code}`}`))
    })
  })
  ended.catch(() => {}) // reported to the one that awaits it
  return { child, ended }
}

export async function findProgram(name: string, programs: string): Promise<string | undefined> {
  for (const folder of programs.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name)
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false
    )
    if (found) return path
  }
  return undefined
}

async function* piped(file: Readable, through: Duplex): AsyncGenerator<Buffer> {
  file.once('error', (error) => through.destroy(error))
  file.pipe(through)
  try {
    yield* through
  } finally {
    through.destroy()
  }
}
