/** From the bytes of a log to its lines, made harmless for a terminal. */
import { harmless } from '../view/text.ts'

/** Characters after which a line that goes on is shown in pieces. */
const LONGEST = 64 * 1024
/** What `harmless` leaves as it is. */
const HARMLESS = /^[\n\x20-\x7e]*$/

export interface LineSplitter {
  /** The lines that are complete now. */
  add(bytes: Uint8Array): string[]
  /** The line that was left open, if there is one: its writer is done. */
  end(): string[]
  /** The line that is still being written; empty: none. */
  readonly open: string
}

/** @param charset what the bytes are, as `ui.logEncodingCharset` says; what is none of its characters becomes U+FFFD @param raw true: lines as they are */
export function lineSplitter(charset: string, raw = false): LineSplitter {
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  let rest = ''
  const shown = (text: string) => (raw || HARMLESS.test(text) ? text : harmless(text))
  const strip = (line: string) => (raw && line.endsWith('\r') ? line.slice(0, -1) : line)
  return {
    get open() {
      return shown(rest)
    },
    add(bytes) {
      const text = rest + decoder.decode(bytes, { stream: true })
      const end = text.lastIndexOf('\n')
      const lines = end < 0 ? [] : shown(text.slice(0, end)).split('\n').map(strip)
      rest = text.slice(end + 1)
      if (rest.length > LONGEST) {
        lines.push(shown(rest))
        rest = ''
      }
      return lines
    },
    end() {
      const last = rest + decoder.decode()
      rest = ''
      return last === '' ? [] : [shown(last)]
    }
  }
}
