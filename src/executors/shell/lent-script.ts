/** The script of a step that runs as somebody else: the folder of its logs is not for that user. */
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../../platform/account.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'

// D1478: with `runAs`, what a definition names is touched with the rights of the user
/** @param scripts folder that the user can pass through @param state of the execution: the same one finds it after a restart */
export function lentScript(scripts: string, state: string) {
  const folder = join(scripts, createHash('sha256').update(state).digest('hex').slice(0, 32))
  return {
    path: (extension: string) => join(folder, `script${extension}`),
    /** @throws Error of the file system */
    write(path: string, text: string, { uid, gid }: Account): void {
      makeFolderAtOnce(folder, 0o711)
      for (const dir of [scripts, folder]) chmodSync(dir, 0o711) // whatever the umask has left of it
      writeFileSync(path, text, { mode: 0o500 })
      chownSync(path, uid, gid)
    },
    remove(): void {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
