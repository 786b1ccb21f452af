/** The files of a job in the launcher's folder: in memory, where that is cheaper than to ask a thread for it. */
import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jobFiles } from './job.ts'
import type { Job } from './job-record.ts'
import type { Keeper } from './keepers.ts'
import { secretFile } from './masked-job.ts'
import { wardenJob } from './warden.ts'

// D41
/** @param environment of keepers. @returns writes what a keeper needs for a job, and gives the line that hands it over */
export function jobWriter(folder: string, environment: Record<string, string>) {
  const umask = process.umask().toString(8).padStart(3, '0')
  return (name: string, job: Job, { holdsMany }: Keeper): string => {
    const { files, line } = holdsMany
      ? wardenJob(name, job, umask)
      : { files: jobFiles(name, job, environment, umask), line: name }
    for (const [index, [file, text]] of files.entries())
      try {
        writeFileSync(join(folder, file), text, { mode: 0o600 })
      } catch (cause) {
        // The half of it takes room that others need, and holds values.
        for (const [made] of files.slice(0, index + 1)) removeIfThere(join(folder, made))
        throw new Error(`${join(folder, file)} cannot be written: ${(cause as Error).message}`, { cause })
      }
    return line
  }
}

/** Once its keeper has read it. The warden does so itself. */
export function removeJob(folder: string, name: string, { isSecret }: Job): void {
  if (isSecret) removeIfThere(join(folder, secretFile(name)))
  removeIfThere(join(folder, name))
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It goes with the folder.
  }
}
