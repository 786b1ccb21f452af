/**
 * What an engine that died had decided and LMDB does not have yet. Its next owner stores that; until one comes, whoever reads the home
 * does so first, or it would show an older state than the one on which steps were started. Source: reliability P1.
 */
import { join } from 'node:path'
import { type Clock, pause } from '../../clock.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import type { Changes } from '../changes.ts'
import { putAgain, unstored } from '../commit.ts'
import { openStore, type Store } from '../open.ts'
import { raiseVersion } from '../store-version.ts'
import { lastLife } from './last-life.ts'
import { lockOwner } from './lock.ts'
import { entriesIn } from './write-ahead.ts'

/** How long to wait for an owner that is storing it: it does so within a fraction of a second. */
const OWNER_MS = 1_000
const LOOK_MS = 25

// D1320: who reads a home whose engine died first stores what that engine had decided
/**
 * Resolves when the store has what is in the write-ahead file. The file itself is left to the next owner, which skips what is stored.
 * @returns why it does not; undefined: it does @throws TroupeError internal_error: it is not a file
 */
export async function storeLeft(dataDir: string, clock: Clock): Promise<string | undefined> {
  let left: Changes[]
  try {
    left = entriesIn(join(dataDir, 'write-ahead'))
  } catch (error) {
    if (error instanceof TroupeError) throw error
    return `${join(dataDir, 'write-ahead')} cannot be read (${codeOf(error) ?? messageOf(error)})`
  }
  if (left.length === 0) return undefined
  try {
    if (await isStored(dataDir, left, clock)) return undefined
    if (lastLife(dataDir)?.read === 'before') return 'the store may be damaged (troupe doctor says more)' // the next engine has it read first
    const store = openStore(dataDir)
    try {
      // An owner takes its lock in such a transaction as well: it is before this one, or after.
      return store.root.transactionSync(() => {
        if (lockOwner(store)) return 'the engine that has this home now has not stored them yet'
        raiseVersion(store.root)
        putAgain(store, left)
        return undefined
      })
    } finally {
      await store.root.close()
    }
  } catch (error) {
    return error instanceof TroupeError
      ? error.message
      : `the store cannot be written (${codeOf(error) ?? messageOf(error)})`
  }
}

/** Waits for an owner, if there is one. */
async function isStored(dataDir: string, left: readonly Changes[], clock: Clock): Promise<boolean> {
  const store = openStore(dataDir, { readOnly: true })
  try {
    for (let waited = 0; ; waited += LOOK_MS) {
      if (unstored(store, left).length === 0) return true
      if (waited >= OWNER_MS || !isOwned(store)) return false
      await pause(clock, LOOK_MS)
    }
  } finally {
    await store.root.close()
  }
}

const isOwned = (store: Store) => lockOwner(store) !== undefined
