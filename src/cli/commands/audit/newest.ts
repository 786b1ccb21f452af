/** The newest entries of an audit log that match. */
import type { Entry } from '../../../audit/entry.ts'
import type { AuditLog, ListedFilter } from './audit-log.ts'

/** The newest first. Asks part by part: one is limited. */
export async function newest(log: AuditLog, filter: ListedFilter, limit: number): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const part = await log.part(filter, limit - entries.length, cursor)
    for (const entry of part.entries) entries.push(entry)
    if (part.next === undefined || entries.length >= limit) return entries
    cursor = part.next
  }
}
