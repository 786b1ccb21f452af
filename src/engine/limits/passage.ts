/** A way for users of steps to where they work: through the home only. Source: docs/operating/limits.md "Another user". */
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { type Account, makeFolderAs } from '../../platform/account.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'

/** Others may pass through, and see no names. */
const PASSAGE = 0o001

// D1478: with `runAs`, what a definition names is touched with the rights of the user
/** @throws TroupeError bad_request: a folder above the home keeps a user out */
export async function openPassage(
  { home, dataDir }: Pick<Config, 'home' | 'dataDir'>,
  accounts: readonly Account[]
): Promise<void> {
  if (accounts.length === 0) return
  const work = join(dataDir, 'work')
  makeFolderAtOnce(work, 0o755)
  makeFolderAtOnce(join(dataDir, 'scripts'), 0o711)
  for (const folder of [home, dataDir, work, join(dataDir, 'scripts')]) {
    const { mode } = statSync(folder)
    if ((mode & PASSAGE) === 0) chmodSync(folder, (mode & 0o7777) | PASSAGE)
  }
  for (const account of accounts)
    await makeFolderAs(account, work).catch((cause: Error) => {
      throw new TroupeError(
        'bad_request',
        `steps.runAs: ${messageOf(cause)}: a folder above it is closed to others; open it (chmod o+x), or give another home`,
        { cause }
      )
    })
}
