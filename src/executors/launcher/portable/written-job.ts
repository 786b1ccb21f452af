/** The files of a job in the launcher's folder: in memory, where that is cheaper than to ask a thread for it. */
import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '../job.ts'
import { jobFiles } from './job-text.ts'
import { secretFile } from './masked-job.ts'

// D41
/** @param environment of supervisors. @returns writes what a supervisor needs for a job */
export function jobWriter(folder: string, environment: Record<string, string>) {
  const umask = process.umask().toString(8).padStart(3, '0')
  return (name: string, job: Job): void => {
    const files = jobFiles(name, job, environment, umask)
    for (const [index, [file, text]] of files.entries())
      try {
        writeFileSync(join(folder, file), text, { mode: 0o600 })
      } catch (cause) {
        // The half of it takes room that others need, and holds values.
        for (const [made] of files.slice(0, index + 1)) removeIfThere(join(folder, made))
        throw new Error(`${join(folder, file)} cannot be written: ${(cause as Error).message}`, { cause })
      }
  }
}

/** Once its supervisor has read it. */
export function removeJob(folder: string, name: string): void {
  removeIfThere(join(folder, secretFile(name)))
  removeIfThere(join(folder, name))
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // There is none, or it goes with the folder.
  }
}
