/** Decodes the bytes of a file. Anything but UTF-8 is refused: otherwise wrong characters could get into commands unnoticed. */
import { isUtf8 } from 'node:buffer'

/** The text, or why there is none. */
export type Decoded = { text: string } | { problem: string; line: number; column: number }

// D521: a definition or base file must be UTF-8
export function decoded(bytes: Buffer): Decoded {
  const text = bytes.toString('utf8')
  if (isUtf8(bytes)) return { text }
  const read = Buffer.from(text)
  const at = bytes.findIndex((byte, index) => byte !== read[index])
  const before = bytes.subarray(0, at).toString('utf8')
  const found = bytes[at]?.toString(16).toUpperCase().padStart(2, '0')
  return {
    problem: `wanted UTF-8, found the byte 0x${found}: save the file as UTF-8`,
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n')
  }
}
