/**
 * Where the launcher keeps its FIFOs and jobs: in memory where the system offers that, because a job holds the values of
 * variables, and because a file there is made without waiting for a disk.
 */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const IN_MEMORY = '/dev/shm'

/** A folder of this user alone, the same for every engine on one home. @param dataDir of the home; the fallback is in it */
export function launcherFolder(dataDir: string): string {
  const user = process.getuid?.() ?? 0
  const folder = join(IN_MEMORY, `troupe-${user}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    if (uid === user && (mode & 0o777) === 0o700) return folder
  } catch {
    // No such file system, or not for us.
  }
  return join(dataDir, 'launcher')
}
