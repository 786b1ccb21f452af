/** What an execution wrote, read from its logs after its end. Source: execution-semantics 4.5, 5.4. */
import { closeSync, constants, createReadStream, fstatSync, openSync, read as readSome, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { SecretMark, Step } from '../../../machines/vocabulary.ts'
import { lineSearch } from '../../definition/text/match.ts'
import { codeOf } from '../../errors.ts'
import { marksFrom } from '../../executors/launcher/marks.ts'
import { MASK } from '../../masking/masker.ts'
import { type Secrets, uncoverBytes } from '../../masking/secrets.ts'
import { reasonOf } from '../../platform/make-folder.ts'

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants
/** Bytes of stderr that an error shows. */
const TAIL_BYTES = 1_024
/** Bytes that are read before anything else has its turn. */
const AT_ONCE = 64 * 1024

// D7: `output` is read from the log file
/** The execution's own stdout, trimmed; undefined: it is larger than `limit` bytes. */
export async function captureOutput(
  path: string,
  offset: number,
  limit: number,
  secrets: Secrets
): Promise<{ output: string; outputMarks?: SecretMark[] } | undefined> {
  // A value of one byte has seven in the log.
  const logged = await read(path, offset, (secrets.none ? 1 : MASK.length) * limit + 1)
  const bytes = secrets.none ? logged : uncoverBytes(logged, await marksFrom(path, offset), secrets.values)
  if (bytes.length > limit) return undefined
  const { text, marks } = secrets.cover(bytes.toString('utf8'))
  const output = text.trim()
  if (marks.length === 0) return { output }
  const before = Buffer.byteLength(text.slice(0, text.length - text.trimStart().length))
  return { output, outputMarks: marks.map((mark) => ({ ...mark, at: mark.at - before })) }
}

/** Why a step has failed whose output could not be captured. */
export const tooLarge = (limit: number): string =>
  `failed to capture output: output exceeded maximum size limit of ${limit} bytes`

/**
 * Whether the log is to be searched: a pass that succeeds may be followed by one that fails.
 * @param failed or stopped, as one that runs out of time is: it has failed then, whatever its code
 */
export const looksForMatch = ({ continueOn, repeat }: Step, failed: boolean): boolean =>
  continueOn.outputs.length > 0 && (failed || repeat !== undefined)

/** The last bytes of a log, without its last line break; nothing of one that cannot be read: why the step has failed is told besides. */
export async function tailOf(path: string): Promise<string> {
  const bytes = await read(path, -TAIL_BYTES, TAIL_BYTES).catch(() => Buffer.alloc(0))
  return bytes.toString('utf8').trimEnd()
}

/** Why one of these logs cannot be written, with its path. Nobody waits for the reader of a pipe. */
export async function refusedLog(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths)
    try {
      const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
      await file.close()
    } catch (error) {
      return `its log ${path} cannot be opened: ${reasonOf(error)}`
    }
  return undefined
}

// D32: `continueOn.output` reads the log of each execution once
/**
 * Whether a line of a log of any size holds one of the texts, or matches one of the `re:` patterns.
 * @param offset where the lines to look at begin: earlier ones were looked at when they were new
 */
export async function matchesLog(path: string, offset: number, patterns: string[], maxLine: number): Promise<boolean> {
  const search = lineSearch(patterns, maxLine)
  try {
    const chunks: AsyncIterable<Buffer> = createReadStream(path, { start: offset })
    for await (const chunk of chunks) if (search.push(chunk)) return true
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return search.end()
}

/** A small part is read at once: asking threads of Node four times for it takes forty times as long. @param from negative: from the end */
async function read(path: string, from: number, length: number): Promise<Buffer> {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // a pipe would wait for its writer
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
  try {
    const { size } = fstatSync(file)
    const start = from < 0 ? Math.max(0, size + from) : from
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - start)))
    if (bytes.length <= AT_ONCE) return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start))
    const { bytesRead } = await readLater(file, bytes, 0, bytes.length, start)
    return bytes.subarray(0, bytesRead)
  } finally {
    closeSync(file)
  }
}
const readLater = promisify(readSome)
