/** Homes of engines that are broken on purpose; removed with everything that still runs in them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { launcherFolder } from '../../src/executors/launcher/launcher-folder.ts'

export const newHome = (): string => mkdtempSync(join(tmpdir(), 'troupe-fault-'))

/** @param left pids of processes that its steps have left */
export function removeHome(home: string, left: number[] = []): void {
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const folder = launcherFolder(join(home, 'data'))
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  if (dirname(folder) === '/dev/shm') rmSync(folder, { recursive: true, force: true })
}
