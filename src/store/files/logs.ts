/** Reads a part of a log file, and only that part. Knows nothing about what is logged. Source: api-semantics 3.8. */
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { codeOf, TroupeError } from '../../errors.ts'
import { reasonOf } from '../../platform/make-folder.ts'
import { CHUNK_BYTES, estimatedLines, exactLines, LINES_PER_MARK, type LineIndex, lineIndex } from './line-index.ts'

/** The requested lines: the first of `tail`, `head`, `offset` (with `limit`) that is above 0 decides. */
export interface LogQuery {
  /** Lines from the end. */
  tail?: number | undefined
  /** Lines from the start. */
  head?: number | undefined
  /** 1-based number of the first line. */
  offset?: number | undefined
  /** Default 1,000. */
  limit?: number | undefined
}

/** Source: http-api "Log chunk". */
export interface LogChunk {
  /** Lines joined by line breaks, without one at the end. */
  content: string
  lineCount: number
  totalLines: number
  hasMore: boolean
  isEstimate: boolean
}

/** The answer for an empty log. */
export const NO_LINES: LogChunk = { content: '', lineCount: 0, totalLines: 0, hasMore: false, isEstimate: false }

/**
 * Log of a step that redirects both streams into one file, next to its two logs: a copy of what was written to that file. The file
 * itself belongs to the user: it may contain other output, or have been replaced.
 */
export const bothLog = (stdout: string): string => stdout.replace(/\.out$/, '.both')

const MIB = 1024 * 1024
const DEFAULT_LINES = 1_000
const MOST_LINES = 10_000
/** Maximum bytes of lines in one answer. */
const MOST_BYTES = 8 * MIB
/** Longer lines are cut. */
const LONGEST_LINE = MIB
/** Average line length that few logs exceed. */
const COMMON_LINE = 1024
const CUT_MARK = ' ... [line cut at 1 MiB]'
/** Up to this size lines are counted, above it their number is estimated from the scanned part. */
const COUNTED_BYTES = 64 * MIB
const SAMPLE_BYTES = MIB
const LINE_BREAK = 10
const CARRIAGE_RETURN = 13

// D205
/**
 * Reads lines of the log at `path`. Never more than 10,000 lines and 8 MiB; a line above 1 MiB is cut and marked.
 * @param charset encoding of the log; its line breaks are single bytes
 * @throws TroupeError not_found when there is no such file; service_unavailable when it is not accessible
 */
export async function readLog(path: string, query: LogQuery = {}, charset = 'utf-8'): Promise<LogChunk> {
  const { tail = 0, head = 0, offset = 0, limit = 0 } = query
  const handle = await openLog(path)
  try {
    if (tail > 0) return await readTail(path, handle, Math.min(tail, MOST_LINES), charset)
    if (head > 0) return await readFrom(path, handle, 1, Math.min(head, MOST_LINES), charset)
    const most = limit > 0 ? Math.min(limit, MOST_LINES) : DEFAULT_LINES
    return await readFrom(path, handle, Math.max(1, offset), most, charset)
  } finally {
    await handle.close()
  }
}

/** Estimates the size of an answer in bytes, from the size of the file and the number of requested lines. */
export async function expectedBytes(path: string, { tail = 0, head = 0, limit = 0 }: LogQuery): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  const wanted = [tail, head, limit].find((lines) => lines > 0) ?? DEFAULT_LINES
  return Math.min(size, MOST_BYTES, wanted * COMMON_LINE)
}

/**
 * All of the log at `path`, byte for byte, as it is now: what is written while it is read is left out.
 * @throws TroupeError as `readLog`
 */
export async function wholeLog(path: string): Promise<{ bytes: Readable; size: number }> {
  const handle = await openLog(path)
  const { size } = await handle.stat()
  // The stream closes the file, also when its reader gives up.
  if (size > 0) return { bytes: handle.createReadStream({ start: 0, end: size - 1 }), size }
  await handle.close()
  return { bytes: Readable.from([]), size }
}

/** Opens only regular files: no link that has replaced it, and no pipe that would block the request. */
async function openLog(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let handle: FileHandle | undefined
  try {
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if ((await handle.stat()).isFile()) return handle
  } catch (cause) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(codeOf(cause) ?? ''))
      throw new TroupeError('service_unavailable', `the log file cannot be read: ${reasonOf(cause)}`, { cause })
  }
  await handle?.close()
  throw new TroupeError('not_found', 'the log file does not exist')
}

async function readFrom(
  path: string,
  handle: FileHandle,
  first: number,
  count: number,
  charset: string
): Promise<LogChunk> {
  const index = await lineIndex(
    path,
    handle,
    ({ size, scanned, breaks }) => size > COUNTED_BYTES && scanned >= SAMPLE_BYTES && breaks >= first - 1
  )
  const before = first - 1
  const total = exactLines(index)
  if (total !== undefined && before >= total) return { ...NO_LINES, totalLines: total }
  const mark = Math.floor(before / LINES_PER_MARK)
  const from = index.marks[mark] ?? 0
  const { lines, ended } = await collect(handle, from, index.size, before - mark * LINES_PER_MARK, count, charset)
  return chunk(lines, ended ? before + lines.length : total, index, before)
}

async function readTail(path: string, handle: FileHandle, count: number, charset: string): Promise<LogChunk> {
  const index = await lineIndex(path, handle, ({ size, scanned }) => size > COUNTED_BYTES && scanned >= SAMPLE_BYTES)
  const start = await startOfTail(handle, index.size, count)
  const { lines } = await collect(handle, start, index.size, 0, count, charset)
  const total = start === 0 ? lines.length : exactLines(index)
  const known = total ?? Math.max(estimatedLines(index), lines.length + 1)
  return { ...chunk(lines, total, index, 0), totalLines: known, hasMore: lines.length < known }
}

/** `total` is undefined when it can only be estimated: then there is more. `before`: number of lines before the first. */
function chunk(lines: string[], total: number | undefined, index: LineIndex, before: number): LogChunk {
  const through = before + lines.length
  const totalLines = total ?? Math.max(estimatedLines(index), through + 1)
  return {
    content: lines.join('\n'),
    lineCount: lines.length,
    totalLines,
    hasMore: through < totalLines,
    isEstimate: total === undefined
  }
}

/** Reads from `from`, skips `skip` lines and returns the next ones. `ended`: no line follows. */
async function collect(
  handle: FileHandle,
  from: number,
  until: number,
  skip: number,
  count: number,
  charset: string
): Promise<{ lines: string[]; ended: boolean }> {
  const basket = lineBasket(skip, charset)
  const { lines } = basket
  for (let position = from; position < until; ) {
    // Each read has its own buffer: lines are slices of it, not copies.
    const wanted = Math.min(CHUNK_BYTES, until - position)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position)
    if (bytesRead === 0) break
    for (let start = 0; start < bytesRead; ) {
      const found = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK, start)
      basket.add(buffer.subarray(start, found < 0 ? bytesRead : found))
      if (found < 0) break
      start = found + 1
      if (!basket.closeLine(true)) return { lines, ended: false }
      if (lines.length === count) return { lines, ended: position + start >= until }
    }
    position += bytesRead
  }
  return { lines, ended: basket.closeLine(false) }
}

/** Assembles lines from chunks; drops the first `skip` lines, and what exceeds the size of an answer. */
function lineBasket(skip: number, charset: string) {
  const lines: string[] = []
  let pieces: Buffer[] = []
  let length = 0
  let bytes = 0
  return {
    lines,
    add(piece: Buffer): void {
      if (skip > 0) return
      if (length < LONGEST_LINE) pieces.push(piece.subarray(0, LONGEST_LINE - length))
      length += piece.length
    },
    /** `broken`: ended by a line break, not by the end of the file. Returns false when the line does not fit any more. */
    closeLine(broken: boolean): boolean {
      if (skip > 0) {
        skip--
        return true
      }
      if (!broken && length === 0) return true
      bytes += costOf(length)
      if (bytes > MOST_BYTES) return false
      lines.push(lineText(Buffer.concat(pieces), length > LONGEST_LINE, broken, charset))
      pieces = []
      length = 0
      return true
    }
  }
}

/** Bytes that a line of `length` bytes takes in an answer. */
const costOf = (length: number) => Math.min(length, LONGEST_LINE) + 1

function lineText(bytes: Buffer, cut: boolean, broken: boolean, charset: string): string {
  // A streaming decoder withholds an incomplete character at the end.
  if (cut) return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes, { stream: true }) + CUT_MARK
  const carriageReturn = broken && bytes.at(-1) === CARRIAGE_RETURN
  const end = bytes.length - (carriageReturn ? 1 : 0)
  if (charset === 'utf-8') return bytes.toString('utf8', 0, end)
  // Two calls: in a single one, Node decodes windows-1252, an alias of which is latin1, as ISO 8859-1, so that 0x80 to 0x9F become control characters.
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  return decoder.decode(bytes.subarray(0, end), { stream: true }) + decoder.decode()
}

/** Reads backwards: offset of the first of the last `count` lines, or of as many as fit into an answer. */
async function startOfTail(handle: FileHandle, size: number, count: number): Promise<number> {
  let lineEnd = size
  let found = 0
  let bytes = 0
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = size; position > 0; ) {
    const from = Math.max(0, position - CHUNK_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, position - from, from)
    for (let at = bytesRead; at > 0; ) {
      at = buffer.lastIndexOf(LINE_BREAK, at - 1)
      if (at < 0) break
      // The final line break ends the last line and starts no new one.
      if (from + at < size - 1) {
        const start = from + at + 1
        bytes += costOf(lineEnd - start)
        if (bytes > MOST_BYTES) return lineEnd + 1
        if (++found === count) return start
      }
      lineEnd = from + at
    }
    position = from
  }
  return bytes + costOf(lineEnd) > MOST_BYTES ? lineEnd + 1 : 0
}
