/** The logs that are being read: each by one reader, from where it was told of last. */
import type { Clock } from '../../clock.ts'
import { lineSplitter } from './line-splitter.ts'
import type { Listener, OutputStep, Stream } from './listener.ts'
import { readOn } from './log-reader.ts'

export interface ReadingOptions {
  clock: Clock
  /** Of the logs, as `ui.logEncodingCharset` says. */
  charset: string
  listener: Listener
  /** Lines as they were written, for a reader that is no terminal. */
  raw?: boolean
  /** Of a log that grows faster than it is shown the end is enough. */
  skipBeyond?: number
}

export interface LogReadings {
  /** Reads it from now on, as it grows. */
  begin(log: Log): void
  /** Its writer is done: resolves when the rest is told. */
  finish(log: Log): Promise<void>
  /** The same for all that are being read. */
  finishAll(): Promise<void>
}

export interface Log {
  path: string
  of: OutputStep
  stream: Stream
}

/**
 * @param isReport of a log that is not told of, which may be known when it is being read already
 * @param enough aborts when nobody wants more
 */
export function logReadings(
  { clock, charset, listener, raw, skipBeyond }: ReadingOptions,
  isReport: (log: Log) => boolean,
  enough: AbortSignal
): LogReadings {
  const open = new Map<string, { written: AbortController; done: Promise<void> }>()
  /** Byte up to which a log was told of. */
  const told = new Map<string, number>()
  /** Logs of which all is told. */
  const complete = new Set<string>()

  function read(log: Log): void {
    const { path, of, stream } = log
    if (open.has(path) || enough.aborted) return
    const written = new AbortController()
    const splitter = lineSplitter(charset, raw)
    const from = told.get(path) ?? 0
    const reading = readOn({
      ...{ path, from, clock, enough, written: written.signal },
      ...(skipBeyond === undefined ? {} : { skipBeyond }),
      async take(bytes) {
        if (isReport(log)) return
        const lines = splitter.add(bytes)
        if (lines.length > 0) await listener.lines(of, stream, lines)
        listener.open?.(of, stream, splitter.open)
      }
    })
    const done = reading
      .catch(() => from) // a disk that fails: the log is as good as gone
      .then(async (at) => {
        told.set(path, at)
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
