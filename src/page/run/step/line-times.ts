/** From a line of a log to the second in which it was written, and back. Source: docs/http-api.md "Logs". */
import type { LogChunk } from '../../answers.ts'
import { ask } from '../../api.ts'

const SECOND_MS = 1_000

type Query = Record<string, string>
const read = (path: string, stream: string, query: Query, signal: AbortSignal): Promise<LogChunk> =>
  ask<LogChunk>(`${path}?${new URLSearchParams({ ...(stream && { stream }), ...query })}`, { signal })

/** @param line from 0 on @returns epoch ms of the second in which it was begun; undefined: not known */
export async function secondOf(
  path: string,
  stream: string,
  line: number,
  signal: AbortSignal
): Promise<number | undefined> {
  const { times } = await read(path, stream, { offset: String(line + 1), limit: '1' }, signal)
  const at = times?.[0]?.at
  return at ? Date.parse(at) : undefined
}

/**
 * The last line that was begun until a moment.
 * @param at epoch ms; of the lines of its own second nobody knows, they count as earlier
 * @returns from 0 on; -1: none was; undefined: not known
 */
export async function lineAt(
  path: string,
  stream: string,
  at: number,
  signal: AbortSignal
): Promise<number | undefined> {
  const since = String(Math.floor(at / SECOND_MS) + 1)
  const later = await read(path, stream, { since, limit: '1' }, signal)
  if (later.lineCount > 0) return later.times && later.firstLine !== undefined ? later.firstLine - 2 : undefined
  const { times, totalLines } = await read(path, stream, { tail: '1' }, signal)
  return times?.[0]?.at ? totalLines - 1 : undefined
}
