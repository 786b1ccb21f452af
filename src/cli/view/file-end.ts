/** The last lines of a log that may be growing and may be huge. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes looked at; a line that does not fit is shown from where they begin. */
const LOOKED_AT = 16 * 1024

/** The last `count` lines that are not blank, oldest first; none when the file cannot be read. */
export function lastLines(path: string, count: number): string[] {
  return endOf(path)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
}

function endOf(path: string): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return '' // Not written yet, or removed since.
  }
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, LOOKED_AT))
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
    return bytes.subarray(0, read).toString('utf8')
  } catch {
    return '' // A folder in its place is opened, and cannot be read.
  } finally {
    closeSync(file)
  }
}
