/**
 * Checks whether the files that an engine has open are still those at their paths. LMDB and the write-ahead file continue to use a
 * removed file, and whatever is acknowledged then is lost when the process ends. Source: reliability P1.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../errors.ts'

/** A result is reused for this time, in ms, so that many starts share a check. */
const FRESH_MS = 100

const NAMES = ['troupe.mdb', 'troupe.mdb-lock', 'write-ahead']

// D881: an engine checks that its files are still at their paths
/**
 * Call when they are open.
 * @param elapsed monotonic ms
 */
export function openFiles({ home, dataDir }: { home: string; dataDir: string }, elapsed: () => number) {
  const known = NAMES.flatMap((name) => {
    const path = join(dataDir, name)
    const identity = identityOf(path)
    return identity === undefined ? [] : [{ path, identity }]
  })
  let lookedAt = elapsed()
  let found: string | undefined
  return {
    /** What is wrong, as a sentence; undefined: all files are in place. */
    fault(): string | undefined {
      const now = elapsed()
      if (now - lookedAt < FRESH_MS) return found
      lookedAt = now
      const lost = known.find(({ path, identity }) => identityOf(path) !== identity)
      found = lost && sentence(home, dataDir, lost.path)
      return found
    }
  }
}

/** Device and inode; some other text when the file is missing or not accessible. */
function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat && `${stat.dev}:${stat.ino}`
  } catch (error) {
    return codeOf(error)
  }
}

function sentence(home: string, dataDir: string, path: string): string {
  const [what, became] = !existsSync(home)
    ? ['the home of this engine', 'is gone']
    : !existsSync(dataDir)
      ? ['the data folder in the home of this engine', 'is gone']
      : [
          `${basename(dirname(path))}/${basename(path)} in the home of this engine`,
          existsSync(path) ? 'is another file than the one it has open' : 'is gone'
        ]
  return (
    `${what} ${became}: what it stores from now on is lost when it ends, so nothing is started. ` +
    'Put back what was there, or stop the engine and restore a backup (troupe restore)'
  )
}
