/** Files of the store are their owner's alone, whatever the folder and the umask are: they hold commands, params and outputs. Source: reliability section 5. */
import { chmodSync, statSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { codeOf } from '../../errors.ts'

const OTHERS = 0o077

// D883
/**
 * Opens something that makes these files itself, with modes of its own: nobody else can open them at any moment.
 * A thread beside the main one cannot say how files are made; there they are narrowed when they are.
 */
export function asOwnFiles<T>(paths: readonly string[], open: () => T): T {
  const before = isMainThread && paths.length > 0 ? process.umask(OTHERS) : undefined
  try {
    return open()
  } finally {
    if (before !== undefined) process.umask(before)
    for (const path of paths) narrow(path)
  }
}

/** One of an earlier release, or that somebody has opened up. What another user owns stays as it is: the doctor tells of it. */
export function narrow(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat || (stat.mode & OTHERS) === 0 || stat.uid !== process.getuid?.()) return
  try {
    chmodSync(path, stat.mode & 0o700)
  } catch (error) {
    // A disk that takes no change takes none of the store either, and says so then.
    if (codeOf(error) !== 'EROFS') throw error
  }
}
