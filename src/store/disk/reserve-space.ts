/**
 * Reserves disk space for the files that LMDB is about to create. LMDB maps its lock file into memory without having written it: on
 * a full disk, the first access to that memory kills the process, which cannot be caught. Source: reliability P6, P22.
 */
import { existsSync, linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { codeOf, TroupeError } from '../../errors.ts'

/** Size of LMDB's lock file; reserved in full, so that a disk that fills up later cannot take reader slots away. */
const LOCK_BYTES = 8_272
/** A lock file in use has at least this much on disk. */
const USED_BYTES = 4_096
/** For the tables of a new store and a first small run. */
const FIRST_BYTES = 256 * 1024

/** @throws TroupeError internal_error: the disk is full. Any other refusal is left to LMDB, which reports it */
export function reserveSpace(path: string): void {
  const lock = `${path}-lock`
  const isNew = !existsSync(path)
  if (!isNew && isBacked(lock)) return
  const beside = `${lock}.${process.pid}`
  try {
    if (isNew) withZeros(beside, FIRST_BYTES)
    // Linked when complete, because another process may be creating it, too.
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
