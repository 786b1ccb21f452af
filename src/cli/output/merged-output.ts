/** What lies in the logs of several steps, by time. */
import { lineText, mergedLines } from '../../platform/merged-lines.ts'
import { harmless } from '../view/text.ts'
import type { Log, ReadingOptions } from './log-readings.ts'

/** A log, and when its step began (epoch ms). */
export interface WrittenLog extends Log {
  startedAt: number | undefined
  /** The step has ended, or is not waited for: a last line without a line break counts. */
  isDone: boolean
}

/**
 * @param logs in the order that lines of one second have
 * @param since second since the epoch: what is known to be older is left out
 * @param enough aborts when no more output is wanted
 * @param readTo told how far each log has been passed on
 */
export async function printMerged(
  logs: readonly WrittenLog[],
  { listener, charset, raw = false }: ReadingOptions,
  { since, enough, readTo }: { since: number | undefined; enough: AbortSignal; readTo(path: string, at: number): void }
): Promise<void> {
  const sources = logs.map(({ path, startedAt, isDone }) => ({ path, startedAt, isDone, from: 0 }))
  for await (const { source, lines } of mergedLines(sources, since)) {
    const log = logs[source]
    if (!log || enough.aborted) return
    const texts = lines.map(({ bytes }) => lineText(bytes, charset))
    await listener.lines(
      log.of,
      log.stream,
      raw ? texts : texts.map(harmless),
      lines.map(({ second }) => second)
    )
    readTo(log.path, lines.at(-1)?.end ?? 0)
  }
}
