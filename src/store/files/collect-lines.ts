/** Lines of a log from an offset on, with a bound for what they take together. */
import type { FileHandle } from 'node:fs/promises'
import { CHUNK_BYTES, LINE_BREAK } from './line-index.ts'

const MIB = 1024 * 1024
/** Maximum bytes of lines in one answer. */
export const MOST_BYTES = 8 * MIB
/** Longer lines are cut. */
const LONGEST_LINE = MIB
const CUT_MARK = ' ... [line cut at 1 MiB]'
const CARRIAGE_RETURN = 13

/** Reads from `from`, skips `skip` lines and returns the next ones. `ended`: no line follows. */
export async function collect(
  handle: FileHandle,
  from: number,
  until: number,
  skip: number,
  count: number,
  charset: string
): Promise<{ lines: string[]; starts: number[]; ended: boolean }> {
  const basket = lineBasket(skip, charset)
  const { lines, starts } = basket
  let lineStart = from
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
      if (!basket.closeLine(true, lineStart)) return { lines, starts, ended: false }
      lineStart = position + start
      if (lines.length === count) return { lines, starts, ended: lineStart >= until }
    }
    position += bytesRead
  }
  return { lines, starts, ended: basket.closeLine(false, lineStart) }
}

/** Assembles lines from chunks; drops the first `skip` lines, and what exceeds the size of an answer. */
function lineBasket(skip: number, charset: string) {
  const lines: string[] = []
  const starts: number[] = []
  let pieces: Buffer[] = []
  let length = 0
  let bytes = 0
  return {
    lines,
    starts,
    add(piece: Buffer): void {
      if (skip > 0) return
      if (length < LONGEST_LINE) pieces.push(piece.subarray(0, LONGEST_LINE - length))
      length += piece.length
    },
    /** `broken`: ended by a line break, not by the end of the file. Returns false when the line does not fit any more. */
    closeLine(broken: boolean, start: number): boolean {
      if (skip > 0) {
        skip--
        return true
      }
      if (!broken && length === 0) return true
      bytes += costOf(length)
      if (bytes > MOST_BYTES) return false
      starts.push(start)
      lines.push(lineText(Buffer.concat(pieces), length > LONGEST_LINE, broken, charset))
      pieces = []
      length = 0
      return true
    }
  }
}

/** Bytes that a line of `length` bytes takes in an answer. */
export const costOf = (length: number) => Math.min(length, LONGEST_LINE) + 1

function lineText(bytes: Buffer, cut: boolean, broken: boolean, charset: string): string {
  // A streaming decoder withholds an incomplete character at the end.
  if (cut) return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes, { stream: true }) + CUT_MARK
  const carriageReturn = broken && bytes.at(-1) === CARRIAGE_RETURN
  const end = bytes.length - (carriageReturn ? 1 : 0)
  return textOf(bytes.subarray(0, end), charset)
}

export function textOf(bytes: Buffer, charset: string): string {
  if (charset === 'utf-8') return bytes.toString('utf8')
  // Two calls: in a single one, Node decodes windows-1252, an alias of which is latin1, as ISO 8859-1, so that 0x80 to 0x9F become control
  // characters.
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  return decoder.decode(bytes, { stream: true }) + decoder.decode()
}
