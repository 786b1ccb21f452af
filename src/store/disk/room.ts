/**
 * Room for the files that LMDB is about to make. It maps its lock file into memory without having written it: where the disk is full,
 * the first use of that memory ends the process, and nothing can catch that. Source: reliability P6, P22.
 */
import { existsSync, linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { codeOf, TroupeError } from '../../errors.ts'

/** What LMDB makes of it; in full, so that a disk that gets full later takes no slot of a reader away. */
const LOCK_BYTES = 8_272
/** Of a lock file in use at least this is on the disk. */
const USED_BYTES = 4_096
/** For the tables of a new store and a first small run. */
const FIRST_BYTES = 256 * 1024

/** @throws TroupeError internal_error: the disk is full. Any other refusal is left to LMDB, which tells of it */
export function makeRoom(path: string): void {
  const lock = `${path}-lock`
  const isNew = !existsSync(path)
  if (!isNew && isBacked(lock)) return
  const beside = `${lock}.${process.pid}`
  try {
    if (isNew) withZeros(beside, FIRST_BYTES)
    // Linked when it is whole: another process may be making it, too.
    withZeros(beside, LOCK_BYTES, () => existsSync(lock) || linkSync(beside, lock))
  } catch (cause) {
    const code = codeOf(cause)
    if (code !== 'ENOSPC' && code !== 'EDQUOT') return
    const kib = Math.ceil((isNew ? FIRST_BYTES : LOCK_BYTES) / 1024)
    throw new TroupeError(
      'internal_error',
      `wanted ${kib} KiB of room for the store in ${path}, found a full disk (${code}); nothing has been changed: make room, or give another --home`,
      { cause }
    )
  }
}

function isBacked(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && stat.blocks * 512 >= USED_BYTES
}

function withZeros(path: string, bytes: number, then: () => unknown = () => {}): void {
  try {
    writeFileSync(path, Buffer.alloc(bytes), { mode: 0o600 })
    then()
  } finally {
    rmSync(path, { force: true })
  }
}
