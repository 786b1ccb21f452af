/**
 * The result of a write.
 *
 * lmdb rejects a failed write with a generic error, and has the reason in a second promise. Without a handler for that one, the
 * process would be terminated. Source: reliability P6.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { codeOf } from '../../errors.ts'

/** A store: lmdb has its path, one in memory may have none. */
type Root = object & { readonly path?: string }

/** Free space with which LMDB is asked again: several commits have it. */
const AGAIN_BYTES = 128 * 1024
/** LMDB is asked after this many refused looks all the same: a small commit may fit. */
const LOOKS = 20
const LACKING = new Set<unknown>(['ENOSPC', 'EDQUOT'])
/** The numbers by which LMDB says so. */
const ENOSPC = 28
const EDQUOT = 122

/** Stores for which LMDB found a full disk, and the looks for space since. */
const full = new WeakMap<Root, { error: unknown; looks: number }>()

// D1620: a full disk is looked for before LMDB is asked again
/**
 * Resolves when `write`, a batch of `root`, is written. LMDB writes a line to stderr for each write that the disk refuses, so it is not
 * asked again while there is no space.
 * @throws Error the reason of the disk
 */
export async function writtenTo(root: Root, write: () => Promise<unknown>): Promise<void> {
  refuseWhileFull(root)
  try {
    await written(write())
    full.delete(root)
  } catch (error) {
    const { code }: { code?: unknown } = Object(error)
    if (code === ENOSPC || code === EDQUOT) full.set(root, { error, looks: 0 })
    throw error
  }
}

/** Resolves when it is written. @throws Error the reason of the disk */
export async function written(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const { commitError }: { commitError?: Promise<never> } = Object(error)
    try {
      await commitError
    } catch (reason) {
      const { code }: { code?: unknown } = Object(reason)
      // LMDB has written the refusal of the system to stderr, without the end of the line.
      if (typeof code === 'number' && code > 0 && !process.stderr.destroyed) process.stderr.write('\n')
      throw reason
    }
    throw error
  }
}

function refuseWhileFull(root: Root): void {
  const found = full.get(root)
  if (!found || root.path === undefined || ++found.looks % LOOKS === 0) return
  const beside = `${root.path}.space`
  try {
    writeFileSync(beside, Buffer.alloc(AGAIN_BYTES), { mode: 0o600 })
  } catch (error) {
    if (LACKING.has(codeOf(error))) throw found.error
  } finally {
    rmSync(beside, { force: true })
  }
}
