/** Which files of the audit log are old enough to go. They go as a whole, the oldest first, and never the last one. */
import { rmSync } from 'node:fs'
import { unsealed } from './entry.ts'
import { type AuditFile, auditFiles, lastLine } from './files.ts'

const DAY_MS = 86_400_000

/** The last entry that goes: what verifying takes for the beginning of the chain. */
export interface DroppedThrough extends Readonly<Record<string, unknown>> {
  through: number
  hash: string
  /** When the last dropped entry was made. */
  until: string
}

// D1459: without its entry nothing is acknowledged, and old files go as a whole
export function outdated(
  { dir, retentionDays }: { dir: string; retentionDays: number },
  now: number
): { through: DroppedThrough; files: AuditFile[] } | undefined {
  if (retentionDays === 0) return undefined
  const files: AuditFile[] = []
  let through: DroppedThrough | undefined
  for (const file of auditFiles(dir).slice(0, -1)) {
    const last = lastLine(file.path, { cut: false })
    const entry = last && unsealed(last.text)?.entry
    // An entry that cannot be read stays, and what comes after it: its gap is to be seen.
    if (!entry || Date.parse(entry.at) > now - retentionDays * DAY_MS) break
    files.push(file)
    through = { through: entry.seq, hash: entry.hash, until: entry.at }
  }
  return through && { through, files }
}

export function dropFiles(files: readonly AuditFile[]): void {
  for (const { path } of files) rmSync(path, { force: true })
}
