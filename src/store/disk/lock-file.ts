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
    while (!isPlaced(own, path)) {
      refuseHeld(path, refusal)
      setAside(path, `${own}.left`, refusal)
    }
  } finally {
    rmSync(own, { force: true })
  }
  const placed = inodeOf(path)
  return () => {
    if (inodeOf(path) === placed) rmSync(path, { force: true })
  }
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

/** The lock of a process that has ended. Another process may have done the same a moment ago: what it has placed since is put back. */
function setAside(path: string, aside: string, refusal: (pid: number) => TroupeError): void {
  try {
    renameSync(path, aside)
    refuseHeld(aside, refusal, () => linkSync(aside, path))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function refuseHeld(path: string, refusal: (pid: number) => TroupeError, first = () => {}): void {
  const holder = holderIn(path)
  if (!holder || !isAlive(holder)) return
  first()
  throw refusal(holder.pid)
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
