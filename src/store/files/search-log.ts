/** Finds the lines of a log file that have a text, or a match of an expression. Other work goes on between two pieces of the file. */
import type { FileHandle } from 'node:fs/promises'
import { seenText } from '../../platform/seen-text.ts'
import { textOf } from './collect-lines.ts'
import { LINE_BREAK, LINES_PER_MARK, lineIndex } from './line-index.ts'
import { expressionFinds, type LineExpression, type Pace, textFinds } from './log-finds.ts'
import { openLog } from './logs.ts'

export interface LogSearch {
  /** Case does not matter; without line breaks. Or an expression, which is tried on each line. */
  what: string | { expression: LineExpression; pace: Pace }
  /** 1-based number of the first line to search; default 1. */
  offset?: number | undefined
  /** Default 1,000. */
  limit?: number | undefined
}

export interface LogFinds {
  lines: number[]
  /** Offset of the first line that is not yet searched to its end: where what follows is asked for. */
  nextOffset: number
  /** There is more to be searched now. */
  hasMore: boolean
}

const MIB = 1024 * 1024
const DEFAULT_LINES = 1_000
const MOST_LINES = 10_000
/** Limit of one answer: the one who waits sees how far it is, and nobody who has left keeps the server at work. */
const SEARCHED_BYTES = 32 * MIB
/** Texts of twice the size would cost twice the time: each would have its memory from the system anew. */
const PIECE_BYTES = 128 * 1024
/** Each part of a longer line is searched for itself. */
const LONGEST_LINE = MIB

// D1310: a log is searched by the server, and what is found is what is seen
/**
 * Searches what is seen of each line, as `seenText` has it.
 * @param charset encoding of the log; its line breaks are single bytes
 * @throws TroupeError as `readLog`
 */
export async function searchLog(
  path: string,
  { what, offset = 1, limit = 0 }: LogSearch,
  charset = 'utf-8'
): Promise<LogFinds> {
  const first = Math.max(1, offset)
  const handle = await openLog(path)
  try {
    const index = await lineIndex(path, handle, ({ breaks }) => breaks >= first - 1)
    const mark = Math.floor((first - 1) / LINES_PER_MARK)
    const from = index.marks[mark]
    if (from === undefined) return { lines: [], nextOffset: first, hasMore: false }
    const most = limit > 0 ? Math.min(limit, MOST_LINES) : DEFAULT_LINES
    const wanted = { number: mark * LINES_PER_MARK + 1, first, most }
    const finds =
      typeof what === 'string'
        ? textFinds(what.toLowerCase(), wanted)
        : expressionFinds(what.expression, wanted, what.pace)
    let at = from
    for await (const piece of wholeLines(handle, from, index.size)) {
      at += piece.length
      const taken = finds.take(seenText(textOf(piece, charset)))
      if (!(typeof taken === 'boolean' ? taken : await taken)) break
      // Whoever asks again must get further, however long the lines are.
      if (at - from >= SEARCHED_BYTES && finds.number() > first) break
    }
    const { lines, number, isStopped } = finds
    return { lines, nextOffset: Math.max(first, number()), hasMore: isStopped() || at < index.size }
  } finally {
    await handle.close()
  }
}

/** Pieces that end with a line, or with the file; of a line that is longer than any piece, its parts. */
async function* wholeLines(handle: FileHandle, from: number, size: number): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafe(PIECE_BYTES)
  for (let position = from; position < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - position), position)
    if (bytesRead === 0) return
    const read = buffer.subarray(0, bytesRead)
    const end = position + bytesRead >= size ? bytesRead : read.lastIndexOf(LINE_BREAK) + 1
    if (end === 0 && buffer.length < LONGEST_LINE) {
      buffer = Buffer.allocUnsafe(LONGEST_LINE)
      continue
    }
    yield read.subarray(0, end || bytesRead)
    position += end || bytesRead
  }
}
