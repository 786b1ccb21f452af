/** Reads a part of a log file, and only that part. Knows nothing about what is logged. Source: api-semantics 3.8. */
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { codeOf, TroupeError } from '../../errors.ts'
import { type LogTimes, logTimes } from '../../platform/log-times.ts'
import { reasonOf } from '../../platform/make-folder.ts'
import { collect, costOf, MOST_BYTES } from './collect-lines.ts'
import {
  CHUNK_BYTES,
  estimatedLines,
  exactLines,
  LINE_BREAK,
  LINES_PER_MARK,
  type LineIndex,
  lineIndex
} from './line-index.ts'

/** The requested lines: the first of `tail`, `head`, `offset` (with `limit`), `since` (with `limit`) that is above 0 decides. */
export interface LogQuery {
  /** Lines from the end. */
  tail?: number | undefined
  /** Lines from the start. */
  head?: number | undefined
  /** 1-based number of the first line. */
  offset?: number | undefined
  /** Second since the epoch: what is known to be older is left out. */
  since?: number | undefined
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
  /** 1-based number of the first line, where its time is known, too; absent for the end of a log that is too long to count. */
  firstLine?: number
  /** Absent: unknown for all lines. */
  times?: LineTime[]
}

/** Second in which lines of an answer were begun to be written, from this one (1: the first of the answer) to the next of the list. */
export interface LineTime {
  line: number
  /** Epoch ms of the beginning of the second; undefined: unknown. */
  at: number | undefined
}

/** The answer for an empty log. */
export const NO_LINES: LogChunk = { content: '', lineCount: 0, totalLines: 0, hasMore: false, isEstimate: false }

/**
 * Log of a step that redirects both streams into one file, next to its two logs: a copy of what was written to that file. The file
 * itself belongs to the user: it may contain other output, or have been replaced.
 */
export const bothLog = (stdout: string): string => stdout.replace(/\.out$/, '.both')

const MIB = 1024 * 1024
export const DEFAULT_LINES = 1_000
export const MOST_LINES = 10_000
/** Average line length that few logs exceed. */
const COMMON_LINE = 1024
/** Up to this size lines are counted, above it their number is estimated from the scanned part. */
const COUNTED_BYTES = 64 * MIB
const SAMPLE_BYTES = MIB

// D205: a removed log file is 404 once its node has ended
/**
 * Reads lines of the log at `path`. Never more than 10,000 lines and 8 MiB; a line above 1 MiB is cut and marked.
 * @param charset encoding of the log; its line breaks are single bytes
 * @param timed whether the times of the lines are wanted, and when the writer of the log began, epoch ms
 * @throws TroupeError not_found when there is no such file; service_unavailable when it is not accessible
 */
export async function readLog(
  path: string,
  query: LogQuery = {},
  charset = 'utf-8',
  timed?: { startedAt: number | undefined }
): Promise<LogChunk> {
  const { tail = 0, head = 0, offset = 0, limit = 0, since = 0 } = query
  const handle = await openLog(path)
  try {
    const times = timed && (await logTimes(path, await handle.stat(), timed.startedAt))
    const part = async (): Promise<Lines> => {
      if (tail > 0) return readTail(path, handle, Math.min(tail, MOST_LINES), charset)
      if (head > 0) return readFrom(path, handle, 1, Math.min(head, MOST_LINES), charset)
      const most = limit > 0 ? Math.min(limit, MOST_LINES) : DEFAULT_LINES
      const first = offset <= 0 && since > 0 && times ? await lineAt(path, handle, times.from(since)) : offset
      return readFrom(path, handle, Math.max(1, first), most, charset)
    }
    const { starts, before, ...chunk } = await part()
    const known = times && timesOf(starts, times)
    if (!known) return chunk
    return { ...chunk, ...(before === undefined ? {} : { firstLine: before + 1 }), times: known }
  } finally {
    await handle.close()
  }
}

/** Lines as they are read: with the offset at which each begins, and how many are before the first; undefined: too many to count. */
interface Lines extends LogChunk {
  starts: number[]
  before: number | undefined
}

/** Undefined: none is known. */
export function timesOf(starts: readonly number[], times: LogTimes): LineTime[] | undefined {
  const found: LineTime[] = []
  let isKnown = false
  for (const [index, start] of starts.entries()) {
    const second = times.at(start)
    const at = second === undefined ? undefined : second * 1000
    isKnown ||= at !== undefined
    if (index === 0 || found.at(-1)?.at !== at) found.push({ line: index + 1, at })
  }
  return isKnown ? found : undefined
}

/** 1-based number of the line that begins at this offset, or of the one after it when it is inside of a line. */
async function lineAt(path: string, handle: FileHandle, offset: number): Promise<number> {
  const { breaks, isInside } = await breaksUntil(path, handle, offset)
  return breaks + (isInside ? 2 : 1)
}

/** Line breaks before this offset, and whether it is inside of a line. */
export async function breaksUntil(
  path: string,
  handle: FileHandle,
  offset: number
): Promise<{ breaks: number; isInside: boolean }> {
  const index = await lineIndex(path, handle, ({ scanned }) => scanned >= offset)
  const mark = Math.max(
    0,
    index.marks.findLastIndex((one) => one <= offset)
  )
  let breaks = mark * LINES_PER_MARK
  let isInside = false
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = index.marks[mark] ?? 0; position < offset; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, offset - position), position)
    if (bytesRead === 0) break
    const read = buffer.subarray(0, bytesRead)
    for (let at = read.indexOf(LINE_BREAK); at >= 0; at = read.indexOf(LINE_BREAK, at + 1)) breaks++
    position += bytesRead
    isInside = position === offset && buffer[bytesRead - 1] !== LINE_BREAK
  }
  return { breaks, isInside }
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
export async function openLog(path: string): Promise<FileHandle> {
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
): Promise<Lines> {
  const index = await lineIndex(
    path,
    handle,
    ({ size, scanned, breaks }) => size > COUNTED_BYTES && scanned >= SAMPLE_BYTES && breaks >= first - 1
  )
  const before = first - 1
  const total = exactLines(index)
  if (total !== undefined && before >= total) return { ...NO_LINES, totalLines: total, starts: [], before }
  const mark = Math.floor(before / LINES_PER_MARK)
  const from = index.marks[mark] ?? 0
  const found = await collect(handle, from, index.size, before - mark * LINES_PER_MARK, count, charset)
  const { lines, starts, ended } = found
  return { ...chunk(lines, ended ? before + lines.length : total, index, before), starts, before }
}

async function readTail(path: string, handle: FileHandle, count: number, charset: string): Promise<Lines> {
  const index = await lineIndex(path, handle, ({ size, scanned }) => size > COUNTED_BYTES && scanned >= SAMPLE_BYTES)
  const start = await startOfTail(handle, index.size, count)
  const { lines, starts } = await collect(handle, start, index.size, 0, count, charset)
  const total = start === 0 ? lines.length : exactLines(index)
  const known = total ?? Math.max(estimatedLines(index), lines.length + 1)
  const before = total === undefined ? undefined : total - lines.length
  return { ...chunk(lines, total, index, 0), totalLines: known, hasMore: lines.length < known, starts, before }
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

/** Reads backwards: offset of the first of the last `count` lines, or of as many as fit into an answer. */
export async function startOfTail(handle: FileHandle, size: number, count: number): Promise<number> {
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
