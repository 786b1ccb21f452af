/**
 * Removes the files of a run whose records are gone: its log, the files of its steps, folders that become empty, its own working
 * directory. A folder may be shared with other runs (`logDir`), and may contain a `stdout:` file: only files that are named like
 * logs of this run are removed. Source: execution-semantics 14.1.4.
 */
import { execFile } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from '../../errors.ts'
import type { StoredLeftover } from '../../store/stored.ts'
import { fileSafe } from '../run/log-names.ts'

// D809: retention removes only files that are named as logs of the run's steps
/** Idempotent. @throws Error when the disk refuses */
export async function removeFiles({ log, nodeLogs, steps, own }: StoredLeftover): Promise<void> {
  const stems = new Set(steps.map(fileSafe))
  for (const folder of nodeLogs) {
    for (const name of await entriesOf(folder)) if (isOf(stems, name)) await rm(join(folder, name), { force: true })
    await leave(folder)
  }
  await rm(log, { force: true })
  await leave(join(dirname(log), 'sub'))
  await leave(dirname(log))
  const above = dirname(dirname(log))
  // A folder that a definition names as `logDir` is not ours and stays.
  if (['sub', basename(dirname(own))].includes(basename(above))) await leave(above)
  await removeTree(own)
  await leave(dirname(own))
}

// D1478: with `runAs`, what a definition names is touched with the rights of the user
/** A folder of somebody else may change while it is removed: `rm` follows no link that was put there meanwhile. */
async function removeTree(folder: string): Promise<void> {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found && found.uid !== process.getuid?.()) await promisify(execFile)('rm', ['-rf', '--', folder])
  else await rm(folder, { recursive: true, force: true })
}

/** `<stem>.<rest>`, where the stem may contain dots. */
function isOf(stems: ReadonlySet<string>, name: string): boolean {
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
    if (stems.has(name.slice(0, dot))) return true
  return false
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** A folder that is not empty stays. */
async function leave(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error
  }
}
