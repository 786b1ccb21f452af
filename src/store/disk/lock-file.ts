/** One live process per folder: a file names it. Source: distribution 5. */
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { codeOf, TroupeError } from '../../errors.ts'
import { identityOf, isAlive, type ProcessIdentity, processIdentity } from '../../platform/process-identity.ts'
import { parsed } from '../../schema/walk.ts'

/**
 * Returns a function that releases it, unless another file is there by then.
 * @param refusal of the process that has it, which may be this one @throws TroupeError
 */
export function takeLockFile(path: string, refusal: (pid: number) => TroupeError): () => void {
  const self = identityOf(process.pid)
  if (!self)
    throw new TroupeError('internal_error', 'Troupe needs Linux with a mounted /proc: it knows processes by it')
  const own = `${path}.${self.pid}.${threadId}`
  writeFileSync(own, JSON.stringify(self), { mode: 0o600 })
  try {
    while (!isPlaced(own, path) && !hasReplaced(own, path, refusal));
  } finally {
    rmSync(own, { force: true })
  }
  const placed = inodeOf(path)
  return () => {
    if (inodeOf(path) === placed) rmSync(path, { force: true })
  }
}

/** Id of the live process that has it: little work, for who asks often. */
export function heldBy(path: string): number | undefined {
  const holder = holderIn(path)
  return holder && isAlive(holder) ? holder.pid : undefined
}

const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

/** A link is made whole or not at all, and never over another. */
function isPlaced(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

// D1761: of many that wait for a home, one replaces the lock of an owner that has died
/**
 * Puts a lock over that of a process that has ended. Of several processes that find it, the one may that has a second lock, which is named
 * after the file that it replaces: nobody else changes that file meanwhile. False: another lock is there by now, or none.
 */
function hasReplaced(own: string, path: string, refusal: (pid: number) => TroupeError): boolean {
  const found = inodeOf(path)
  refuseHeld(path, refusal)
  if (found === undefined) return false
  const release = takeLockFile(`${path}.${found}`, refusal)
  try {
    refuseHeld(path, refusal)
    if (inodeOf(path) !== found) return false
    renameSync(own, path)
    return true
  } finally {
    release()
  }
}

function refuseHeld(path: string, refusal: (pid: number) => TroupeError): void {
  const pid = heldBy(path)
  if (pid !== undefined) throw refusal(pid)
}

/** Undefined: nobody has it, or what is written there is no process. */
function holderIn(path: string): ProcessIdentity | undefined {
  try {
    return parsed(processIdentity, readFileSync(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
