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
  removeLauncher(join(home, 'data'))
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

/** What the launcher of a home has outside it. @param dataDir of the home, which exists */
export function removeLauncher(dataDir: string): void {
  const folder = launcherFolder(dataDir)
  if (dirname(folder) === '/dev/shm') rmSync(folder, { recursive: true, force: true })
}
