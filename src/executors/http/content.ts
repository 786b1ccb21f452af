/** The content of a response: its body, decoded. Source: execution-semantics 10.4.3-10.4.5; RFC 9110 8.4. */
import { pipeline, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { messageOf } from '../../errors.ts'
import type { Answer } from './messages.ts'

export interface BodyLimit {
  /** Limit of the received bytes, and of the decoded bytes of each coding. */
  bytes: number
  /** Text after the number in messages; begins with a blank. */
  about: string
}

export interface Content {
  answer: Answer
  /** Why the body was not decoded, if so. */
  note?: string
}

type Bytes = AsyncIterable<Uint8Array>
type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'
const CODINGS: Record<string, Coding> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br', zstd: 'zstd' }
/** Most codings: more than one is unusual, a hundred are an attack. */
const MOST = 5
/** Window of zstd that a server may require (RFC 9659), and the limit of its program. */
const ZSTD_WINDOW_LOG = 23
const PARTIAL = 206

// D653: http: content codings are decoded by `node:zlib`
/**
 * Decodes Content-Encoding and Transfer-Encoding, and removes these headers and the length. An unknown coding, or one that the
 * body does not have, is left.
 * @param programs folders to search for a zstd program when Node has no decoder (before 22.15)
 * @returns a body that throws beyond the limit, and when it is damaged
 */
export async function contentOf(answer: Answer, limit: BodyLimit, programs = ''): Promise<Content> {
  const limited = { ...answer, body: upTo(limit, answer.body) }
  const transfer = listOf(answer.headers['transfer-encoding'])
  // Transfer codings were applied last; `chunked` is already decoded.
  const written = [...listOf(answer.headers['content-encoding']), ...transfer.filter((name) => name !== 'chunked')]
  const applied = written.filter((name) => name !== 'identity')
  if (applied.length === 0) return { answer: limited }
  const left = (answer: Answer, reason: string) => ({
    answer,
    note: `the body is left in its coding, ${written.join(', ')}: ${reason}`
  })
  const codings = applied.toReversed().map((name) => (Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined))
  if (!areKnown(codings)) return left(limited, 'gzip, deflate, br and zstd can be decoded')
  if (codings.length > MOST) return left(limited, `at most ${MOST} can be taken off`)
  if (answer.status === PARTIAL) return left(limited, 'a part of a coded body cannot be decoded')
  const zstd = codings.includes('zstd') ? await zstdDecoder(programs) : undefined
  if (codings.includes('zstd') && !zstd) return left(limited, 'zstd needs Node 22.15, or the program zstd in the PATH')
  const { first, all } = await begun(limited.body)
  if (first.length === 0) return { answer: { ...limited, body: all } }
  const [outermost] = codings
  if (outermost && !MAGIC[outermost](first))
    return left({ ...limited, body: all }, `it does not begin like ${outermost}`)
  const decoders: Record<Coding, Decoder> = { ...DECODERS, zstd: zstd ?? ((body) => body) }
  const { 'content-encoding': _, 'content-length': __, 'transfer-encoding': ___, ...others } = answer.headers
  const headers = transfer.includes('chunked') ? { ...others, 'transfer-encoding': 'chunked' } : others
  const decoded = codings.reduce<Bytes>((body, coding) => upTo(limit, decoders[coding](body)), all)
  return { answer: { ...answer, headers, body: decoded } }
}

/** The names in a list header, across several lines. */
const listOf = (header: Answer['headers'][string]): string[] =>
  [header ?? []]
    .flat()
    .join(',')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

const areKnown = (codings: (Coding | undefined)[]): codings is Coding[] => codings.every(Boolean)

async function* upTo({ bytes, about }: BodyLimit, body: Bytes): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > bytes) throw new Error(`the body of the response exceeds the limit of ${bytes} bytes${about}`)
    yield chunk
  }
}

/** Bytes that identify a coding. */
const MAGIC_BYTES = 4

/** The first bytes of a body, and the whole body, those included. */
async function begun(body: Bytes): Promise<{ first: Uint8Array; all: Bytes }> {
  const rest = body[Symbol.asyncIterator]()
  let first: Uint8Array = Buffer.alloc(0)
  while (first.length < MAGIC_BYTES) {
    const { value, done } = await rest.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (first.length > 0) yield first
      yield* { [Symbol.asyncIterator]: () => rest }
    } finally {
      await rest.return?.()
    }
  }
  return { first, all: all() }
}

const beginsWith =
  (...magic: number[]) =>
  (first: Uint8Array) =>
    magic.every((byte, at) => first[at] === byte)
const isZlib = ([cmf = 0, flags = 0]: Uint8Array) => (cmf & 0x0f) === 8 && ((cmf << 8) | flags) % 31 === 0
/** Whether a body can have a coding; unknown for two of them. */
const MAGIC: Record<Coding, (first: Uint8Array) => boolean> = {
  gzip: beginsWith(0x1f, 0x8b),
  deflate: () => true,
  br: () => true,
  zstd: (first) =>
    beginsWith(0x28, 0xb5, 0x2f, 0xfd)(first) ||
    (((first[0] ?? 0) & 0xf0) === 0x50 && beginsWith(0x2a, 0x4d, 0x18)(first.subarray(1)))
}

type Decoder = (body: Bytes) => Bytes
const DECODERS: Record<Exclude<Coding, 'zstd'>, Decoder> = {
  gzip: (body) => through('gzip', zlib.createGunzip(), body),
  deflate: inflated,
  br: (body) => through('br', zlib.createBrotliDecompress(), body)
}

/** Servers send deflate with the zlib header, as they should, or without. */
async function* inflated(body: Bytes): AsyncGenerator<Uint8Array> {
  const { first, all } = await begun(body)
  yield* through('deflate', isZlib(first) ? zlib.createInflate() : zlib.createInflateRaw(), all)
}

/** Node's decoder from 22.15 on; else the program, which has its own memory. */
async function zstdDecoder(programs: string): Promise<Decoder | undefined> {
  // Missing in the types of older Node releases.
  const { createZstdDecompress, constants } = zlib as unknown as {
    createZstdDecompress?: (options: { params: Record<number, number> }) => Transform
    constants: { ZSTD_d_windowLogMax: number }
  }
  if (createZstdDecompress) {
    const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG }
    return (body) => through('zstd', createZstdDecompress({ params }), body)
  }
  const { findProgram } = await import('../archive/format.ts')
  return (await findProgram('zstd', programs)) ? (body) => byProgram(body, programs) : undefined
}

function through(coding: Coding, decoder: Transform, body: Bytes): Bytes {
  return decodedBy(coding, body, async function* (watched) {
    pipeline(watched, decoder, () => {}) // the reader throws the error
    yield* decoder
  })
}

function byProgram(body: Bytes, programs: string): Bytes {
  return decodedBy('zstd', body, async function* (watched) {
    const { program } = await import('../archive/format.ts')
    const memory = `--memory=${2 ** (ZSTD_WINDOW_LOG - 20)}MB`
    const { child, ended } = await program('zst', ['-d', '-c', '-q', memory], programs, 'decompress')
    try {
      pipeline(watched, child.stdin, () => {}) // the program ended early: its exit code says why
      yield* child.stdout
      await ended
    } finally {
      child.kill()
    }
  })
}

/** An earlier error of the body is thrown unchanged; for damaged bytes the message names the coding. */
async function* decodedBy(coding: Coding, body: Bytes, decode: Decoder): AsyncGenerator<Uint8Array> {
  const failures: unknown[] = []
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  try {
    yield* decode(watched())
  } catch (cause) {
    if (failures.length > 0) throw failures[0]
    throw new Error(`the body of the response cannot be decoded from ${coding}: ${messageOf(cause)}`, { cause })
  }
}
