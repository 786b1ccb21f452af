/** One engine per home: the store has its owner's identity, so a dead one is seen at once. Source: architecture 5, reliability F37. */
import type { Database } from 'lmdb'
import { TroupeError } from '../../errors.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts'
import { countOn, type Store } from '../open.ts'
import { raiseVersion } from '../store-version.ts'

/** Stores whose lock this process has given up, and could not remove because of a full disk. */
const givenUp = new Set<string>()

// D1602, D1622: that a process has ended is known by the lock that it left
/** Locks the home. @param wasLeft called if its owner did not close it @throws TroupeError service_unavailable: a live engine owns it */
export function takeLock(store: Store, wasLeft: () => void = () => {}): () => void {
  const { root } = store
  const self = identityOf(process.pid)
  if (!self)
    throw new TroupeError('internal_error', 'Troupe needs Linux with a mounted /proc: it knows processes by it')
  const locks = root.transactionSync(() => {
    const locks = root.openDB<ProcessIdentity, string>({ name: 'locks' })
    const owner = locks.get('engine')
    if (owner && isAlive(owner) && !(owner.pid === process.pid && givenUp.has(pathOf(root))))
      throw new TroupeError(
        'service_unavailable',
        `this home is in use by the engine with process id ${owner.pid}: stop it, talk to it, or give another --home`,
        { details: { owner: owner.pid } }
      )
    if (owner && !isAlive(owner)) wasLeft()
    locks.put('engine', self)
    givenUp.delete(pathOf(root))
    countOn(store)
    return locks
  })
  raiseVersion(root)
  return () => {
    try {
      locks.removeSync('engine')
    } catch (error) {
      givenUp.add(pathOf(root))
      throw error
    }
  }
}

/** lmdb leaves it out of its types. */
const pathOf = (root: object): string => (root as { path?: string }).path ?? ''

/** The live engine that owns the home, if there is one. */
export function lockOwner(store: Store): ProcessIdentity | undefined {
  const owner = lastOwner(store)
  return owner && isAlive(owner) ? owner : undefined
}

/** The latest owner that has not released the home, alive or not. */
export function lastOwner({ root }: Store): ProcessIdentity | undefined {
  type Locks = Database<ProcessIdentity, string> | undefined
  const locks = root.openDB<ProcessIdentity, string>({ name: 'locks' }) as Locks // opened read-only, and never locked
  return locks?.get('engine')
}
