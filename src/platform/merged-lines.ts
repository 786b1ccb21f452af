/** Lines of several logs in the order of their times. Reads as far as it is asked, and holds a chunk of each log at most. */
import { type LogTimes, logTimes } from './log-times.ts'
import { openLogFile } from './open-regular.ts'

export interface MergedSource {
  path: string
  /** Epoch ms at which its writer began; undefined: not known. */
  startedAt: number | undefined
  /** Offset to begin at, bytes: that of a line. */
  from: number
  /** The writer is done: a last line without a line break counts. */
  isDone: boolean
}

export interface MergedLine {
  /** Second since the epoch in which it was begun; undefined: unknown. */
  second: number | undefined
  /** The line without its line break. */
  bytes: Buffer
  /** Offset behind it. */
  end: number
}

/** Lines of one log that follow each other. */
export interface MergedPart {
  /** Index of the source. */
  source: number
  lines: MergedLine[]
}

const CHUNK_BYTES = 64 * 1024
/** A longer line comes in pieces. */
const LONGEST = CHUNK_BYTES
const LINE_BREAK = 10
const CARRIAGE_RETURN = 13

/**
 * The present lines of the logs. Lines of the same second come by source; a line whose time is unknown follows the one before it in its
 * log, or counts for the start of its writer. A log that cannot be read is empty.
 * @param since second since the epoch: what is known to be older is left out
 */
export async function* mergedLines(sources: readonly MergedSource[], since?: number): AsyncGenerator<MergedPart, void> {
  const opened = await Promise.all(sources.map((source) => openLog(source, since)))
  const logs = opened.flatMap((log, source) => (log ? [{ log, source }] : []))
  while (logs.length > 0) {
    const least = logs.reduce((one, other) => (other.log.key < one.log.key ? other : one))
    const others = logs.filter((one) => one !== least)
    /** A log may go on as long as its lines come before those of all others. */
    const isFirst = (key: number) =>
      others.every(({ log, source }) => key < log.key || (key === log.key && least.source < source))
    const lines = await least.log.take(isFirst)
    if (lines.length > 0) yield { source: least.source, lines }
    if (least.log.isOver) logs.splice(logs.indexOf(least), 1)
  }
}

interface OpenLog {
  /** Second of its next line. */
  readonly key: number
  readonly isOver: boolean
  /** The next line, and those after it in the same chunk while they may. */
  take(may: (key: number) => boolean): Promise<MergedLine[]>
}

async function openLog({ path, startedAt, from, isDone }: MergedSource, since?: number): Promise<OpenLog | undefined> {
  const file = await openLogFile(path)
  if (!file) return undefined
  const found = await file.stat().finally(() => file.close())
  const times = await logTimes(path, found, startedAt)
  const start = since === undefined ? from : Math.max(from, times.from(since))
  return start >= found.size ? undefined : reading(path, times, start, found.size, isDone, startedAt)
}

function reading(
  path: string,
  times: LogTimes,
  start: number,
  size: number,
  isDone: boolean,
  startedAt: number | undefined
): OpenLog {
  let position = start
  let chunk = Buffer.alloc(0)
  let isOver = false
  let key = times.at(start) ?? Math.floor((startedAt ?? 0) / 1000)

  /** Makes the chunk begin with a whole line, if there is one. @returns its length without the line break */
  async function next(): Promise<number | undefined> {
    const found = chunk.indexOf(LINE_BREAK)
    if (found >= 0) return found
    if (chunk.length >= LONGEST) return pieceOf(chunk)
    const more = await readAt(path, position + chunk.length, Math.min(CHUNK_BYTES, size - position - chunk.length))
    if (more.length === 0) return isDone && chunk.length > 0 ? chunk.length : undefined
    chunk = Buffer.concat([chunk, more])
    return next()
  }

  return {
    get key() {
      return key
    },
    get isOver() {
      return isOver
    },
    async take(may) {
      const lines: MergedLine[] = []
      for (;;) {
        const length = lines.length === 0 ? await next() : chunk.indexOf(LINE_BREAK)
        if (length === undefined) isOver = true
        if (length === undefined || length < 0) return lines
        const second = times.at(position)
        const bytes = chunk.subarray(0, length)
        const taken = length + (chunk[length] === LINE_BREAK ? 1 : 0)
        position += taken
        chunk = chunk.subarray(taken)
        lines.push({ second, bytes, end: position })
        isOver = position >= size
        key = Math.max(key, times.at(position) ?? key)
        if (isOver || !may(key)) return lines
      }
    }
  }
}

/** The text of a line. @param charset encoding of its log */
export function lineText(bytes: Buffer, charset: string): string {
  const line = bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes
  if (charset === 'utf-8') return line.toString('utf8')
  // Two calls: in a single one, Node decodes windows-1252 as ISO 8859-1.
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  return decoder.decode(line, { stream: true }) + decoder.decode()
}

/** As much of a long line as ends with a whole character of UTF-8. */
function pieceOf(chunk: Buffer): number {
  let end = LONGEST
  while (end > LONGEST - 4 && ((chunk[end] ?? 0) & 0xc0) === 0x80) end--
  return end
}

async function readAt(path: string, position: number, length: number): Promise<Buffer> {
  const file = length > 0 ? await openLogFile(path) : undefined
  if (!file) return Buffer.alloc(0)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
