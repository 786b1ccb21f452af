/** Follows a log file while it is written. It does not poll: the kernel reports when the file grows. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { type Clock, pause } from '../../clock.ts'
import { openLogFile } from '../../platform/open-regular.ts'

const CHUNK_BYTES = 64 * 1024
/** Shortest time between two reads, however small the pieces that are written. */
const GATHER_MS = 50
/** Polling interval for a log that does not exist yet or cannot be watched (fs.inotify.max_user_watches). */
const LOOK_MS = 250

export interface ReadOn {
  path: string
  /** Offset to begin at, bytes. */
  from: number
  clock: Clock
  /** Aborts when the writer is done: the file is complete then. */
  written: AbortSignal
  /** Aborts when no more output is wanted. */
  enough: AbortSignal
  /** Receives the content piece by piece; the next one is read when it has resolved. */
  take(bytes: Uint8Array): Promise<void>
  /** When the log has grown by more bytes than this, only that many are read, from its end; absent: everything. */
  skipBeyond?: number
}

// D431: commands read step output from log files
/** Resolves with the offset to continue at when the writer is done, or no more is wanted. A log that cannot be read is empty. */
export async function readOn(reading: ReadOn): Promise<number> {
  const { path, clock, written, enough } = reading
  const ended = AbortSignal.any([written, enough])
  for (let at = reading.from; ; ) {
    const isLast = written.aborted // checked before the read
    const end = await readFrom(reading, at)
    if (enough.aborted || isLast) return end ?? at
    const before = at
    at = end ?? at
    if (ended.aborted) continue
    if (end === undefined) await pause(clock, LOOK_MS, ended)
    else if (end !== before) await pause(clock, GATHER_MS, ended)
    else await grown(path, at, clock, ended)
  }
}

/** Reads to the current end. Undefined: there is no such log. */
async function readFrom({ path, take, enough, skipBeyond }: ReadOn, from: number): Promise<number | undefined> {
  const file = await openLogFile(path)
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    let at = size < from ? 0 : from // another file has replaced it
    if (skipBeyond !== undefined && size - at > skipBeyond) at = size - skipBeyond
    while (!enough.aborted) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at)
      if (bytesRead === 0) break
      at += bytesRead
      await take(buffer.subarray(0, bytesRead))
    }
    return at
  } finally {
    await file.close()
  }
}

/** Resolves when the file has become longer than `size` bytes, was moved or removed, or at the end. */
async function grown(path: string, size: number, clock: Clock, ended: AbortSignal): Promise<void> {
  let watcher: FSWatcher | undefined
  let wake = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      wake = resolve
      watcher = watch(path, { persistent: false }, wake)
      watcher.on('error', reject)
      ended.addEventListener('abort', wake)
      if (ended.aborted || statSync(path).size !== size) resolve() // it grew before it was watched
    })
  } catch {
    if (!ended.aborted) await pause(clock, LOOK_MS, ended)
  } finally {
    ended.removeEventListener('abort', wake)
    watcher?.close()
  }
}
