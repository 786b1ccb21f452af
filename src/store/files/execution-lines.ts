/** Reads lines of a log that one execution of its step has written, among those of others. Source: docs/http-api.md "Logs". */
import { type ExecutionPart, logTimes } from '../../platform/log-times.ts'
import { collect } from './collect-lines.ts'
import {
  breaksUntil,
  DEFAULT_LINES,
  type LogChunk,
  type LogQuery,
  MOST_LINES,
  openLog,
  startOfTail,
  timesOf
} from './logs.ts'

/**
 * As `readLog`, of a part of the log: lines are counted from its first byte, also when that is inside of a line. All lines up to its end
 * are counted.
 * @param query without `since`
 * @param startedAt epoch ms, when the writer of the log began
 * @throws TroupeError as `readLog`
 */
export async function readExecution(
  path: string,
  part: ExecutionPart,
  query: LogQuery,
  { charset = 'utf-8', startedAt }: { charset?: string; startedAt?: number | undefined } = {}
): Promise<LogChunk> {
  const { tail = 0, head = 0, offset = 0, limit = 0 } = query
  const handle = await openLog(path)
  try {
    const found = await handle.stat()
    const times = await logTimes(path, found, startedAt)
    const until = Math.min(part.to ?? found.size, found.size)
    const from = Math.min(part.from, until)
    const start = (await breaksUntil(path, handle, from)).breaks
    const end = await breaksUntil(path, handle, until)
    const totalLines = end.breaks - start + (end.isInside && until > from ? 1 : 0)
    const most = tail > 0 ? tail : head > 0 ? head : limit > 0 ? limit : DEFAULT_LINES
    const count = Math.min(most, MOST_LINES)
    const begin = tail > 0 ? Math.max(from, await startOfTail(handle, until, count)) : from
    const skip = tail > 0 || head > 0 ? 0 : Math.max(0, offset - 1)
    const { lines, starts } = await collect(handle, begin, until, skip, count, charset)
    const before = tail > 0 ? totalLines - lines.length : skip
    const known = timesOf(starts, times)
    return {
      content: lines.join('\n'),
      lineCount: lines.length,
      totalLines,
      hasMore: tail > 0 ? lines.length < totalLines : before + lines.length < totalLines,
      isEstimate: false,
      firstLine: start + before + 1,
      ...(known ? { times: known } : {})
    }
  } finally {
    await handle.close()
  }
}
