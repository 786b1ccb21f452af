/**
 * The owner of a home is decided before its store is opened: by a file beside it, which names the process, and so decides between copies of
 * this package and threads of one process as well. `lock.ts` asks the store besides, for engines of earlier releases.
 */
import { join } from 'node:path'
import { TroupeError } from '../../errors.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'
import { heldBy, takeLockFile } from './lock-file.ts'

// D1605: who owns a home is decided by a file, before its store is opened
/** Returns a function that releases it. @throws TroupeError service_unavailable: another live engine owns the home */
export function claimHome({ home, dataDir }: { home: string; dataDir: string }): () => void {
  makeFolderAtOnce(dataDir, 0o700)
  try {
    return takeLockFile(ownerFile(dataDir), (pid) => ownedBy(pid, home))
  } catch (error) {
    if (error instanceof TroupeError) throw error
    return () => {} // a disk that takes no file refuses the store as well, or only the lock in it decides
  }
}

/** Id of the live process that has claimed the home; undefined: none has. */
export const claimedBy = (dataDir: string): number | undefined => heldBy(ownerFile(dataDir))

const ownerFile = (dataDir: string) => join(dataDir, 'owner')

export const ownedBy = (pid: number, home: string): TroupeError =>
  new TroupeError(
    'service_unavailable',
    pid === process.pid
      ? `this home is in use by the engine with process id ${pid}, which is this process: ${home} is open here already; close that engine first, or give another home`
      : `this home is in use by the engine with process id ${pid}: stop it, talk to it, or give another --home`,
    { details: { owner: pid } }
  )
