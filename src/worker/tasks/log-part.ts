/** A part of a log of a task, with the seconds in which it was written. Source: distribution 3, D10. */
import { MOST_SECONDS, type Seconds } from '../../bus/tasks.ts'
import { notedSeconds } from '../../platform/log-times.ts'
import { type Part, partOf } from './file-part.ts'

export interface LogPart extends Part {
  /** Absent: nothing of it is on record. */
  seconds?: Seconds
}

/** Ends where more seconds would be told than fit. @param now epoch ms @throws Error of the file system */
export async function logPart(path: string, from: number, most: number, now: number): Promise<LogPart> {
  const { size, data } = await partOf(path, from, most)
  if (data.length === 0) return { size, data }
  const noted = await notedSeconds(path, from, from + data.length, MOST_SECONDS + 1)
  if (noted.length === 0) return { size, data }
  const told = noted.slice(0, MOST_SECONDS)
  const end = noted.length > told.length ? told.at(-1)?.end : undefined
  return {
    size,
    data: end === undefined ? data : data.subarray(0, end - from),
    seconds: told.map(({ second, end }) => ({ agoMs: Math.max(0, Math.round(now - second * 1_000)), to: end }))
  }
}
