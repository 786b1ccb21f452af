/** Logs of an imported run: found in the logs folder of the home, and copied to where this engine would have written them. */
import { chmodSync, constants, copyFileSync, lstatSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolderAtOnce } from '../../../platform/make-folder.ts'
import { liesIn } from '../../source.ts'

/** As Dagu names logs: those of a run and of its attempts lie below a folder `dag-run_<time>_<id>`. */
const LOG = /\/dag-run_[^/]+\/(?:[^/]+\/)?[^/]+\.(?:log|out|err)$/
/** How many names of a recorded path say which log it is: DAG, run, attempt, file. */
const SAYING = 4

// D1505: logs are copied, and only from the logs folder of the home
/** Only the home's own logs folder is read, wherever the home was moved: a status may name any file, a configuration any folder. */
export function openLogs(folder: string) {
  return {
    /** Path of a recorded log within the home; undefined: it is not there, or not a file of it. */
    find(recorded: string): string | undefined {
      if (!LOG.test(recorded)) return undefined
      const names = recorded.split('/').filter((name) => name !== '' && name !== '..' && name !== '.')
      const below = [SAYING, SAYING - 1].map((count) => join(folder, ...names.slice(-count)))
      return [recorded, ...below].find((path) => liesIn(folder, path) && isFile(path))
    }
  }
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}

export const sizeOf = (path: string): number => statSync(path).size

/** A run log that says why it is empty; otherwise the doctor would miss it. @throws Error of the disk */
export function writeNoLog(path: string): void {
  makeFolderAtOnce(dirname(path), 0o700)
  writeFileSync(path, 'This run was imported from Dagu without its log.\n', { mode: 0o600 })
}

/** Mode 0600, with the times of the original. @throws Error of the disk */
export function copyLog(from: string, to: string): void {
  makeFolderAtOnce(dirname(to), 0o700)
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
  chmodSync(to, 0o600)
  const { atime, mtime } = statSync(from)
  utimesSync(to, atime, mtime)
}
