/**
 * When a log was written: a file beside it with a line `SECOND BYTES` for each second in which it grew; all of its bytes up to there were
 * written by then. Who writes a log notes it; a line that a crash has cut is ignored. The launcher writes the same
 * (`executors/launcher/native/troupe-launcher.c`). A line `#NUMBER BYTES` says at which byte that execution of the step has begun; the
 * first has none.
 */
import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'

export const timesPath = (log: string): string => `${log}.times`

/** @param second since the epoch @param bytes of the log */
export const timesLine = (second: number, bytes: number): string => `${String(second).padStart(10, '0')} ${bytes}\n`

/** @param execution of the step, from 2 on @param bytes of the log when it began */
export const executionLine = (execution: number, bytes: number): string => `#${execution} ${bytes}\n`

/** When the bytes of one log were written, as far as that is known. */
export interface LogTimes {
  /** Second since the epoch in which the byte at this offset was written; undefined: unknown. */
  at(offset: number): number | undefined
  /** Offset behind all that is known to be older than this second. */
  from(second: number): number
}

// D1250: beside a log stands when it was written
/** Seconds between two instants at most, for what was written in between to count for the later one. */
const NEAR = 2
const LINE = /^\d{10} \d{1,16}$/
const EXECUTION_LINE = /^#(\d{1,9}) (\d{1,16})$/
/** Logs whose times are remembered. */
const REMEMBERED = 64

interface Known {
  /** Bytes of the file that have been read. */
  read: number
  rest: string
  ino: number
  seconds: number[]
  ends: number[]
  /** At which byte executions began, by their number. */
  begins: Map<number, number>
}

const known = new Map<string, Known>()

/**
 * @param log path of the log
 * @param found of the log itself
 * @param startedAt epoch ms, when its writer began; absent: not known
 */
export async function logTimes(
  log: string,
  { size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>,
  startedAt?: number
): Promise<LogTimes> {
  const { seconds, ends } = await noted(timesPath(log))
  const covered = Math.min(ends.at(-1) ?? 0, size)
  const since = seconds.at(-1) ?? (startedAt === undefined ? undefined : Math.floor(startedAt / 1000))
  const changed = Math.floor(mtimeMs / 1000)
  /** Second of what is behind the last line: the log has not been looked at since, or its writer was done before it was. */
  const last = since !== undefined && changed - since <= NEAR ? Math.max(changed, seconds.at(-1) ?? 0) : undefined
  return {
    at: (offset) => (offset < covered ? seconds[firstAbove(ends, offset)] : last),
    from(second) {
      if (last !== undefined && last < second) return size
      const older = seconds.findLastIndex((one) => one < second)
      return Math.min(ends[older] ?? 0, size)
    }
  }
}

/** A second since the epoch, and the bytes of a log that were written by its end. */
export interface NotedSecond {
  second: number
  end: number
}

/** What is on record of the bytes of a log between two offsets, oldest first. @param most how many at most */
export async function notedSeconds(log: string, from: number, to: number, most: number): Promise<NotedSecond[]> {
  const { seconds, ends } = await noted(timesPath(log))
  const found: NotedSecond[] = []
  for (let index = firstAbove(ends, from); index < ends.length && found.length < most; index++) {
    const end = Math.min(ends[index] ?? 0, to)
    found.push({ second: seconds[index] ?? 0, end })
    if (end === to) break
  }
  return found
}

/** The bytes of a log that one execution of its step has written; without `to`: up to its end. */
export interface ExecutionPart {
  from: number
  to?: number
}

// D1370: beside a log stands where each execution of its step begins
/**
 * @param execution from 1 on
 * @param isOnly the step has begun no other one
 * @returns undefined: not known, as of a log that was written by a release that did not note it
 */
export async function executionPart(
  log: string,
  execution: number,
  isOnly: boolean
): Promise<ExecutionPart | undefined> {
  const { begins } = await noted(timesPath(log))
  const later = [...begins].filter(([number]) => number > execution).sort(([one], [other]) => one - other)
  const [next, to] = later[0] ?? []
  // The first that anything was noted of found nothing: those before it have written nothing.
  if (to === 0) return { from: 0, to }
  const from = execution === 1 ? 0 : begins.get(execution)
  if (from === undefined || (next !== undefined && next !== execution + 1)) return undefined
  if (to !== undefined) return { from, to }
  return execution > 1 || isOnly ? { from } : undefined
}

/** Place of the first number above; they rise. */
function firstAbove(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

const NOTHING: Pick<Known, 'seconds' | 'ends' | 'begins'> = { seconds: [], ends: [], begins: new Map() }

/** The file only grows: what has been read of it is remembered. */
async function noted(path: string): Promise<Pick<Known, 'seconds' | 'ends' | 'begins'>> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!file) return NOTHING
  try {
    const found = await file.stat()
    let entry = known.get(path)
    if (!found.isFile()) return NOTHING
    if (!entry || entry.ino !== found.ino || entry.read > found.size)
      entry = { read: 0, rest: '', ino: found.ino, seconds: [], ends: [], begins: new Map() }
    known.delete(path)
    known.set(path, entry)
    for (const oldest of known.keys()) if (known.size > REMEMBERED) known.delete(oldest)
    const from = entry.read
    if (found.size === from) return entry
    const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size - from), 0, found.size - from, from)
    // Another reader may have been faster.
    if (entry.read === from) take(entry, buffer.toString('latin1', 0, bytesRead), bytesRead)
    return entry
  } finally {
    await file.close()
  }
}

function take(entry: Known, text: string, bytes: number): void {
  const lines = (entry.rest + text).split('\n')
  entry.rest = lines.pop() ?? ''
  entry.read += bytes
  const { seconds, ends, begins } = entry
  for (const line of lines) {
    const [, number, begin] = EXECUTION_LINE.exec(line) ?? []
    if (number !== undefined) begins.set(Number(number), Number(begin))
    if (!LINE.test(line)) continue
    const end = Number(line.slice(11))
    // The log has become shorter: what was noted behind that is gone.
    while ((ends.at(-1) ?? 0) > end) {
      ends.pop()
      seconds.pop()
    }
    if (end === (ends.at(-1) ?? 0)) continue
    seconds.push(Number(line.slice(0, 10)))
    ends.push(end)
  }
}
