/** The last lines of a log, which may be growing or huge. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes read from the end; a longer line is shown from there on. */
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
    return '' // Not written yet, or already removed.
  }
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, LOOKED_AT))
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
    return bytes.subarray(0, read).toString('utf8')
  } catch {
    return '' // A folder can be opened, but not read.
  } finally {
    closeSync(file)
  }
}
