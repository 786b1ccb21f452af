/** The logs that are being read, each by one reader, from where the last reading ended. */
import type { Clock } from '../../clock.ts'
import { lineSplitter } from './line-splitter.ts'
import type { Listener, OutputStep, Stream } from './listener.ts'
import { readOn } from './log-reader.ts'

export interface ReadingOptions {
  clock: Clock
  /** Encoding of the logs, as in `ui.logEncodingCharset`. */
  charset: string
  listener: Listener
  /** Lines exactly as written, for a reader that is no terminal. */
  raw?: boolean
  /** As in `readOn`: of a log that grows faster than it is shown, only the end. */
  skipBeyond?: number
}

export interface LogReadings {
  /** What has been passed on of a log by others, bytes: it is read from there. */
  skipTo(path: string, at: number): void
  /** Follows the log from now on. */
  begin(log: Log): void
  /** The writer is done: resolves when the rest has been passed on. */
  finish(log: Log): Promise<void>
  /** The same for all logs that are being read. */
  finishAll(): Promise<void>
}

export interface Log {
  path: string
  of: OutputStep
  stream: Stream
}

/**
 * @param isReport whether a log is to be ignored, which may turn out only while it is being read
 * @param enough aborts when no more output is wanted
 */
export function logReadings(
  { clock, charset, listener, raw, skipBeyond }: ReadingOptions,
  isReport: (log: Log) => boolean,
  enough: AbortSignal
): LogReadings {
  const open = new Map<string, { written: AbortController; done: Promise<void> }>()
  /** Offset up to which a log has been passed on, bytes. */
  const readTo = new Map<string, number>()
  /** Logs that have been passed on completely. */
  const complete = new Set<string>()

  function read(log: Log): void {
    const { path, of, stream } = log
    if (open.has(path) || enough.aborted) return
    const written = new AbortController()
    const splitter = lineSplitter(charset, raw)
    const from = readTo.get(path) ?? 0
    const reading = readOn({
      path,
      from,
      clock,
      enough,
      written: written.signal,
      ...(skipBeyond === undefined ? {} : { skipBeyond }),
      async take(bytes) {
        if (isReport(log)) return
        const lines = splitter.add(bytes)
        if (lines.length > 0) await listener.lines(of, stream, lines)
        listener.open?.(of, stream, splitter.open)
      }
    })
    const done = reading
      .catch(() => from) // a disk failure: treat the log as gone
      .then(async (at) => {
        readTo.set(path, at)
        complete.add(path)
        const rest = splitter.end()
        listener.open?.(of, stream, '')
        if (rest.length > 0 && !enough.aborted) await listener.lines(of, stream, rest)
        open.delete(path)
      })
    open.set(path, { written, done })
  }
  async function end(path: string): Promise<void> {
    const reading = open.get(path)
    reading?.written.abort()
    await reading?.done
  }

  return {
    skipTo: (path, at) => void readTo.set(path, at),
    begin(log) {
      complete.delete(log.path)
      read(log)
    },
    async finish(log) {
      if (!complete.has(log.path)) read(log)
      await end(log.path)
    },
    async finishAll() {
      await Promise.all([...open.keys()].map(end))
    }
  }
}
