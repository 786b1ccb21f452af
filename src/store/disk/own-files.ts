/** Files of the store are private to their owner, whatever folder and umask: outputs are in them. Source: reliability section 5. */
import { chmodSync, statSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { codeOf } from '../../errors.ts'

const OTHERS = 0o077

// D883: files of the store have mode 0600
/**
 * Opens a library that creates these files itself, with its own modes, so that no other user can open them at any moment. Only the
 * main thread can set the umask; in other threads the modes are narrowed after the files are created.
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

/** Narrows files of an earlier release, or whose mode was changed. Files of another user stay as they are: the doctor reports them. */
export function narrow(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat || (stat.mode & OTHERS) === 0 || stat.uid !== process.getuid?.()) return
  try {
    chmodSync(path, stat.mode & 0o700)
  } catch (error) {
    // A read-only disk refuses changes to the store as well, which is reported then.
    if (codeOf(error) !== 'EROFS') throw error
  }
}
