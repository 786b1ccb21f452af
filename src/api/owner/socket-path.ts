/** Where the owner of a home listens for the commands of its user. */
import { lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TroupeError } from '../../errors.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'

/** Longest path of a Unix socket on every system, bytes. */
const LONGEST = 107

/** `<dataDir>/troupe.sock`; when that is too long, a name derived from it in the user's folder in `temporary`. */
export async function socketPath(dataDir: string, temporary = tmpdir()): Promise<string> {
  const path = join(dataDir, 'troupe.sock')
  if (Buffer.byteLength(path) <= LONGEST) return path
  const { createHash } = await import('node:crypto')
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 24)
  const short = join(temporary, `troupe-${process.getuid?.() ?? 'user'}`, `${name}.sock`)
  if (Buffer.byteLength(short) <= LONGEST) return short
  throw new TroupeError('bad_request', `the temporary folder's path is too long for a socket: ${short}; set TMPDIR`)
}

/**
 * Makes sure that the folder of a socket exists and belongs to this user: in a temporary folder another user could have made it.
 * @throws TroupeError forbidden
 */
export function prepareSocketFolder(path: string, dataDir: string): void {
  const folder = dirname(path)
  makeFolderAtOnce(folder, 0o700)
  if (folder !== dataDir && !isPrivate(folder))
    throw new TroupeError(
      'forbidden',
      `${folder} belongs to somebody else or is open to others; remove it or set TMPDIR`
    )
}

/** Whether only this user could have put a socket there. */
export function isTrusted(path: string, dataDir: string): boolean {
  const folder = dirname(path)
  return folder === dataDir || isPrivate(folder)
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
