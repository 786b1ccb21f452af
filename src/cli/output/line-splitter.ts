/** From the bytes of a log to its lines, without what would steer a terminal. */
import { harmless } from '../view/text.ts'

/** Characters after which an unfinished line is shown in pieces. */
const LONGEST = 64 * 1024
/** What `harmless` does not change. */
const HARMLESS = /^[\n\x20-\x7e]*$/

export interface LineSplitter {
  /** Returns the lines that are now complete. */
  add(bytes: Uint8Array): string[]
  /** Returns the unfinished line, if any: the writer is done. */
  end(): string[]
  /** The unfinished line; empty: none. */
  readonly open: string
}

/** @param charset as in `ui.logEncodingCharset`; invalid bytes become U+FFFD @param raw true: lines as they are */
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
