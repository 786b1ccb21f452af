/** Reads a part of what a task has written, or of its result. Source: distribution 3, D10. */
import { PART_BYTES, type Read, type Reply } from '../../bus/tasks.ts'
import { NO_PART, partOf } from './file-part.ts'
import { type LogPart, logPart } from './log-part.ts'
import type { Spool } from './spool.ts'
import type { TaskTable } from './task-table.ts'

/** @param now epoch ms */
export async function readFrom(table: TaskTable, spool: Spool, order: Read, now: number): Promise<Reply> {
  const task = table.get(order)
  if (!task) return { kind: 'unknown' }
  const { record, id } = task
  const { stream, from } = order
  const most = Math.min(order.max, PART_BYTES)
  const part = async (): Promise<LogPart> => {
    if (stream !== 'result') {
      const path = record.began?.logs[stream === 'stdout' ? 0 : 1]
      return path === undefined ? NO_PART : logPart(path, from, most, now)
    }
    const { result } = record.ended ?? {}
    if (result === undefined) return record.ended ? partOf(spool.resultPath(id), from, most) : NO_PART
    const bytes = Buffer.from(result)
    return { size: bytes.length, data: bytes.subarray(from, from + most) }
  }
  return { kind: 'part', ...(await part()) }
}
