/** What an execution wrote, read from its logs after its end. Source: execution-semantics 4.5, 5.4. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { lineSearch } from '../spec/match.ts'

/** Bytes of stderr that an error shows. */
const TAIL_BYTES = 1_024

/** The execution's own stdout, trimmed; undefined: it is larger than `limit` bytes. */
export async function captureOutput(path: string, offset: number, limit: number): Promise<string | undefined> {
  const bytes = await read(path, offset, limit + 1)
  return bytes.length > limit ? undefined : bytes.toString('utf8').trim()
}

/** The last bytes of a log, without its last line break. */
export async function tailOf(path: string): Promise<string> {
  const bytes = await read(path, -TAIL_BYTES, TAIL_BYTES)
  return bytes.toString('utf8').trimEnd()
}

/**
 * Whether a line of a log of any size holds one of the texts, or matches one of the `re:` patterns.
 * @param offset where the lines to look at begin: earlier ones were looked at when they were new
 */
export async function matchesLog(path: string, offset: number, patterns: string[], maxLine: number): Promise<boolean> {
  const search = lineSearch(patterns, maxLine)
  try {
    for await (const chunk of createReadStream(path, { start: offset })) if (search.push(chunk as Buffer)) return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return search.end()
}

/** @param from negative: from the end */
async function read(path: string, from: number, length: number): Promise<Buffer> {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
  try {
    const { size } = await file.stat()
    const start = from < 0 ? Math.max(0, size + from) : from
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - start)))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
