/** A working folder for who works in it: the user that steps run as has it, and nobody makes one with the rights of the engine. */
import { chownSync, lstatSync } from 'node:fs'
import { type Account, makeFolderAs } from '../../platform/account.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'

// D1478: with `runAs`, what a definition names is touched with the rights of the user
/**
 * @param isOwn it is that of a run, below the engine's data; others are made as the user would
 * @param make makes it for the engine's own user @throws Error that begins with the path
 */
export async function folderFor(
  dir: string,
  isOwn: boolean,
  account: Account | undefined,
  make: (dir: string) => Promise<void>
): Promise<void> {
  if (!account) return make(dir)
  if (isOwn) {
    makeFolderAtOnce(dir, 0o755)
    const found = lstatSync(dir)
    if (found.isDirectory() && found.uid !== account.uid) chownSync(dir, account.uid, account.gid)
  }
  await makeFolderAs(account, dir)
}
